import { describe, expect, it } from 'vitest'
import type { Visit } from '../../../sim/checkers/access/access-facts.ts'
import { AccessHistory } from '../../../sim/checkers/access/access-history.ts'
import { AccessMode } from '../../../sim/checkers/access/access-mode.ts'
import { TokenMigration } from '../../../sim/checkers/access/token-migration.ts'
import { MonotoneIndex } from '../../../sim/checkers/clients/monotone-index.ts'
import { SessionLives } from '../../../sim/checkers/clients/session-lives.ts'
import { Invariants } from '../../../sim/checkers/invariants.ts'
import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { linearizableKeys } from '../../../sim/checkers/keys/linearizable-keys.ts'
import { Liveness } from '../../../sim/checkers/liveness.ts'
import { DeathDetection } from '../../../sim/checkers/pool/death-detection.ts'
import { KeptRegistrations } from '../../../sim/checkers/pool/kept-registrations.ts'
import { countPool } from '../../../sim/checkers/pool/pool-views.ts'
import { ElectionSafety } from '../../../sim/checkers/raft/election-safety.ts'
import { FailStop } from '../../../sim/checkers/raft/fail-stop.ts'
import { LeaderAppendOnly } from '../../../sim/checkers/raft/leader-append-only.ts'
import { LogMatching } from '../../../sim/checkers/raft/log-matching.ts'
import { StateMachineSafety } from '../../../sim/checkers/raft/state-machine-safety.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { leaf, meshWorld, pem, root } from './mesh-world.ts'
import { entry, recorder } from './reports.ts'

const second = 1_000_000

describe('Raft counts', () => {
  it('elections, and what leaders write, not what followers do', () => {
    const { judge, counts } = recorder()
    const [elections, writes] = [new ElectionSafety(judge), new LeaderAppendOnly(judge)]
    elections.becameLeader('s1', termOf(1))
    elections.becameLeader('s2', termOf(2))
    writes.appended('s1', logIndexOf(4), logIndexOf(3))
    writes.becameLeader('s1', termOf(1))
    writes.appended('s1', logIndexOf(5), logIndexOf(4))
    expect(counts()).toEqual(['R1 2', 'R2 1'])
  })

  it('an entry where another server has it already, and lets one pass whose predecessors are unknown', () => {
    const { judge, counts } = recorder()
    const matching = new LogMatching(judge)
    matching.appended('s1', logIndexOf(1), termOf(1), 7)
    expect(counts()).toEqual([])
    matching.appended('s2', logIndexOf(1), termOf(1), 7)
    matching.appended('s3', logIndexOf(2), termOf(1), undefined)
    expect(counts()).toEqual(['R3 1', 'R3 excused: unknown beginning 1'])
  })

  it('an entry that a second server applies, and what a recovery made forget', () => {
    const { judge, counts } = recorder()
    const safety = new StateMachineSafety(judge)
    for (const server of ['s1', 's2']) for (const index of [1, 2]) safety.applied(server, entry(index, 1, 'a'))
    expect(counts()).toEqual(['R5 2'])
    safety.forgetFrom(logIndexOf(2))
    expect(counts()).toEqual(['R5 2', 'R5 excused: majority lost 1'])
  })

  it('a stop at a command, not each that is applied', () => {
    const { judge, counts } = recorder()
    const [old, fresh] = [
      { major: 0, minor: 6, patch: 4 },
      { major: 0, minor: 7, patch: 0 },
    ]
    const failStop = new FailStop(judge, () => fresh)
    failStop.carriedOut('s1', fresh, 'txn.apply', 7)
    expect(counts()).toEqual([])
    failStop.stopped('s2', old, 'txn.apply', 7)
    expect(counts()).toEqual(['D2 1'])
  })
})

