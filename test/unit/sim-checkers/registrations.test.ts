import { describe, expect, it } from 'vitest'
import { AcknowledgedRegistrations } from '../../../sim/checkers/registrations/acknowledged-registrations.ts'
import { HeardChecks } from '../../../sim/checkers/registrations/heard-checks.ts'
import { Telling } from '../../../sim/checkers/registrations/owing.ts'
import type { CheckHeard, RegistrationChange } from '../../../sim/checkers/registrations/registration-facts.ts'
import { recorder } from './reports.ts'

/** One agent, c1, in contact since its first second unless a test says otherwise. */
function watched() {
  const { judge, lines, counts } = recorder()
  let nowUs = 1_000_000
  let contactUs: number | undefined = 1_000_000
  const run = {
    ...judge,
    nowUs: () => nowUs,
    contactSinceUs: () => contactUs,
    network: { rttMs: 6, rttMaxMs: 10, loss: 0 },
  }
  const told = new Telling(run)
  const registrations = new AcknowledgedRegistrations(run, told)
  const checks = new HeardChecks(run, told)
  const began = (items: Record<string, string | undefined>, heard: readonly CheckHeard[] = []): RegistrationChange => {
    const times = { calledUs: nowUs, endedUs: nowUs }
    const what = `PUT ${Object.keys(items).join(' ')}`
    const change: RegistrationChange = {
      node: 'c1',
      what,
      items: new Map(Object.entries(items)),
      heard,
      aliases: [],
      outcome: 'open',
      ...times,
    }
    registrations.began(change)
    checks.began(change)
    return change
  }
  const ended = (change: RegistrationChange, outcome: RegistrationChange['outcome'] = 'done'): void => {
    Object.assign(change, { outcome, endedUs: nowUs })
    registrations.ended(change)
    checks.ended(change)
  }
  return {
    registrations,
    checks,
    lines,
    counts,
    began,
    ended,
    asked: (items: Record<string, string | undefined>, heard: readonly CheckHeard[] = []) => ended(began(items, heard)),
    listed: (items: Record<string, string>, statuses: Record<string, string> = {}, isRestored = false) => {
      const rows = {
        items: new Map(Object.entries(items)),
        statuses: new Map(Object.entries(statuses)),
        owners: new Map(),
        proxyPorts: new Map(),
      }
      registrations.listed('c1', rows, isRestored)
      checks.listed('c1', rows, isRestored)
    },
    /** So many seconds later. */
    later: (seconds: number) => {
      nowUs += seconds * 1e6
      registrations.lookAround()
      checks.lookAround()
    },
    leaves: () => told.asked('c1', 'left'),
    begins: () => told.began('c1'),
    contact: (is: boolean) => {
      contactUs = is ? nowUs : undefined
    },
  }
}

const web = 'service web-1'

