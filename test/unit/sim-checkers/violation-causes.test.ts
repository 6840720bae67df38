import { describe, expect, it } from 'vitest'
import { AccessHistory } from '../../../sim/checkers/access/access-history.ts'
import { AccessMode } from '../../../sim/checkers/access/access-mode.ts'
import { TokenMigration } from '../../../sim/checkers/access/token-migration.ts'
import type { ExcuseNames, Judge } from '../../../sim/checkers/checker.ts'
import { CleanDeath } from '../../../sim/checkers/clean-death.ts'
import type { LockFacts } from '../../../sim/checkers/clients/lock-facts.ts'
import { LockHolders } from '../../../sim/checkers/clients/lock-holders.ts'
import { LockIndex } from '../../../sim/checkers/clients/lock-index.ts'
import { MonotoneIndex } from '../../../sim/checkers/clients/monotone-index.ts'
import { ParkedReads } from '../../../sim/checkers/clients/parked-reads.ts'
import { SessionLives } from '../../../sim/checkers/clients/session-lives.ts'
import { WatchSequences } from '../../../sim/checkers/clients/watch-sequences.ts'
import { AcknowledgedWrites } from '../../../sim/checkers/keys/acknowledged-writes.ts'
import { AppliedKeys } from '../../../sim/checkers/keys/applied-keys.ts'
import { ExactlyOnce } from '../../../sim/checkers/keys/exactly-once.ts'
import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { StaleReads } from '../../../sim/checkers/keys/stale-reads.ts'
import { WholeChanges } from '../../../sim/checkers/keys/whole-changes.ts'
import { MeshRotation } from '../../../sim/checkers/mesh/mesh-rotation.ts'
import { DeathDetection } from '../../../sim/checkers/pool/death-detection.ts'
import { GoneMembers } from '../../../sim/checkers/pool/gone-members.ts'
import { Incarnations } from '../../../sim/checkers/pool/incarnations.ts'
import { KeptRegistrations } from '../../../sim/checkers/pool/kept-registrations.ts'
import { ConfigurationChanges } from '../../../sim/checkers/raft/configuration-changes.ts'
import { DurableTerms } from '../../../sim/checkers/raft/durable-terms.ts'
import { LeaderAppendOnly } from '../../../sim/checkers/raft/leader-append-only.ts'
import { LogMatching } from '../../../sim/checkers/raft/log-matching.ts'
import { StateMachineSafety } from '../../../sim/checkers/raft/state-machine-safety.ts'
import { lanGossip } from '../../../src/agent/settings/gossip-timing.ts'
import { logIndexOf, modifyIndexOf, termOf } from '../../../src/model/log-position.ts'
import { crossing, leaf, meshWorld, pem, root } from './mesh-world.ts'
import { entry, recorder } from './reports.ts'

type At = (event: number) => void
type Row = readonly [code: string, causes: readonly number[], play: (judge: Judge<ExcuseNames>, at: At) => void]

const [two, five, nine] = [logIndexOf(2), logIndexOf(5), logIndexOf(9)]
const term = termOf(3)

function read(found: string | undefined, calledIn: number, answeredIn: number): KeyOperation {
  return {
    client: 'client 1',
    key: 'k',
    kind: 'read',
    value: undefined,
    expected: undefined,
    consistency: 'stale',
    callUs: 1,
    returnUs: 2,
    outcome: 'ok',
    found,
    calledIn,
    answeredIn,
  }
}

function keys(...versions: readonly (readonly [index: number, value: string])[]): AppliedKeys {
  const applied = new AppliedKeys()
  for (const [index, value] of versions) applied.changed('k', index, value)
  return applied
}

function locks(index: number, atS: number, sessions: readonly string[], holder?: string, fence = index): LockFacts {
  return {
    index,
    atUs: atS * 1e6,
    expiry: true,
    sessions: new Map(sessions.map((id) => [id, { ttlMs: 10_000, lockDelayMs: 5_000 }])),
    holds: new Map(holder === undefined ? [] : [['k', { session: holder, fence }]]),
    lockIndexOf: () => (holder === undefined ? undefined : 1),
    createIndexOf: () => 1,
  }
}

const voters = (...ids: readonly string[]) => ({
  servers: ids.map((id) => ({ id, address: id, suffrage: 'voter' as const })),
})

