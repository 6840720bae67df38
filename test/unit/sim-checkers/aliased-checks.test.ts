import { describe, expect, it } from 'vitest'
import { AliasedChecks } from '../../../sim/checkers/registrations/aliased-checks.ts'
import { ChosenPorts } from '../../../sim/checkers/registrations/chosen-ports.ts'
import { Telling } from '../../../sim/checkers/registrations/owing.ts'
import type {
  AliasTarget,
  NodeRows,
  RegistrationChange,
} from '../../../sim/checkers/registrations/registration-facts.ts'
import { recorder } from './reports.ts'

/** The status of a check of `web` by its ID; those that begin with `node` and the membership check are of the node. */
function rowsOf(
  statuses: Readonly<Record<string, string>>,
  proxyPorts: Readonly<Record<string, number>> = {},
): NodeRows {
  const ownerOf = (id: string): string => (/^(node|serf)/.test(id) ? '' : id.startsWith('db') ? 'db' : 'web')
  return {
    items: new Map(),
    statuses: new Map(Object.entries(statuses)),
    owners: new Map(Object.keys(statuses).map((id) => [id, ownerOf(id)])),
    proxyPorts: new Map(Object.entries(proxyPorts)),
  }
}

/** Agents in contact since their first second. */
function watched() {
  const { judge, lines, counts, causes, now } = recorder()
  let nowUs = 1_000_000
  let contactUs: number | undefined = 1_000_000
  const network = { rttMs: 6, rttMaxMs: 10, loss: 0 }
  const run = { ...judge, nowUs: () => nowUs, contactSinceUs: () => contactUs, network }
  const told = new Telling(run)
  const law = new AliasedChecks(run, told)
  const began = (checkId: string, target: AliasTarget | undefined): RegistrationChange => {
    const times = { calledUs: nowUs, endedUs: nowUs, outcome: 'open' } as const
    const change: RegistrationChange = {
      ...{ node: 'c1', what: 'PUT', items: new Map(), heard: [], aliases: [{ checkId, target }], ...times },
    }
    law.began(change)
    return change
  }
  const ended = (change: RegistrationChange, outcome: RegistrationChange['outcome'] = 'done'): void => {
    Object.assign(change, { outcome, endedUs: nowUs })
    law.ended(change)
  }
  return {
    law,
    lines,
    counts,
    causes,
    now,
    began,
    ended,
    aliased: (checkId: string, service: string, node = '') => ended(began(checkId, { node, service })),
    listed: (statuses: Readonly<Record<string, string>>, node = 'c1', isRestored = false) =>
      law.listed(node, rowsOf(statuses), isRestored),
    later: (seconds: number) => {
      for (let look = 0; look < 2 * seconds; look++) {
        nowUs += 500_000
        law.lookAround()
      }
    },
    contact: (is: boolean) => {
      contactUs = is ? nowUs : undefined
    },
    syncedAll: () => told.told('c1', contactUs ?? 0, nowUs),
  }
}

