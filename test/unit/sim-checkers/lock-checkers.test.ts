import { describe, expect, it } from 'vitest'
import { type LockFacts, lockFactsOf } from '../../../sim/checkers/clients/lock-facts.ts'
import { LockHolders } from '../../../sim/checkers/clients/lock-holders.ts'
import { LockIndex } from '../../../sim/checkers/clients/lock-index.ts'
import { SessionLives } from '../../../sim/checkers/clients/session-lives.ts'
import { holdsTable, kvTable } from '../../../src/features/kv/tables.ts'
import { sessionsTable } from '../../../src/features/session/tables.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { recorder } from './reports.ts'

interface State {
  readonly sessions?: readonly string[]
  /** `key: session@fence` */
  readonly holds?: Readonly<Record<string, string>>
  readonly lockIndexes?: Readonly<Record<string, number>>
  /** Of a transaction, each `verb key session`. */
  readonly operations?: readonly string[]
  readonly expiry?: boolean
  /** The session that keys name, if not their holder. */
  readonly named?: string
}

/** Sessions have a time to live of 10 s and a lock delay of 5 s. */
function facts(index: number, atS: number, state: State): LockFacts {
  const holds = Object.entries(state.holds ?? {}).map(([key, text]) => {
    const [session = '', fence = ''] = text.split('@')
    return [key, { session, fence: Number(fence) }] as const
  })
  return {
    index,
    atUs: atS * 1e6,
    expiry: state.expiry ?? false,
    sessions: new Map((state.sessions ?? []).map((id) => [id, { ttlMs: 10_000, lockDelayMs: 5_000 }])),
    holds: new Map(holds),
    lockableOf: (key) => lockableIn(state, key),
    counted: () => new Map(Object.entries(state.lockIndexes ?? {})),
    operations: (state.operations ?? []).map((text) => {
      const [verb = '', key = '', session = ''] = text.split(' ')
      return { verb, key, session }
    }),
  }
}

function lockableIn({ holds, lockIndexes, named }: State, key: string): ReturnType<LockFacts['lockableOf']> {
  const session = holds?.[key]?.split('@')[0]
  const lockIndex = lockIndexes?.[key] ?? (session === undefined ? undefined : 1)
  return lockIndex === undefined ? undefined : { lockIndex, session: named ?? session ?? '' }
}

describe('what a command did to locks', () => {
  /** Whether the command of index 5 counts if it was the last to change these tables, and others changed before it. */
  function counts(last: readonly { readonly name: string }[], before: readonly { readonly name: string }[]): boolean {
    const lastChange = ({ name }: { readonly name: string }): number => {
      if (last.some((table) => table.name === name)) return 5
      return before.some((table) => table.name === name) ? 4 : 0
    }
    const tx = { lastChange, all: () => [] } as unknown as ReadTransaction
    return lockFactsOf(tx, { index: 5, atUs: 0, expiry: false, operations: [] }) !== undefined
  }

  it('is read where it changed sessions or locks, or a key once there was a lock', () => {
    expect(counts([sessionsTable], [])).toBe(true)
    expect(counts([kvTable, holdsTable], [sessionsTable])).toBe(true)
    expect(counts([kvTable], [sessionsTable, holdsTable])).toBe(true)
    expect(counts([kvTable], [sessionsTable])).toBe(false)
    expect(counts([], [sessionsTable, kvTable, holdsTable])).toBe(false)
  })
})

