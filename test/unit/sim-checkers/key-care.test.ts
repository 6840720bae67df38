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

/** K5, with commands at indexes and at times in seconds. */
function world(minor = 4) {
  const { judge, lines, counts } = recorder()
  let atS = 0
  const checker = new KeysCaredFor({ ...judge, nowUs: () => atS * 1e6 })
  checker.configured({ major: minor === 4 ? 1 : 0, minor, patch: 0 }, care)
  const carried = (index: number, seconds: number, rows: Rows, kind = 'kv.delete', through = 0): void => {
    atS = seconds
    const named: Readonly<Record<string, readonly number[]>> = {
      'kv-tombstones': rows.tombstones ?? [],
      'kv-lock-delays': rows.delays ?? [],
    }
    const of = ({ name }: { readonly name: string }): readonly number[] => named[name] ?? []
    const tx = {
      lastChange: (table: { readonly name: string }) => of(table).at(-1) ?? 0,
      count: (table: { readonly name: string }) => of(table).length,
      inIndexOrder: (table: { readonly name: string }) => of(table).map((at) => ({ index: at })),
    }
    const command = { kind, body: { through, limit: 9 }, identity: undefined }
    checker.tookEffect({ node: 's1', command, index, outcome: 1, tx } as unknown as Facts['command took effect'])
  }
  return { checker, carried, lines, counts }
}

describe('K5', () => {
  it('takes tombstones that are reaped in their time, and lock delays that are forgotten', () => {
    const { carried, lines } = world()
    carried(5, 1, { tombstones: [5], delays: [5] })
    carried(6, 2.5, { tombstones: [5] }, kvForgetLockDelays.kind, 5)
    carried(7, 3.2, {}, kvReapTombstones.kind, 5)
    expect(lines).toEqual([])
  })

  it('is broken by a tombstone that goes too early', () => {
    const { carried, lines } = world()
    carried(5, 1, { tombstones: [5] })
    carried(6, 2, {}, kvReapTombstones.kind, 5)
    expect(lines).toEqual(['K5: tombstones of index 5 were reaped after 1.000 s, before the minimum of 2.000 s'])
  })

  it.each(['tombstones', 'delays'] as const)(
    'is broken once by %s that stay, counted from a change of leader',
    (kind) => {
      const { checker, carried, lines } = world()
      carried(5, 1, { [kind]: [5] })
      checker.leaderBegan(10e6)
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
})
