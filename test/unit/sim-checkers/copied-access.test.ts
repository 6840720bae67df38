import { describe, expect, it } from 'vitest'
import type { TokenState, Visit } from '../../../sim/checkers/access/access-facts.ts'
import { AccessFederation } from '../../../sim/checkers/access/access-federation.ts'
import { AccessHistory } from '../../../sim/checkers/access/access-history.ts'
import { CopiedAccess } from '../../../sim/checkers/access/copied-access.ts'
import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { recorder } from './reports.ts'

const second = 1_000_000
const root: TokenState = { accessor: 'root', management: true, legacyRules: undefined, policies: [], isLocal: false }
const token: TokenState = { accessor: 'a', management: false, legacyRules: undefined, policies: ['p'], isLocal: false }

type Tokens = Readonly<Record<string, TokenState>>
type Policies = Readonly<Record<string, string>>

/** dc1 is the primary datacenter, dc2 copies it. */
function twoDatacenters({ downPolicy = 'extend-cache', replication = 'root', isNew = true } = {}) {
  const { judge, lines, counts } = recorder()
  const federation = new AccessFederation()
  const clock = { nowUs: 0 }
  const of = (datacenter: string): CopiedAccess => {
    const run = { ...judge, nowUs: () => clock.nowUs, federation, staleDefaultMs: 0 }
    const copies = new CopiedAccess(run)
    const access = {
      enabled: true,
      primaryDatacenter: 'dc1',
      tokenReplication: true,
      downPolicy,
      tokens: { replication },
    }
    copies.settings({ datacenter, access } as unknown as AgentConfig)
    copies.recorded(isNew)
    return copies
  }
  const [primary, secondary] = [of('dc1'), of('dc2')]
  const history = new AccessHistory(
    judge,
    { reachingSinceUs: () => 0, reachingFirstSinceUs: () => undefined },
    federation,
  )
  history.settings({ ttlUs: 4 * second, defaultPolicy: 'deny' })
  const stateOf = (atS: number, tokens: Tokens, policies: Policies) => {
    clock.nowUs = atS * second
    return {
      atUs: clock.nowUs,
      tokens: new Map(Object.entries(tokens)),
      policies: new Map(Object.entries(policies)),
    }
  }
  return {
    lines,
    counts,
    secondary,
    primary,
    inPrimary: (atS: number, tokens: Tokens, policies: Policies = {}): void => {
      const state = stateOf(atS, { root, ...tokens }, policies)
      primary.changed(state, false)
      history.changed(state)
    },
    inCopy: (atS: number, tokens: Tokens, policies: Policies = {}): void =>
      secondary.changed(stateOf(atS, { root, ...tokens }, policies), false),
    look: (atS: number, isTroubled = false): void => {
      clock.nowUs = atS * second
      secondary.look(() => isTroubled)
    },
    visit: (said: Visit['said'], atS: number): void => {
      const [callUs, returnUs] = [atS * second, atS * second + 1000]
      const needs = [{ resource: 'key', name: 'k', right: 'read' }] as const
      history.visited({ agent: 's2', datacenter: 'dc2', secret: 's', what: 'read k', needs, said, callUs, returnUs })
    },
  }
}

const reads = { p: 'key "k" { policy = "read" }' }
const nothing = { p: 'key "k" { policy = "deny" }' }

