import { describe, expect, it } from 'vitest'
import { ReadableState, stateTables } from '../../../sim/checkers/raft/readable-state.ts'
import { concatBytes } from '../../../src/base/bytes.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import type { Row, TableDefinition } from '../../../src/store/types.ts'
import { recorder } from './reports.ts'

interface Named extends Row {
  readonly name: string
  readonly size?: number | undefined
}

function table(decode: (stored: Named) => Row, name = 'things'): TableDefinition<Named> {
  return { name, key: (row) => row.name, decode: (stored) => decode(stored as Named) as Named }
}

function judged(written: TableDefinition<Named>, read: readonly TableDefinition<Named>[]) {
  const { judge, lines, counts } = recorder()
  const store = new Store([written])
  store.apply(modifyIndexOf(1), (tx) => {
    for (const name of ['a', 'b']) tx.put(written, { name, size: 3 })
  })
  const law = new ReadableState(judge, read as readonly TableDefinition<Row>[])
  law.began('s1', () => {
    const writer = store.snapshot()
    const pieces: Uint8Array[] = []
    for (let piece = writer.next(); piece !== undefined; piece = writer.next()) pieces.push(piece)
    return concatBytes(pieces)
  })
  law.began('s2', () => undefined)
  law.began('s3', () => new Uint8Array())
  law.died('s3')
  law.ended()
  return { lines, counts: counts() }
}

const whole = table((row) => row)

describe('D5, the state of a server', () => {
  it('is as it was when it is read back', () => {
    expect(judged(whole, [whole])).toEqual({ lines: [], counts: ['D5 2'] })
  })

  it.each([
    ['loses a member', table(({ name }) => ({ name })), 'row 1 is written otherwise once it is read'],
    [
      'refuses a row',
      table((row) => {
        if (row.name === 'b') throw new Error('b is no name')
        return row
      }),
      'row 2 is refused: b is no name',
    ],
    ['is unknown', table((row) => row, 'others'), 'no release here knows the table'],
    [
      'has another order once it is read',
      { ...whole, key: ({ name }: Named) => (name === 'a' ? 'b' : 'a') },
      'row 2 does not stand behind the row before it',
    ],
  ])('is reported if its table %s', (_, read, what) => {
    const { lines } = judged(whole, [read])
    expect(lines).toEqual([`D5: a snapshot of s1 cannot be read again: table things, ${what}`])
  })

  it('has each table once', () => {
    expect(stateTables.length).toBeGreaterThan(20)
    expect(new Set(stateTables.map(({ name }) => name)).size).toBe(stateTables.length)
  })
})