describe('E5', () => {
  it('counts what is in the catalog as it was acknowledged, and what is gone from it', () => {
    const { asked, listed, lines, counts } = watched()
    listed({ [web]: 'one' })
    asked({ [web]: 'one' })
    listed({ [web]: 'two' })
    asked({ [web]: 'two' })
    listed({})
    asked({ [web]: undefined })
    expect([lines, counts()]).toEqual([[], ['E5 3']])
  })

  it('lets an agent tell within the bound of its retries, and no later', () => {
    const { asked, listed, lines, later } = watched()
    listed({})
    asked({ [web]: 'one' })
    later(28)
    expect(lines).toEqual([])
    later(1)
    expect(lines).toEqual([
      'E5: service web-1 of c1 is missing in the catalog, and should be one: acknowledged 29.000 s ago, 0.040 s overdue',
    ])
  })

  it('lets an agent that has told everything tell at once alone', () => {
    const { asked, listed, lines, later } = watched()
    listed({ [web]: 'one' })
    asked({ [web]: 'one' })
    later(1)
    asked({ [web]: 'two' })
    later(3)
    expect(lines).toEqual([
      'E5: service web-1 of c1 is one in the catalog, and should be two: acknowledged 3.000 s ago, 2.460 s overdue',
    ])
  })

  it('is owed nothing by an agent that was asked to leave, until its next process is in contact', () => {
    const { asked, listed, lines, later, contact, leaves, begins } = watched()
    listed({ [web]: 'one' })
    asked({ [web]: 'one' })
    leaves()
    later(1)
    asked({ [web]: 'two' })
    later(5)
    listed({})
    later(100)
    expect(lines).toEqual([])
    begins()
    contact(true)
    later(30)
    expect(lines).toHaveLength(1)
  })

  it('is owed nothing without contact, and begins anew with it', () => {
    const { asked, listed, lines, later, contact } = watched()
    listed({})
    contact(false)
    asked({ [web]: 'one' })
    later(100)
    contact(true)
    later(28)
    expect(lines).toEqual([])
    later(1)
    expect(lines).toHaveLength(1)
  })

  it('takes either of two changes that met, and either outcome of one that was not answered', () => {
    const { began, ended, listed, lines, later, counts } = watched()
    const [one, two] = [began({ [web]: 'one' }), began({ [web]: 'two' })]
    ended(one)
    ended(two)
    listed({ [web]: 'one' })
    later(40)
    ended(began({ [web]: 'three' }), 'unknown')
    listed({ [web]: 'three' })
    later(40)
    expect([lines, counts()]).toEqual([[], ['E5 1', 'E5 excused: outcome unknown 1']])
    listed({ [web]: 'four' })
    later(40)
    expect(lines).toHaveLength(1)
  })

  it('counts one without an answer no more when another is answered that was asked of a well agent later', () => {
    const { began, ended, asked, listed, lines, later } = watched()
    ended(began({ [web]: 'one' }), 'unknown')
    later(5)
    asked({ [web]: 'two' })
    listed({ [web]: 'one' })
    later(40)
    expect(lines).toHaveLength(1)
  })

  it('reports at once a service that is taken out without a request', () => {
    const { asked, listed, registrations, lines } = watched()
    const out = { node: 'c1', serviceId: 'web-1', checkId: '' }
    listed({ [web]: 'one' })
    asked({ [web]: 'one' })
    registrations.deregistered(out)
    expect(lines).toEqual([
      'E5: service web-1 of c1 is removed from the catalog, although PUT service web-1 was acknowledged',
    ])
    listed({})
    asked({ [web]: undefined })
    registrations.deregistered(out)
    expect(lines).toHaveLength(1)
  })

  it('reports an agent that does not know the check that it acknowledged', () => {
    const { asked, began, ended, lines, listed } = watched()
    const report = () => began({}, [{ checkId: 'c', ttlMs: 1_000, status: 'passing' }])
    ended(report(), 'not held')
    listed({ 'check c': 'one' })
    asked({ 'check c': 'one' })
    ended(report(), 'not held')
    expect(lines).toEqual(['E5: c1 says that it has no check c, though it acknowledged PUT check c'])
  })

  it('expects of an agent at rest what it acknowledged, or what a request without an answer may have made of it', () => {
    const { asked, began, ended, registrations, lines, counts } = watched()
    const rest = (held: Record<string, string>) => registrations.atRest('c1', new Map(Object.entries(held)))
    asked({ [web]: 'one' })
    const open = began({ [web]: 'two' })
    rest({})
    ended(open, 'unknown')
    rest({ [web]: 'one' })
    rest({ [web]: 'two' })
    expect(lines).toEqual([])
    expect(counts()).toEqual(['E5 excused: outcome unknown 1', 'E5 2'])
    rest({})
    asked({ [web]: undefined })
    rest({ [web]: 'one' })
    expect(lines).toEqual([
      'E5: service web-1 is missing at c1 itself, at rest, and should be one: that was acknowledged',
      'E5: service web-1 is one at c1 itself, at rest, and should be gone: that was acknowledged',
    ])
  })

  it('waits after a restore for a full comparison, and expects nothing of another machine', () => {
    const { asked, listed, lines, later, registrations, counts } = watched()
    listed({ [web]: 'one' })
    asked({ [web]: 'one' })
    listed({}, {}, true)
    later(150)
    expect(lines).toEqual([])
    later(60)
    expect(lines).toHaveLength(1)
    registrations.replaced('c1')
    later(200)
    expect(lines).toHaveLength(1)
    expect(counts()).toContain('E5 excused: machine replaced 1')
  })
})