describe('K1 counts', () => {
  const operation = (given: Partial<KeyOperation>): KeyOperation => ({
    client: 'client 1',
    key: 'a',
    kind: 'write',
    value: 'x',
    expected: undefined,
    consistency: 'default',
    callUs: 1,
    returnUs: 2,
    outcome: 'ok',
    found: undefined,
    ...given,
  })

  it('answered operations of each key, not those that were never answered nor what promises less', () => {
    const all = new Invariants({ nowUs: () => 0, staleDefaultMs: 100, onTrigger: () => {} })
    const asked = [
      operation({}),
      operation({ kind: 'read', value: undefined, found: 'x', callUs: 3, returnUs: 4 }),
      operation({ key: 'b', value: 'y' }),
      operation({ key: 'b', value: 'z', outcome: 'unknown', returnUs: Number.POSITIVE_INFINITY }),
      operation({ key: 'c', kind: 'read', value: undefined, consistency: 'stale' }),
    ]
    for (const each of asked) all.tell('operation began', { operation: each })
    all.end(() => false)
    expect(all.violations).toEqual([])
    const { facts, of, excuses } = all.tally.counts.K1
    expect({ facts, of, old: excuses['stale default reads'] }).toEqual({ facts: 3, of: 2, old: 1 })
  })

  it('nothing of a key that the search could not decide', () => {
    const all = new Invariants({ nowUs: () => 0, staleDefaultMs: 0, searchStepsMax: 1, onTrigger: () => {} })
    for (const [at, value] of ['x', 'y'].entries()) {
      const asked = { callUs: at * 10 + 1, returnUs: at * 10 + 2 }
      all.tell('operation began', { operation: operation({ value, ...asked }) })
      const found = {
        kind: 'read',
        value: undefined,
        found: value,
        callUs: at * 10 + 5,
        returnUs: at * 10 + 6,
      } as const
      all.tell('operation began', { operation: operation(found) })
    }
    all.end(() => false)
    expect(all.of(linearizableKeys).undecided).toHaveLength(1)
    expect(all.tally.counts.K1.facts).toBe(0)
  })
})

describe('what clients saw counts', () => {
  it('an index that is compared with an earlier one, and names why one is not', () => {
    const { judge, counts } = recorder()
    const indexes = new MonotoneIndex(judge)
    indexes.answered('k', indexes.began('k'), 5)
    expect(counts()).toEqual([])
    const before = indexes.began('k')
    indexes.answered('k', before, 6)
    indexes.forget()
    indexes.answered('k', before, 2)
    indexes.let('restarted meanwhile')
    expect(counts()).toEqual(['W1 1', 'W1 excused: majority lost 1', 'W1 excused: restarted meanwhile 1'])
  })

  it('no index of a state from before the start of its server that is lower', () => {
    const { judge, lines, counts } = recorder()
    const indexes = new MonotoneIndex(judge)
    for (const index of [5, 3, 6]) indexes.answered('k', indexes.began('k'), index, true)
    indexes.answered('k', indexes.began('k'), 4)
    expect(lines).toEqual(['W1: k: index 4 after 6'])
    expect(counts()).toEqual(['W1 excused: catching up 1', 'W1 2'])
  })

  it('a session where it ends, and a renewal that was never answered as long as no other was', () => {
    const { judge, counts } = recorder()
    const lives = new SessionLives(judge)
    const facts = (atS: number, ids: readonly string[], expiry = false) => ({
      index: 1,
      atUs: atS * second,
      expiry,
      sessions: new Map(ids.map((id) => [id, { ttlMs: 10_000, lockDelayMs: 0 }])),
      holds: new Map(),
      lockableOf: () => undefined,
      counted: () => new Map(),
      operations: [],
    })
    lives.command(facts(0, ['a', 'b', 'c']))
    lives.attempted('a', 5 * second)
    lives.attempted('b', 5 * second)
    lives.renewed('b', 6 * second, 6 * second)
    lives.command(facts(20, ['c'], true))
    expect(counts()).toEqual(['S2 2', 'S2 excused: renewal unanswered 1'])
    lives.replaced(facts(21, []))
    expect(counts()).toContain('S2 excused: restored 1')
  })
})

