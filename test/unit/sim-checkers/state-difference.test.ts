import { describe, expect, it } from 'vitest'
import { stateDifference } from '../../../sim/checkers/raft/state-difference.ts'
import { StateMachineSafety } from '../../../sim/checkers/raft/state-machine-safety.ts'
import { logIndexOf, modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import type { TableDefinition } from '../../../src/store/types.ts'
import { entry, recorder } from './reports.ts'

interface Thing {
  readonly key: string
  readonly value: string
  readonly modifyIndex: number
}

const things: TableDefinition<Thing> = { name: 'things', key: ({ key }) => key, decode: (row) => row as Thing }

/** A store with these things, each written by the command of its place; and a snapshot of it. */
function stateOf(...rows: readonly string[]): Uint8Array {
  const store = new Store([things])
  for (const [at, row] of rows.entries()) {
    const [key = '', value = ''] = row.split('=')
    store.apply(modifyIndexOf(at + 1), (tx) => tx.put(things, { key, value, modifyIndex: at + 1 }))
  }
  const pieces: number[] = []
  const snapshot = store.snapshot()
  for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) pieces.push(...piece)
  return new Uint8Array(pieces)
}

describe('where two states differ', () => {
  it('is nowhere for equal ones, and at the first row otherwise', () => {
    expect(stateDifference(stateOf('a=1', 'b=2'), stateOf('a=1', 'b=2'))).toBeUndefined()
    expect(stateDifference(stateOf('a=1', 'b=2'), stateOf('a=1', 'b=3'))).toBe(
      'table things, row 2: {"key":"b","modifyIndex":2,"value":"2"}, there {"key":"b","modifyIndex":2,"value":"3"}',
    )
    expect(stateDifference(stateOf('a=1'), stateOf('a=1', 'b=3'))).toBe(
      'table things, row 2: none, there {"key":"b","modifyIndex":2,"value":"3"}',
    )
  })

  it('passes over what one of them wrote later', () => {
    expect(stateDifference(stateOf('a=1', 'b=2', 'c=3'), stateOf('a=1', 'b=2'), 2)).toBeUndefined()
    expect(stateDifference(stateOf('a=1', 'b=2', 'c=3'), stateOf('a=1', 'b=x'), 2)).toMatch(/^table things, row 2/)
  })

  it('is in what the table says of itself where the rows are the same', () => {
    const touched = new Store([things])
    touched.apply(modifyIndexOf(1), (tx) => tx.put(things, { key: 'a', value: '1', modifyIndex: 1 }))
    touched.apply(modifyIndexOf(2), (tx) => tx.touch(things))
    const snapshot = touched.snapshot().next() as Uint8Array
    expect(stateDifference(stateOf('a=1'), snapshot)).toMatch(
      /^table things: .*"lastChange":1.*, there .*"lastChange":2/,
    )
  })
})

describe('R5 at rest', () => {
  const rest = (states: Readonly<Record<string, Uint8Array>>, applied: number, committed: number) => {
    const { judge, lines, counts } = recorder()
    const safety = new StateMachineSafety(judge)
    for (const [node, state] of Object.entries(states)) {
      safety.began(node, () => state)
      for (let index = 1; index <= applied; index++) safety.applied(node, entry(index, 1))
    }
    safety.atRest([Object.keys(states)], logIndexOf(committed))
    return { safety, lines, counts }
  }

  it('accepts servers that have applied everything, with equal snapshots', () => {
    const { lines, counts } = rest({ s1: stateOf('a=1'), s2: stateOf('a=1') }, 2, 2)
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R5 5'])
  })

  it('reports what no server has applied, and snapshots that differ', () => {
    expect(rest({ s1: stateOf('a=1') }, 1, 2).lines).toEqual([
      'R5: s1 is at rest, but has reported 1 of 2 committed entries applied',
      'R5: entry 2 of 2 is committed, but no server has reported it applied',
    ])
    expect(rest({ s1: stateOf('a=1'), s2: stateOf('a=2') }, 1, 1).lines).toEqual([
      'R5: snapshots after entry 1 differ, s2 from s1: table things, row 1: ' +
        '{"key":"a","modifyIndex":1,"value":"2"}, there {"key":"a","modifyIndex":1,"value":"1"}',
    ])
  })

  it('names the row by which two digests differ', () => {
    const { safety, lines } = rest({ s1: stateOf('a=1'), s2: stateOf('a=1') }, 1, 1)
    safety.began('s2', () => stateOf('a=2'))
    safety.state('s1', 1, 'x')
    safety.state('s2', 1, 'y')
    expect(lines.at(-1)).toMatch(/^R5: state differs after entry 1: s2 has y, s1 has x: s1 in table things, row 1: /)
  })
})