describe('S1, mutual exclusion', () => {
  function checked(...trace: readonly LockFacts[]): readonly string[] {
    const reports = recorder()
    const checker = new LockHolders(reports.judge)
    for (const command of trace) checker.command(command)
    return reports.lines
  }

  it('lets a lock go from hand to hand by releases', () => {
    expect(
      checked(
        facts(5, 1, { sessions: ['a', 'b'], holds: { k: 'a@5' } }),
        facts(6, 2, { sessions: ['a', 'b'] }),
        facts(7, 2, { sessions: ['a', 'b'], holds: { k: 'b@7', other: 'a@7' } }),
      ),
    ).toEqual([])
  })

  it('refuses a holder beside one whose session goes on', () => {
    expect(
      checked(
        facts(5, 1, { sessions: ['a', 'b'], holds: { k: 'a@5' } }),
        facts(6, 2, { sessions: ['a', 'b'], holds: { k: 'b@6' } }),
      ),
    ).toEqual(["S1: entry 6 gave 'k' to session b while session a held it since entry 5"])
  })

  const both = ['a', 'b']
  const heldByA = facts(5, 1, { sessions: both, holds: { k: 'a@5' }, lockIndexes: { k: 1 } })
  const left = (operations: readonly string[], holder?: string) =>
    facts(6, 2, { sessions: both, operations, holds: holder === undefined ? {} : { k: `${holder}@6` } })

  it('lets a transaction free a held key, by its deletion or release, and lock it for another session', () => {
    expect(checked(heldByA, left(['delete k', 'lock k b'], 'b'))).toEqual([])
    expect(checked(heldByA, left(['delete-tree k', 'set k', 'lock k b'], 'b'))).toEqual([])
    expect(checked(heldByA, left(['unlock k a', 'lock k b'], 'b'))).toEqual([])
    expect(checked(heldByA, left(['unlock k a', 'lock k b', 'unlock k b']))).toEqual([])
  })

  it('refuses a transaction that locks a key over the head of its holder', () => {
    expect(checked(heldByA, left(['set k', 'lock k b'], 'b'))).toEqual([
      "S1: the transaction at 6 on 'k' gave it to session b while session a held it",
    ])
    expect(checked(heldByA, left(['unlock k b', 'lock k b'], 'b'))).toEqual([
      "S1: the transaction at 6 on 'k' released it for session b, which did not hold it",
    ])
  })

  it('refuses what a transaction leaves, if its operations lead to another holder', () => {
    expect(checked(heldByA, left(['unlock k a', 'lock k b'], 'a'))).toEqual([
      "S1: after the transaction at 6 session a holds 'k' instead of session b",
    ])
    expect(checked(heldByA, left(['delete k', 'lock k b']))).toEqual([
      "S1: after the transaction at 6 no session holds 'k' instead of session b",
    ])
  })

  it('refuses a lock within the lock delay that a transaction has given up again', () => {
    const ended = facts(6, 10, { sessions: ['b'] })
    const passed = facts(7, 11, { sessions: ['b'], operations: ['lock k b', 'unlock k b'] })
    expect(checked(heldByA, ended, passed)).toHaveLength(1)
  })

  it('refuses a holder within the lock delay of one that ended, and not after it', () => {
    const held = facts(5, 1, { sessions: ['a', 'b'], holds: { k: 'a@5' } })
    const ended = facts(6, 10, { sessions: ['b'] })
    const again = (atS: number) => facts(7, atS, { sessions: ['b'], holds: { k: 'b@7' } })
    expect(checked(held, ended, again(14))).toEqual([
      "S1: entry 7 gave 'k' to session b 0.700 s before the lock delay of a was over",
    ])
    expect(checked(held, ended, again(15))).toEqual([])
  })

  it('refuses a key that names another session than the one that holds it, or none', () => {
    const named = (session: string) => facts(5, 1, { sessions: both, holds: { k: 'a@5' }, named: session })
    expect(checked(named('b'))).toEqual(["S1: 'k' names session b after entry 5, and session a holds it"])
    expect(checked(named(''))).toEqual(["S1: 'k' names no session after entry 5, and session a holds it"])
  })

  it('refuses a holder that has ended', () => {
    expect(checked(facts(5, 1, { holds: { k: 'a@5' } }))).toEqual([
      "S1: 'k' is held by session a, which has ended (entry 5)",
    ])
  })

  it('refuses an answer about a lock that was never held so', () => {
    const reports = recorder()
    const checker = new LockHolders(reports.judge)
    checker.command(facts(5, 1, { sessions: ['a'], holds: { k: 'a@5' } }))
    checker.answered('k', 'a', 5)
    expect(reports.lines).toEqual([])
    checker.answered('k', 'a', 4)
    checker.answered('k', 'b', 5)
    checker.answered('other', 'a', 5)
    expect(reports.lines).toHaveLength(3)
    expect(reports.lines[0]).toBe("S1: session a was told that it holds 'k' with fencing number 4, which it never did")
  })
})

describe('S2, how long sessions live', () => {
  function lives(): { readonly checker: SessionLives; readonly reports: readonly string[] } {
    const reports = recorder()
    const checker = new SessionLives(reports.judge)
    checker.leaderElected(0)
    checker.command(facts(5, 10, { sessions: ['a'] }))
    return { checker, reports: reports.lines }
  }

  it('lets one run out between once and twice its time to live', () => {
    for (const atS of [20, 30, 44]) {
      const { checker, reports } = lives()
      checker.command(facts(6, atS, { expiry: true }))
      expect(reports).toEqual([])
    }
  })

  it('refuses one that runs out before its time to live, from its creation or a renewal', () => {
    const early = lives()
    early.checker.command(facts(6, 19, { expiry: true }))
    expect(early.reports).toEqual(['S2: session a expired 9.000 s after a renewal, although its TTL is 10.000 s'])
    const renewed = lives()
    renewed.checker.renewed('a', 18e6, 19e6)
    renewed.checker.command(facts(6, 25, { expiry: true }))
    expect(renewed.reports).toHaveLength(1)
  })

  it('refuses one that ran out although a renewal before was answered afterwards', () => {
    const { checker, reports } = lives()
    checker.command(facts(6, 30, { expiry: true }))
    expect(reports).toEqual([])
    checker.renewed('a', 29e6, 31e6)
    expect(reports).toEqual(['S2: session a expired 1.000 s after a renewal, although its TTL is 10.000 s'])
  })

  it('lets one end early that was destroyed, or whose check failed', () => {
    const { checker, reports } = lives()
    checker.command(facts(6, 11, {}))
    expect(reports).toEqual([])
  })

  it('refuses one that lives on, from its renewal or the beginning of its leader, whichever is later', () => {
    const { checker, reports } = lives()
    checker.finish(46e6)
    expect(reports).toEqual([])
    checker.finish(47e6)
    expect(reports).toEqual(['S2: session a still lives 37.000 s after its last renewal, and its TTL is 10.000 s'])
    const renewed = lives()
    renewed.checker.renewed('a', 20e6, 21e6)
    renewed.checker.attempted('a', 25e6)
    renewed.checker.leaderElected(30e6)
    renewed.checker.command(facts(6, 66, { expiry: true }))
    expect(renewed.reports).toEqual([])
    const late = lives()
    late.checker.leaderElected(30e6)
    late.checker.command(facts(6, 70, { expiry: true }))
    expect(late.reports).toEqual([
      'S2: session a ended 40.000 s after the last change of leader, and its TTL is 10.000 s',
    ])
  })
})