describe('the pool counts', () => {
  it('a death that is noticed in calm weather; in any other it says so', () => {
    const { judge, counts } = recorder()
    const detection = new DeathDetection(judge)
    detection.noticed(true, 0)
    detection.noticed(true, 2)
    detection.noticed(false, 0)
    expect(counts()).toEqual(['M4 2', 'M4 excused: doubt of itself 1', 'M4 excused: pool disturbed 1'])
  })

  it('each pair of agents, but not with one whose leave no agent heard', () => {
    const { judge, counts } = recorder()
    const views = ['s1', 's2'].map((observer) => ({
      observer,
      members: new Map([
        ['s1', 'alive'],
        ['s2', 'alive'],
        ['c1', 'left'],
        ['c2', 'failed'],
      ]),
    }))
    countPool(judge, views, ['s1', 's2'], ['c1', 'c2'])
    expect(counts()).toEqual(['M1 6', 'M2 4', 'M1 excused: leave unheard 2'])
  })

  it('a node that was dead and kept its registrations, not one that was asked to leave', () => {
    const { judge, counts } = recorder()
    const kept = new KeptRegistrations(judge, () => 0)
    for (const node of ['c1', 'c2']) kept.booted(node)
    kept.mayGo('c2')
    for (const node of ['c1', 'c2']) {
      kept.died(node)
      kept.booted(node)
    }
    kept.leftInOrder(3, 1)
    expect(counts()).toEqual(['E3 4', 'E3 excused: leave unheard 1'])
  })
})

describe('access control counts', () => {
  it('visits, and those at an agent that is out of reach as excused', () => {
    const { judge, counts } = recorder()
    const reaching: { sinceUs: number | undefined } = { sinceUs: 0 }
    const history = new AccessHistory(judge, {
      reachingSinceUs: () => reaching.sinceUs,
      reachingFirstSinceUs: () => undefined,
    })
    history.settings({ ttlUs: 30 * second, defaultPolicy: 'deny' })
    const token = { accessor: 'a', management: true, legacyRules: undefined, policies: [], isLocal: false }
    history.changed({ atUs: second, tokens: new Map([['s', token]]), policies: new Map() })
    const visit = (secret: string, said: Visit['said']): void =>
      history.visited({
        agent: 'c1',
        datacenter: 'dc1',
        secret,
        what: 'write k',
        needs: [{ resource: 'key', name: 'k', right: 'write' }],
        said,
        callUs: 90 * second,
        returnUs: 91 * second,
      })
    visit('s', 'allowed')
    visit('t', 'not found')
    reaching.sinceUs = undefined
    visit('s', 'allowed')
    visit('t', 'not found')
    expect(counts()).toEqual(['A1 2', 'A4 1', 'A1 excused: out of reach 1', 'A4 excused: out of reach 1'])
  })

  it('a change of mode, states since then, and tokens that have their accessor', () => {
    const { judge, counts } = recorder()
    const mode = new AccessMode(judge)
    mode.recorded('s1', false)
    mode.proposed('s1', [], [])
    mode.recorded('s1', true)
    mode.recorded('s1', true)
    const migration = new TokenMigration(judge)
    migration.tokenWritten('s', '')
    migration.tokenWritten('s', 'accessor')
    expect(counts()).toEqual(['A2 1', 'A3 1', 'A4 1'])
  })
})

describe('the mesh counts', () => {
  it('a leaf with each set of roots once, however often it is looked at', () => {
    const { laws, counts, until, state } = meshWorld()
    state([root(1, true)])
    laws.given('web at c1', 'web', pem(leaf(1, 'R1', -20, 3_600, { service: 'web' })), 'key')
    const chains = counts().filter((line) => line.startsWith('C1'))
    until(3_590)
    expect(counts().filter((line) => line.startsWith('C1'))).toEqual(chains)
    // That the leaf is for its service is one fact, and that it is accepted another.
    expect(chains).toEqual(['C1 2'])
    laws.given('web at c1', 'web', pem(leaf(2, 'R1', -20, 3_000, { service: 'web' })), 'key')
    expect(counts()).toContain('C1 excused: expired leaf 1')
  })
})

describe('liveness counts', () => {
  it('each return to rest, and why one was not asked for', () => {
    const { judge, counts } = recorder()
    const liveness = new Liveness(judge)
    liveness.rests()
    liveness.excused('no core')
    liveness.excused('majority lost')
    expect(counts()).toEqual(['L1 1', 'L1 excused: no core 1', 'L1 excused: majority lost 1'])
  })
})