describe('A5, copies', () => {
  it('accepts copies that follow, and a removal after the original', () => {
    const { inPrimary, inCopy, look, lines, counts } = twoDatacenters()
    inPrimary(1, { s: token }, reads)
    inCopy(2, { s: token }, reads)
    look(3)
    inPrimary(100, {}, nothing)
    inCopy(102, {}, nothing)
    look(200)
    expect(lines).toEqual([])
    expect(counts()[0]).toMatch(/^A5 \d/)
  })

  it('reports a copy that goes while the original stays', () => {
    const { inPrimary, inCopy, lines } = twoDatacenters()
    inPrimary(1, { s: token }, reads)
    inCopy(2, { s: token }, reads)
    inCopy(3, {}, reads)
    expect(lines).toEqual([
      'A5: the copy of token a was removed, although the primary datacenter has had it all the time',
    ])
  })

  it('reports rules that the primary never had, and a step back', () => {
    const { inPrimary, inCopy, lines } = twoDatacenters()
    inPrimary(1, { s: token }, reads)
    inPrimary(2, { s: token }, nothing)
    inCopy(3, { s: token }, nothing)
    inCopy(4, { s: token }, reads)
    inCopy(5, { s: token }, { p: '' })
    expect(lines.map((line) => line.replace(/^A5: the copy of policy p /, ''))).toEqual([
      'went back to an earlier version',
      'holds what the primary datacenter never had',
    ])
  })

  it('reports a new copy without a policy that the primary has, and none that goes as its policy has gone', () => {
    const linked = (...policies: readonly string[]): TokenState => ({ ...token, policies })
    const { inPrimary, inCopy, lines } = twoDatacenters()
    inPrimary(1, { s: linked('p', 'q') }, { ...reads, q: '' })
    inPrimary(2, { s: linked('p', 'q') }, reads)
    inCopy(3, { s: linked('p', 'q') }, reads)
    inPrimary(4, { s: linked('p', 'q'), t: { ...linked('r'), accessor: 't' } }, { ...reads, r: '' })
    inPrimary(5, { s: linked('p', 'r'), t: { ...linked('r'), accessor: 't' } }, { ...reads, r: '' })
    inCopy(6, { s: linked('p', 'r') }, reads)
    expect(lines).toEqual([])
    inCopy(7, { s: linked('p', 'r'), t: { ...linked('r'), accessor: 't' } }, reads)
    inCopy(8, { s: linked('p', 'r'), t: { ...linked('r'), accessor: 't' } }, { ...reads, r: '' })
    expect(lines).toEqual(['A5: token t was copied without its policy r, which the primary datacenter has'])
  })

  it('reports a copy that is late: soon where the last round succeeded, and later after trouble', () => {
    for (const [isTroubled, late] of [
      [false, 6],
      [true, 78],
    ] as const) {
      const { inPrimary, inCopy, look, lines } = twoDatacenters()
      inPrimary(1, { s: token }, reads)
      look(1)
      inCopy(2, { s: token }, reads)
      look(2)
      look(3, isTroubled)
      inPrimary(10, {}, reads)
      look(10 + late - 2 - (isTroubled ? 8 : 0))
      expect(lines).toEqual([])
      look(10 + late)
      expect(lines.join()).toMatch(/^A5: the copy of token a is not what the primary datacenter has, [\d.]+ s after/)
    }
  })

  it('judges legacy tokens in the old mode, and what is late not while the modes differ', () => {
    const legacy = (rules: string): TokenState => ({ ...token, accessor: '', legacyRules: rules, policies: [] })
    for (const goesOver of [false, true]) {
      const { inPrimary, inCopy, look, primary, lines } = twoDatacenters({ isNew: false })
      inPrimary(1, { s: legacy('first') })
      inCopy(2, { s: legacy('first') })
      look(3)
      inPrimary(100, { s: legacy('second') })
      look(101)
      if (goesOver) primary.recorded(true)
      look(250)
      expect(lines).toHaveLength(goesOver ? 0 : 1)
    }
  })

  it('takes a copy of a management token without accessor and link for the same', () => {
    const { inPrimary, inCopy, lines } = twoDatacenters()
    inPrimary(1, { m: { ...root, policies: ['all'] } })
    inCopy(2, { m: { ...root, accessor: '' } })
    expect(lines).toEqual([])
  })

  it('excuses one whose replication token the primary does not know', () => {
    const { inPrimary, look, lines, counts } = twoDatacenters({ replication: 'nobody' })
    inPrimary(1, { s: token }, reads)
    look(2)
    look(100)
    expect(lines).toEqual([])
    expect(counts()).toContain('A5 excused: refused to copy 2')
  })
})

describe('A5, visits where tokens are copied', () => {
  it('reports the refusal of a token that was copied, though no server reaches the primary datacenter', () => {
    const { inPrimary, inCopy, visit, lines } = twoDatacenters()
    inPrimary(1, { s: token }, reads)
    visit('not found', 20)
    inCopy(20, { s: token }, reads)
    visit('not found', 21)
    expect(lines).toEqual([])
    visit('denied', 40)
    expect(lines.join()).toMatch(/^A5: s2 says 'denied' to token a.*so has every state of the primary$/)
  })

  it('accepts it once the primary has changed the rules, and where the down policy denies without a leader', () => {
    const changed = twoDatacenters()
    changed.inPrimary(1, { s: token }, reads)
    changed.inCopy(2, { s: token }, reads)
    changed.inPrimary(30, { s: token }, nothing)
    changed.visit('denied', 40)
    expect(changed.lines).toEqual([])
    const denies = twoDatacenters({ downPolicy: 'deny' })
    denies.inPrimary(1, { s: token }, reads)
    denies.inCopy(2, { s: token }, reads)
    denies.visit('denied', 40)
    expect(denies.lines).toEqual([])
    denies.secondary.began('s2')
    denies.visit('denied', 60)
    expect(denies.lines).toHaveLength(1)
  })

  it('lets an agent that does not reach the primary datacenter use what it knew of a token that was never copied', () => {
    for (const isCopied of [false, true]) {
      const { inPrimary, inCopy, visit, lines, counts } = twoDatacenters()
      inPrimary(1, { s: token }, reads)
      if (isCopied) inCopy(2, { s: token }, reads)
      inPrimary(30, { s: token }, nothing)
      if (isCopied) inCopy(31, { s: token }, nothing)
      visit('allowed', 60)
      expect(lines).toHaveLength(isCopied ? 1 : 0)
      expect(counts().includes('A1 excused: out of reach 1')).toBe(!isCopied)
    }
  })

  it('reports a removed token that is let in, once its copy is gone for as long as rights are cached', () => {
    const { inPrimary, inCopy, visit, lines } = twoDatacenters()
    inPrimary(1, { s: token }, reads)
    inCopy(2, { s: token }, reads)
    inPrimary(30, {}, reads)
    visit('allowed', 33)
    inCopy(34, {}, reads)
    visit('allowed', 37)
    expect(lines).toEqual([])
    visit('allowed', 39)
    expect(lines.join()).toMatch(/^A1: .*no state of that time allows it/)
  })
})
