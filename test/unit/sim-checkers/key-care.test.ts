import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../sim/checkers/facts.ts'
import { KeysCaredFor } from '../../../sim/checkers/keys/key-care.ts'
import { kvForgetLockDelays, kvReapTombstones } from '../../../src/features/kv/commands.ts'
import { keyCare } from '../../../src/model/limits.ts'
import { recorder } from './reports.ts'

const care = {
  ...keyCare,
  tombstoneTtlMs: 2_000,
  tombstoneGranularityMs: 400,
  lockDelayMaxMs: 1_000,
  forgetEveryMs: 500,
}

/** What is in a table after a command, by its name: indexes of rows, the oldest first. */
interface Rows {
  readonly tombstones?: readonly number[]
  readonly delays?: readonly number[]
}

/** A command that removes rows: up to which index, how many at most, and how many it says that it has removed. */
interface Removing {
  readonly kind: string
  readonly through: number
  readonly limit?: number
  readonly told?: number
}

/** Of the rows in a table, whether the index by age has them. */
interface State {
  readonly named: Readonly<Record<string, readonly number[]>>
  readonly isIndexed: boolean
  /** The index of the last command that changed each table. */
  readonly changed: Readonly<Record<string, number>>
  readonly floor: number
}

function stateOf({ named, isIndexed, changed, floor }: State) {
  const of = ({ name }: { readonly name: string }): readonly number[] => named[name] ?? []
  const rowsOf = (table: { readonly name: string }) =>
    of(table).map((index) => ({ key: `key-${index}`, index, delayMs: 800 }))
  return {
    lastChange: ({ name }: { readonly name: string }) => (name === 'kv-reaped' ? floor : (changed[name] ?? 0)),
    count: (table: { readonly name: string }) => of(table).length,
    inIndexOrder: (table: { readonly name: string }) => (isIndexed ? rowsOf(table) : []),
    all: rowsOf,
  }
}

/** K5, with commands at indexes and at times in seconds. `contactS`: since when nothing has disturbed the leader. */
function world(minor = 4, contactS?: number) {
  const { judge, lines, counts } = recorder()
  let atS = 0
  const checker = new KeysCaredFor({
    ...judge,
    nowUs: () => atS * 1e6,
    network: { rttMs: 6, rttMaxMs: 10, loss: 0 },
    disk: { syncMaxMs: 5 },
    contactSinceUs: () => (contactS === undefined ? undefined : contactS * 1e6),
  })
  checker.configured({ major: minor === 4 ? 1 : 0, minor, patch: 0 }, care)
  let before: Readonly<Record<string, readonly number[]>> = {}
  let changed: Readonly<Record<string, number>> = {}
  let isIndexed = true
  const carried = (index: number, seconds: number, rows: Rows, removing?: Removing, floor = 0): void => {
    atS = seconds
    const named = { 'kv-tombstones': rows.tombstones ?? [], 'kv-lock-delays': rows.delays ?? [] }
    const isOther = (name: string, now: readonly number[]) => now.join() !== (before[name] ?? []).join()
    const others = Object.entries(named).filter(([name, now]) => isOther(name, now))
    changed = { ...changed, ...Object.fromEntries(others.map(([name]) => [name, index])) }
    before = named
    const { kind = 'kv.delete', through = 0, limit = 9, told = 1 } = removing ?? {}
    const command = { kind, body: { through, limit }, identity: undefined }
    const tx = stateOf({ named, isIndexed, changed, floor })
    checker.tookEffect({ node: 's1', command, index, outcome: told, tx } as unknown as Facts['command took effect'])
  }
  const losesIndex = (): void => {
    isIndexed = false
  }
  return { checker, carried, losesIndex, lines, counts }
}

const reaps = (through: number, more: Partial<Removing> = {}): Removing => ({
  kind: kvReapTombstones.kind,
  through,
  ...more,
})
const forgets = (through: number, more: Partial<Removing> = {}): Removing => ({
  kind: kvForgetLockDelays.kind,
  through,
  ...more,
})

