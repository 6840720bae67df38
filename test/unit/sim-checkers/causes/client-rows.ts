import type { LockFacts } from '../../../../sim/checkers/clients/lock-facts.ts'
import { LockHolders } from '../../../../sim/checkers/clients/lock-holders.ts'
import { LockIndex } from '../../../../sim/checkers/clients/lock-index.ts'
import { MonotoneIndex } from '../../../../sim/checkers/clients/monotone-index.ts'
import { ParkedReads } from '../../../../sim/checkers/clients/parked-reads.ts'
import { SessionLives } from '../../../../sim/checkers/clients/session-lives.ts'
import { WatchSequences } from '../../../../sim/checkers/clients/watch-sequences.ts'
import { AcknowledgedWrites } from '../../../../sim/checkers/keys/acknowledged-writes.ts'
import { AppliedKeys } from '../../../../sim/checkers/keys/applied-keys.ts'
import { ExactlyOnce } from '../../../../sim/checkers/keys/exactly-once.ts'
import type { KeyOperation } from '../../../../sim/checkers/keys/key-history.ts'
import { StaleReads } from '../../../../sim/checkers/keys/stale-reads.ts'
import { WholeChanges } from '../../../../sim/checkers/keys/whole-changes.ts'
import { logIndexOf, modifyIndexOf } from '../../../../src/model/log-position.ts'
import type { CauseRow } from './row.ts'

const [five, nine] = [logIndexOf(5), logIndexOf(9)]

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
    lockableOf: () => (holder === undefined ? undefined : { lockIndex: 1, session: holder }),
    counted: () => new Map(),
    operations: [],
  }
}

/** Laws of keys, of waiting and of locks. */
export const clientRows: readonly CauseRow[] = [
  ['D1', [12, 11], (judge) => new AcknowledgedWrites(judge, keys()).acknowledged({ ...read('x', 11, 12), value: 'x' })],
  ['D1', [1007], (judge) => new AcknowledgedWrites(judge, keys([7, 'a'])).finalState('s1', new Map([['k', 'b']]), 7)],
  [
    'K1',
    [22, 21, 1008],
    (judge) => {
      const law = new StaleReads(judge, keys([7, 'a'], [8, 'b']))
      law.answered(read('b', 11, 12), law.began('s1', 1, 'k'))
      law.answered(read('a', 21, 22), law.began('s1', 1, 'k'))
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
]