describe('S3, LockIndex and fencing numbers', () => {
  function checked(...trace: readonly LockFacts[]): readonly string[] {
    const reports = recorder()
    const checker = new LockIndex(reports.judge)
    for (const command of trace) checker.command(command)
    return reports.lines
  }

  const held = facts(5, 1, { holds: { k: 'a@5' }, lockIndexes: { k: 1 } })
  const free = (index: number, lockIndex = 1) => facts(index, 2, { lockIndexes: { k: lockIndex } })

  it('lets it grow by one with each holder, and begin anew when the key was deleted', () => {
    expect(
      checked(
        held,
        facts(6, 1, { holds: { k: 'a@5' }, lockIndexes: { k: 1 } }),
        free(7),
        facts(8, 3, { holds: { k: 'b@8' }, lockIndexes: { k: 2 } }),
        facts(9, 4, {}),
        facts(10, 5, { holds: { k: 'a@10' }, lockIndexes: { k: 1 } }),
      ),
    ).toEqual([])
  })

  it('refuses a plain write that takes it back', () => {
    expect(checked(held, facts(6, 1, { holds: { k: 'a@5' }, lockIndexes: { k: 0 } }))).toEqual([
      "S3: LockIndex of 'k' is 0 after entry 6 instead of 1",
    ])
  })

  it('refuses a new holder that it does not count, and a change without one', () => {
    expect(checked(held, free(6), facts(7, 3, { holds: { k: 'b@7' }, lockIndexes: { k: 1 } }))).toEqual([
      "S3: LockIndex of 'k' is 1 after entry 7 instead of 2",
    ])
    expect(checked(held, free(6, 2))).toEqual(["S3: LockIndex of 'k' is 2 after entry 6 instead of 1"])
  })

  it('counts every holder that a key has within a transaction', () => {
    const twice = (lockIndex: number) =>
      facts(6, 2, { operations: ['unlock k a', 'lock k b', 'unlock k b'], lockIndexes: { k: lockIndex } })
    expect(checked(held, twice(2))).toEqual([])
    expect(checked(held, twice(1))).toEqual(["S3: LockIndex of 'k' is 1 after entry 6 instead of 2"])
    const first = facts(4, 1, { operations: ['lock k a', 'unlock k a'], lockIndexes: { k: 1 } })
    const next = facts(5, 1, { holds: { k: 'b@5' }, lockIndexes: { k: 2 } })
    expect(checked(first, next)).toEqual([])
  })

  it('lets a transaction make a key anew, which counts from the beginning', () => {
    const anew = (lockIndex: number) =>
      facts(6, 2, { operations: ['delete k', 'set k', 'lock k b'], holds: { k: 'b@6' }, lockIndexes: { k: lockIndex } })
    expect(checked(held, anew(1))).toEqual([])
    expect(checked(held, anew(2))).toHaveLength(1)
  })

  it('counts on from what a restored state has, held or not', () => {
    const reports = recorder()
    const checker = new LockIndex(reports.judge)
    checker.replaced(facts(5, 1, { lockIndexes: { k: 3 } }))
    checker.command(facts(6, 2, { holds: { k: 'a@6' }, lockIndexes: { k: 4 } }))
    expect(reports.lines).toEqual([])
  })

  it('refuses a fencing number that is not the index, or not greater than those before', () => {
    expect(checked(facts(5, 1, { holds: { k: 'a@4' }, lockIndexes: { k: 1 } }))).toEqual([
      "S3: 'k' changed hands by entry 5, with fencing number 4",
    ])
    const older = facts(7, 3, { holds: { k: 'b@5' }, lockIndexes: { k: 2 } })
    expect(checked(held, free(6), older)).toContain("S3: 'k' has fencing number 5 after 5")
  })
})