describe('K5', () => {
  it('takes tombstones that are reaped in their time, and lock delays that are forgotten', () => {
    const { carried, lines } = world()
    carried(5, 1, { tombstones: [5], delays: [5] })
    carried(6, 2.5, { tombstones: [5] }, forgets(5))
    carried(7, 3.2, {}, reaps(5), 5)
    expect(lines).toEqual([])
  })

  it('is broken by a tombstone that goes too early', () => {
    const { carried, lines } = world()
    carried(5, 1, { tombstones: [5] })
    carried(6, 2, {}, reaps(5), 5)
    expect(lines).toEqual(['K5: tombstones of index 5 were reaped after 1.000 s, before the minimum of 2.000 s'])
  })

  it.each(['tombstones', 'delays'] as const)(
    'is broken once by %s that stay, counted from a change of leader',
    (kind) => {
      const { checker, carried, lines } = world()
      carried(5, 1, { [kind]: [5] })
      checker.leaderBegan('s1', 10e6)
      carried(6, 16, { [kind]: [5] })
      expect(lines).toEqual([])
      carried(7, 20, { [kind]: [5] })
      carried(8, 21, { [kind]: [5] })
      expect(lines.map((line) => line.replace(/[\d.]+ s/, '… s'))).toEqual([
        `K5: 1 rows of kv-${kind === 'delays' ? 'lock-delays' : kind}, the oldest of index 5, should have been removed … s ago, time for a new leader included`,
      ])
    },
  )

  it('looks the oldest row up anew once what the log did was lost and another command has its index', () => {
    const { checker, carried, lines } = world()
    carried(5, 1, { tombstones: [3, 5] })
    checker.lost()
    carried(5, 1, { tombstones: [5] })
    carried(6, 12, { tombstones: [5] })
    expect(lines.map((line) => line.replace(/[\d.]+ s/, '… s'))).toEqual([
      'K5: 1 rows of kv-tombstones, the oldest of index 5, should have been removed … s ago, time for a new leader included',
    ])
  })

  it('counts rows of a restored state from the restore, and asks nothing of releases that keep them', () => {
    const restored = world()
    restored.carried(5, 1, { tombstones: [5] })
    restored.carried(6, 10, {})
    restored.checker.restored()
    restored.carried(7, 14, { tombstones: [5] })
    expect([restored.lines, restored.counts().at(-1)]).toEqual([[], 'K5 excused: restored 1'])
    const old = world(3)
    old.carried(5, 1, { tombstones: [5] })
    old.carried(6, 99, { tombstones: [5] })
    expect([old.lines, old.counts()]).toEqual([[], ['K5 excused: older releases 2']])
  })

  it('expects rows to go sooner from a leader that nothing has disturbed since they came', () => {
    const [calm, disturbed, late] = [world(4, 0), world(), world(4, 2)]
    for (const { carried } of [calm, disturbed, late]) {
      carried(5, 1, { tombstones: [5] })
      carried(6, 6, { tombstones: [5] })
    }
    expect(calm.lines).toHaveLength(1)
    expect([disturbed.lines, late.lines]).toEqual([[], []])
  })

  it('finds rows that are missing from the index by age', () => {
    const { carried, losesIndex, lines } = world()
    losesIndex()
    carried(5, 1, { delays: [4, 5] })
    carried(6, 20, { delays: [4, 5] })
    expect(lines).toEqual([expect.stringContaining('2 rows of kv-lock-delays, the oldest of index 4')])
  })

  it.each<[string, Rows, Removing, string]>([
    ['more than its limit', {}, reaps(5, { limit: 2, told: 3 }), 'has removed 3 rows, and its limit is 2'],
    ['more than it says', {}, reaps(5, { told: 2 }), 'says that it has removed 2 rows, and 3 have gone'],
    [
      'less than it may',
      { tombstones: [4, 5] },
      reaps(5, { limit: 2 }),
      'has removed 1 of 2 rows up to 5, and left the row of index 4',
    ],
    [
      'a row that came later',
      { tombstones: [4] },
      reaps(3, { limit: 2, told: 2 }),
      'has removed the row of index 5, and may remove those up to 3',
    ],
  ])('is broken by a command that reaps %s', (_what, left, removing, says) => {
    const { carried, lines } = world()
    for (const index of [3, 4, 5]) carried(index, index / 10, { tombstones: [3, 4, 5].filter((at) => at <= index) })
    const gone = [3, 4, 5].filter((at) => left.tombstones?.includes(at) !== true)
    carried(9, 4, left, removing, gone.at(-1) ?? 0)
    expect(lines).toEqual([`K5: kv.reap-tombstones at 9 ${says}`])
  })

  it('is broken by a lock delay that is forgotten before it is over, or although it came later', () => {
    const early = world()
    early.carried(5, 1, { delays: [5] })
    early.carried(6, 1.5, {}, forgets(5))
    expect(early.lines).toEqual([
      "K5: kv.forget-lock-delays at 6 has forgotten the lock delay of 'key-5' of index 5 after 500 ms of 800 ms",
    ])
    const later = world()
    later.carried(5, 1, { delays: [5] })
    later.carried(6, 1, { delays: [5, 6] })
    later.carried(7, 3, { delays: [5] }, forgets(5))
    expect(later.lines).toEqual([
      'K5: kv.forget-lock-delays at 7 has removed 1 of 9 rows up to 5, and left the row of index 5',
      "K5: kv.forget-lock-delays at 7 has forgotten the lock delay of 'key-6' of index 6, and may forget those up to 5",
    ])
  })

  it('compares nothing with a state that a restore or a lost log has replaced', () => {
    const { checker, carried, lines } = world()
    carried(5, 1, { delays: [5] })
    checker.restored()
    carried(6, 2, {}, forgets(5, { told: 0 }))
    carried(7, 2, { tombstones: [7] })
    checker.lost()
    carried(8, 5, {}, reaps(6, { told: 0 }))
    expect(lines).toEqual([])
  })
})
