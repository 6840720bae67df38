import { describe, expect, it } from 'vitest'
import { concatBytes, SpelledBytes } from '../../../src/base/bytes.ts'
import { crc32c } from '../../../src/base/crc32c.ts'
import { pack } from '../../../src/base/msgpack.ts'
import { headerFrom } from '../../../src/store/restore.ts'
import { RowHasher } from '../../../src/store/row-hash.ts'
import { snapshotFormat } from '../../../src/store/snapshot.ts'
import { SnapshotRecords } from '../../../src/store/snapshot-records.ts'
import { StateRecords } from '../../../src/store/state-records.ts'
import { sample, samples } from './sample-table.ts'

function record(...body: readonly number[]): Uint8Array {
  return Uint8Array.from([0, 0, 0, body.length, ...body])
}

function checksumOf(bytes: Uint8Array): Uint8Array {
  const sum = new Uint8Array(4)
  new DataView(sum.buffer).setUint32(0, crc32c(bytes))
  return sum
}

/** Records of which the one that begins with 9 is refused; `count` of them are expected. */
function reading(count: number): SnapshotRecords {
  let left = count
  return new SnapshotRecords({
    record: (body) => {
      left--
      return body[0] === 9 ? 'a record that is refused' : undefined
    },
    isLast: () => left === 0,
  })
}

describe('the records of a snapshot', () => {
  it('are accepted with their checksum, however they are split', () => {
    const whole = concatBytes([record(1, 2), record(3)])
    const records = reading(2)
    for (const byte of concatBytes([whole, checksumOf(whole)])) {
      expect(records.write(Uint8Array.of(byte))).toMatchObject({ ok: true })
    }
    expect(records.finish()).toMatchObject({ ok: true })
  })

  it('stay refused once one of them was, whatever follows', () => {
    const records = reading(3)
    const refused = { ok: false, error: 'a record that is refused' }
    expect(records.write(record(9))).toEqual(refused)
    expect(records.write(record(1))).toEqual(refused)
    expect(records.finish()).toEqual(refused)
  })

  it('end with their checksum, even if the same four bytes follow it', () => {
    const whole = record(1)
    const records = reading(1)
    const written = records.write(concatBytes([whole, checksumOf(whole), checksumOf(whole)]))
    expect(written).toEqual({ ok: false, error: 'snapshot: bytes after its end' })
  })
})

describe('the header of a snapshot', () => {
  const table = (name: string) => ({ name, rows: 0, lastChange: 1 })
  const read = (...names: readonly string[]): boolean =>
    headerFrom({ format: snapshotFormat, index: 5, tables: names.map(table) }).ok

  it('names each table once, in order', () => {
    expect(read('kv', 'nodes')).toBe(true)
    expect(read('kv', 'kv')).toBe(false)
    expect(read('nodes', 'kv')).toBe(false)
  })
})

describe('the hash of a row', () => {
  const hashOf = (value: unknown): unknown => {
    const hasher = new RowHasher()
    hasher.add(value)
    return hasher.finished()
  }

  it('tells apart numbers that are not whole, and numbers from their texts', () => {
    expect(hashOf({ delay: 0.5 })).not.toEqual(hashOf({ delay: 0.25 }))
    expect(hashOf({ delay: 0.5 })).not.toEqual(hashOf({ delay: '0.5' }))
    expect(hashOf({ delay: 0.5 })).toEqual(hashOf({ delay: 0.5 }))
  })

  it('tells apart lists by their items, and bytes by each, whichever form they have in memory', () => {
    expect(hashOf({ tags: ['a', 'b'] })).not.toEqual(hashOf({ tags: ['a', 'c'] }))
    expect(hashOf([[1], [2]])).not.toEqual(hashOf([[2], [1]]))
    const bytes = Uint8Array.of(1, 200, 0)
    expect(hashOf(bytes)).not.toEqual(hashOf(Uint8Array.of(1, 201, 0)))
    expect(hashOf({ value: bytes })).toEqual(hashOf({ value: new SpelledBytes(String.fromCharCode(...bytes)) }))
  })

  it('tells apart both truths, and each from a list without any', () => {
    expect(hashOf([true])).not.toEqual(hashOf([false]))
    expect(hashOf([1, true])).not.toEqual(hashOf([1, false]))
    expect(hashOf([true, false])).not.toEqual(hashOf([false, true]))
  })
})

it('a row of a snapshot is read from its bytes, if they are one', () => {
  const row = sample('a', 3, 'g', 7)
  expect(StateRecords.row(samples, pack(row))).toEqual(row)
  expect(StateRecords.row(samples, pack({ id: 'a' }))).toBeUndefined()
  expect(StateRecords.row(samples, Uint8Array.of(0xc1))).toBeUndefined()
})