describe('E11', () => {
  it('counts each status that an alias must have, and has', () => {
    const { aliased, listed, lines, counts } = watched()
    aliased('db-alias', 'web')
    listed({ web: 'passing', 'db-alias': 'passing' })
    listed({ web: 'warning', 'db-alias': 'passing' })
    listed({ web: 'warning', 'db-alias': 'warning' })
    expect([lines, counts()]).toEqual([[], ['E11 2']])
  })

  it('reports one that has stayed behind, within moments if its agent had told everything', () => {
    const { aliased, listed, lines, causes, now, later, syncedAll } = watched()
    aliased('db-alias', 'web')
    now.event = 11
    listed({ web: 'passing', 'db-alias': 'passing' })
    syncedAll()
    later(1)
    now.event = 12
    listed({ web: 'critical', 'db-alias': 'passing' })
    later(0.5)
    expect(lines).toEqual([])
    later(0.5)
    expect(lines).toEqual([
      'E11: check db-alias of c1 stands for service web and is passing in the catalog, and should be critical, as that has been for 1.000 s',
    ])
    expect(causes).toEqual([[12, 11]])
  })

  it('takes the checks of the node too, but not the membership check for a service of the agent itself', () => {
    const { aliased, listed, lines, counts, later, syncedAll } = watched()
    syncedAll()
    aliased('db-alias', 'web')
    listed({ serfHealth: 'critical', 'db-alias': 'passing' })
    listed({ serfHealth: 'critical', node: 'warning', 'db-alias': 'warning' })
    expect([lines, counts()]).toEqual([[], ['E11 2']])
    listed({ serfHealth: 'critical', node: 'warning', 'db-alias': 'critical' })
    later(1)
    expect(lines).toHaveLength(1)
  })

  it('looks through aliases at what they stand for, once each', () => {
    const { aliased, listed, lines, counts } = watched()
    aliased('db-alias', 'web')
    aliased('web-alias', 'db')
    listed({ web: 'passing', db: 'warning', 'db-alias': 'warning', 'web-alias': 'warning' })
    expect([lines, counts()]).toEqual([[], ['E11 2']])
  })

  it('takes the checks of another node as the catalog has them', () => {
    const { aliased, listed, lines, counts, later } = watched()
    aliased('db-alias', 'web', 'c2')
    listed({ 'db-alias': 'passing' })
    expect(counts()).toEqual([])
    listed({ web: 'passing', db: 'critical', serfHealth: 'passing' }, 'c2')
    expect([lines, counts()]).toEqual([[], ['E11 1']])
    later(20)
    listed({ web: 'passing', db: 'critical', serfHealth: 'critical' }, 'c2')
    later(28)
    expect(lines).toEqual([])
    later(1.5)
    expect(lines).toEqual([
      'E11: check db-alias of c1 stands for service web of node c2 and is passing in the catalog, and should be critical, as that has been for 29.000 s',
    ])
  })

  it('lets an agent without contact show what was, and for as long again if it reads another node', () => {
    const { aliased, listed, lines, later, contact, counts } = watched()
    aliased('db-alias', 'web', 'c2')
    listed({ 'db-alias': 'passing' })
    listed({ web: 'critical' }, 'c2')
    contact(false)
    later(40)
    contact(true)
    later(70)
    expect(lines).toEqual([])
    listed({ web: 'passing' }, 'c2')
    expect(counts()).toEqual(['E11 excused: out of reach 1', 'E11 1'])
    listed({ web: 'critical' }, 'c2')
    later(31)
    expect(lines).toHaveLength(1)
  })

  it('knows nothing of an alias while a request about it has no answer, and until a later one has', () => {
    const { began, ended, aliased, listed, lines, later, counts } = watched()
    listed({ web: 'critical', 'db-alias': 'passing' })
    ended(began('db-alias', { node: '', service: 'web' }), 'unknown')
    aliased('db-alias', 'web')
    later(60)
    expect([lines, counts()]).toEqual([[], ['E11 excused: outcome unknown 1']])
    aliased('db-alias', 'web')
    later(60)
    expect(lines).toHaveLength(1)
  })

  it('judges an alias no more by what it stood for, once a request for another thing is under way', () => {
    const { began, ended, aliased, listed, lines, later } = watched()
    aliased('db-alias', 'web')
    listed({ web: 'critical', db: 'passing', 'db-alias': 'critical' })
    const change = began('db-alias', { node: '', service: 'db' })
    listed({ web: 'critical', db: 'passing', 'db-alias': 'passing' })
    later(60)
    expect(lines).toEqual([])
    ended(change)
    listed({ web: 'critical', db: 'passing', 'db-alias': 'critical' })
    later(60)
    expect(lines).toHaveLength(1)
  })

  it('gives a restored catalog the time of a full comparison, and a replaced machine has no aliases', () => {
    const { law, aliased, listed, lines, later } = watched()
    aliased('db-alias', 'web')
    listed({ web: 'critical', 'db-alias': 'passing' }, 'c1', true)
    later(150)
    expect(lines).toEqual([])
    law.replaced('c1')
    later(60)
    expect(lines).toEqual([])
  })
})

describe('E12', () => {
  it('reports a port that two sidecars have, and one beyond the range', () => {
    const { judge, lines, counts } = recorder()
    const law = new ChosenPorts(judge)
    law.listed('c1', rowsOf({}, { one: 21_000, two: 21_001 }))
    law.listed('c1', rowsOf({}, { one: 21_000, two: 21_001 }))
    law.listed('c2', rowsOf({}, { one: 21_000 }))
    expect([lines, counts()]).toEqual([[], ['E12 3']])
    law.listed('c1', rowsOf({}, { one: 21_000, two: 21_000 }))
    law.listed('c2', rowsOf({}, { one: 21_256 }))
    expect(lines).toEqual(['E12: two and one of c1 have the same port 21000', 'E12: one of c2 has port 21256'])
  })

  it('excuses one that its agent was told to remove, until the catalog has it otherwise', () => {
    const { judge, lines, counts } = recorder()
    const law = new ChosenPorts(judge)
    law.listed('c1', rowsOf({}, { one: 21_000 }))
    law.began({ node: 'c1', items: new Map([['service one', undefined]]) })
    // The port of the one that its agent has removed is taken before the catalog has lost that one.
    law.listed('c1', rowsOf({}, { one: 21_000, two: 21_000 }))
    expect([lines, counts()]).toEqual([[], ['E12 2', 'E12 excused: being removed 1']])
    law.listed('c1', rowsOf({}, { two: 21_000 }))
    law.listed('c1', rowsOf({}, { one: 21_000, two: 21_000 }))
    expect(lines).toEqual(['E12: two and one of c1 have the same port 21000'])
  })
})