const rows: readonly Row[] = [
  [
    'R2',
    [11],
    (judge, at) => {
      const law = new LeaderAppendOnly(judge)
      at(11)
      law.becameLeader('s1', term)
      at(12)
      law.truncated('s1', two)
    },
  ],
  [
    'R3',
    [11],
    (judge, at) => {
      const law = new LogMatching(judge)
      at(11)
      law.appended('s1', five, term, 1)
      at(12)
      law.appended('s2', five, term, 2)
    },
  ],
  [
    'R5',
    [11],
    (judge, at) => {
      const law = new StateMachineSafety(judge)
      at(11)
      law.applied('s1', entry(1, 3, 'a'))
      at(12)
      law.applied('s2', entry(1, 3, 'b'))
    },
  ],
  [
    'R5',
    [11],
    (judge, at) => {
      const law = new StateMachineSafety(judge)
      at(11)
      law.applied('s1', entry(1, 3, 'a'))
      at(12)
      law.applied('s1', entry(3, 3, 'b'))
    },
  ],
  [
    'R6',
    [11],
    (judge, at) => {
      const law = new DurableTerms(judge)
      at(11)
      law.logWritten('s1')
      at(12)
      law.lostLog('s1', two, five)
    },
  ],
  [
    'R7',
    [11],
    (judge, at) => {
      const law = new ConfigurationChanges(judge)
      at(11)
      law.appended('s1', two, term, voters('a') as never)
      at(12)
      law.appended('s1', five, term, voters('a', 'b', 'c') as never)
    },
  ],
  ['D1', [12, 11], (judge) => new AcknowledgedWrites(judge, keys()).acknowledged({ ...read('x', 11, 12), value: 'x' })],
  ['D1', [1007], (judge) => new AcknowledgedWrites(judge, keys([7, 'a'])).finalState('s1', new Map([['k', 'b']]))],
  [
    'K1',
    [22, 21, 1008],
    (judge) => {
      const law = new StaleReads(judge, keys([7, 'a'], [8, 'b']))
      law.answered(read('b', 11, 12), 's1', 1, -1)
      law.answered(read('a', 21, 22), 's1', 1, law.began('s1', 1, 'k'))
    },
  ],
  [
    'K2',
    [1007],
    (judge) =>
      new WholeChanges(judge, keys([7, 'a'])).compared('k', 9, { expected: 5, tookEffect: true, isDelete: false }),
  ],
  [
    'K2',
    [1007],
    (judge) => {
      const law = new WholeChanges(judge, keys([7, 'a']))
      law.refused('a', 'a transaction')
      law.judge()
    },
  ],
  [
    'K3',
    [1005, 1009],
    (judge) => {
      const law = new ExactlyOnce(judge)
      law.tookEffect('s1', five, 's1#1', 4)
      law.tookEffect('s1', nine, 's1#1', 4)
    },
  ],
  [
    'W1',
    [11],
    (judge, at) => {
      const law = new MonotoneIndex(judge)
      at(11)
      law.answered('k', law.began('k'), 9)
      at(12)
      law.answered('k', law.began('k'), 5)
    },
  ],
  [
    'W2',
    [11],
    (judge, at) => {
      const law = new ParkedReads(judge)
      const [found, now] = [10, 11].map((index) => ({
        at: modifyIndexOf(index),
        index: modifyIndexOf(index),
        value: index,
      }))
      at(11)
      law.parked('s1', { accessor: '', method: 'KV.Get', args: {}, minIndex: 10, found, now: () => now } as never)
      at(12)
      law.turnEnded()
    },
  ],
  [
    'W3',
    [11, 1007],
    (judge, at) => {
      const law = new WatchSequences(judge)
      law.follows('w', 'a/')
      at(11)
      law.answered('w', [])
      at(12)
      law.overdue('W3', 'a/', [{ key: 'a/b', value: 'x', modifyIndex: 7 }], '10s')
    },
  ],
  [
    'S1',
    [1005],
    (judge) => {
      const law = new LockHolders(judge)
      law.command(locks(5, 1, ['a', 'b'], 'a'))
      law.command(locks(6, 2, ['a', 'b'], 'b'))
    },
  ],
  [
    'S1',
    [12],
    (judge, at) => {
      const law = new LockHolders(judge)
      at(11)
      law.command(locks(5, 1, ['a', 'b'], 'a'))
      at(12)
      law.command(locks(6, 2, ['b']))
      at(13)
      law.command(locks(7, 3, ['b'], 'b'))
    },
  ],
  [
    'S2',
    [11],
    (judge, at) => {
      const law = new SessionLives(judge)
      at(11)
      law.command(locks(5, 1, ['a']))
      at(12)
      law.command(locks(6, 2, []))
    },
  ],
  [
    'S2',
    [12, 13],
    (judge, at) => {
      const law = new SessionLives(judge)
      at(11)
      law.command(locks(5, 1, ['a']))
      at(12)
      law.renewed('a', 2e6, 3e6)
      at(13)
      law.leaderElected(4e6)
      law.finish(1_000e6)
    },
  ],
  [
    'S3',
    [1005],
    (judge) => {
      const law = new LockIndex(judge)
      law.command(locks(5, 1, ['a', 'b'], 'a'))
      law.command(locks(6, 2, ['a', 'b'], 'b'))
    },
  ],
  [
    'M3',
    [11],
    (judge) => {
      const before = { incarnation: 4, state: 'alive', event: 11 } as const
      new Incarnations(judge).held('s1', 's2', before, { incarnation: 3, state: 'alive' })
    },
  ],
  [
    'M4',
    [11, 12],
    (judge) => {
      const watched = {
        observer: 's1',
        name: 'c1',
        state: 'alive',
        calmSinceUs: 0,
        sinceUs: 0,
        members: 3,
        health: 0,
      } as const
      new DeathDetection(judge).look(1e9, { ...watched, timing: lanGossip, because: [11, 12] })
    },
  ],
  ['M5', [11], (judge) => new GoneMembers(judge).contacted('s1', 's2', 'ping', 11)],
  [
    'E3',
    [11],
    (judge, at) => {
      const law = new KeptRegistrations(judge, () => 0)
      law.booted('c1')
      at(11)
      law.died('c1')
      at(12)
      law.takenOut('c1')
    },
  ],
  [
    'H3',
    [11],
    (judge, at) => {
      const law = new CleanDeath(judge)
      law.booted('s1', 1)
      at(11)
      law.died('s1')
      at(12)
      law.acted('s1', 1, 'writes')
    },
  ],
  [
    'A1',
    [15, 12, 11],
    (judge, at) => {
      const law = new AccessHistory(judge, {
        reachingSinceUs: () => Number.NEGATIVE_INFINITY,
        reachingFirstSinceUs: () => undefined,
      })
      law.settings({ ttlUs: 0, defaultPolicy: 'deny' })
      const token = { accessor: 'x', management: true, legacyRules: undefined, policies: [], isLocal: false }
      at(11)
      law.changed({ atUs: 1, tokens: new Map([['s', token]]), policies: new Map() })
      at(12)
      law.changed({ atUs: 2, tokens: new Map(), policies: new Map() })
      const visit = {
        agent: 'c1',
        datacenter: 'dc1',
        secret: 's',
        what: 'read k',
        needs: [{ resource: 'key', name: 'k', right: 'read' }],
        callUs: 5,
        returnUs: 6,
        calledIn: 15,
      } as const
      law.visited({ ...visit, said: 'allowed' })
    },
  ],
  [
    'A3',
    [11],
    (judge, at) => {
      const law = new AccessMode(judge)
      at(11)
      law.recorded('s1', true)
      at(12)
      law.recorded('s1', true)
      law.recorded('s2', false)
    },
  ],
  [
    'A4',
    [11],
    (judge, at) => {
      const law = new TokenMigration(judge)
      const token = { accessor: 'x', management: true, legacyRules: undefined, policies: [], isLocal: false }
      at(11)
      law.changed({ atUs: 1, tokens: new Map([['s', token]]), policies: new Map() }, true)
      at(12)
      law.changed({ atUs: 2, tokens: new Map([['t', token]]), policies: new Map() }, true)
    },
  ],
  [
    'C5',
    [11],
    (judge, at) => {
      const law = new MeshRotation(judge)
      at(11)
      law.changed([{ id: 4, step: 'begun' } as never])
      at(12)
      law.changed([{ id: 4, step: 'begun' } as never])
      law.rests()
    },
  ],
]

describe('a violation names the events that it follows from', () => {
  it('C1, C3: the leaf that was given, and the roots that were published', () => {
    const { laws, lines, causes, now, state, until } = meshWorld()
    now.event = 11
    state([root(1, true)])
    now.event = 12
    laws.given('web at c1', 'web', pem(leaf(1, 'R1', -20, 3_600, { service: 'web' })), 'key')
    now.event = 13
    state([root(1, false), root(2, true, [crossing(2)])])
    until(3_500)
    now.event = 14
    state([root(2, true)])
    expect(lines[0]).toMatch(/^C3: root 1 was removed/)
    expect(lines[1]).toMatch(/^C1: .* does not accept leaf 1/)
    expect(causes.slice(0, 2)).toEqual([[12], [12, 14]])
  })

  it.each(rows)('%s: %j', (code, causes, play) => {
    const { judge, now, codes, causes: named } = recorder()
    play(judge, (event) => {
      now.event = event
    })
    expect(codes[0]).toBe(code)
    expect(named[0]?.filter((event) => event > 0)).toEqual(causes)
  })
})