describe('E6', () => {
  const heard = (status: CheckHeard['status']): readonly CheckHeard[] => [{ checkId: 'c', ttlMs: 10_000, status }]

  it('counts a check that is as it was reported, and one that is critical when its time is over', () => {
    const { asked, listed, lines, counts, later } = watched()
    listed({}, { c: 'passing' })
    asked({}, heard('passing'))
    later(10)
    listed({}, { c: 'critical' })
    later(1)
    expect([lines, counts()]).toEqual([[], ['E6 2']])
  })

  it('reports one that is not as it was reported, before its time is over', () => {
    const { asked, listed, lines, later } = watched()
    listed({ [web]: 'one' }, { c: 'passing' })
    asked({ [web]: 'one' })
    asked({}, heard('passing'))
    later(5)
    listed({ [web]: 'one' }, { c: 'critical' })
    expect(lines).toEqual([
      'E6: check c of c1 is critical in the catalog, and should be passing: passing was reported 5.000 s ago, its time to live being 10 s',
    ])
  })

  it('reports one that has not been heard of for long, and that is not critical', () => {
    const { asked, listed, lines, later } = watched()
    listed({ [web]: 'one' }, { c: 'warning' })
    asked({ [web]: 'one' })
    asked({}, heard('warning'))
    later(11)
    expect(lines).toEqual([])
    later(1)
    expect(lines).toEqual([
      'E6: check c of c1 is warning in the catalog, and should be critical: warning was reported 12.000 s ago, its time to live being 10 s',
    ])
  })

  it('lets a check be critical after a restart of its agent, whose time begins anew, until the next report', () => {
    const { asked, listed, lines, later, checks, counts } = watched()
    listed({ [web]: 'one' }, { c: 'passing' })
    asked({ [web]: 'one' })
    asked({}, heard('passing'))
    later(8)
    checks.booted('c1')
    listed({ [web]: 'one' }, { c: 'critical' })
    later(3)
    listed({ [web]: 'one' }, { c: 'passing' })
    later(7)
    expect([lines, counts()]).toEqual([[], ['E5 1', 'E6 1', 'E6 excused: restarted 1']])
    later(5)
    expect(lines).toHaveLength(1)
  })

  it('takes a report without an answer for heard or not, until the next', () => {
    const { asked, began, ended, listed, lines, later, counts } = watched()
    listed({ [web]: 'one' }, { c: 'passing' })
    asked({ [web]: 'one' })
    asked({}, heard('passing'))
    ended(began({}, heard('warning')), 'unknown')
    listed({ [web]: 'one' }, { c: 'warning' })
    later(5)
    expect([lines, counts().at(-1)]).toEqual([[], 'E6 excused: report unanswered 1'])
    asked({}, heard('passing'))
    later(3)
    expect(lines).toHaveLength(1)
  })

  it('does not ask for the contact of a node that has no agent when something of it is deregistered', () => {
    const { judge, lines } = recorder()
    const run = {
      ...judge,
      nowUs: () => 1_000_000,
      contactSinceUs: (node: string) => {
        throw new Error(`the run has no agent ${node}`)
      },
      network: { rttMs: 6, rttMaxMs: 10, loss: 0 },
    }
    const registrations = new AcknowledgedRegistrations(run, new Telling(run))
    registrations.deregistered({ node: 'elsewhere', serviceId: 'web', checkId: '' })
    registrations.deregistered({ node: 'elsewhere', serviceId: '', checkId: 'well' })
    expect(lines).toEqual([])
  })
})
