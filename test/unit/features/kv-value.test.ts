import { describe, expect, it } from 'vitest'
import { packAfter, unpack } from '../../../src/base/msgpack.ts'
import {
  type KvEntry,
  kvEntryJson,
  kvValue,
  packedValue,
  valueBase64,
  valueBytes,
} from '../../../src/features/kv/model.ts'
import { kvTable, packedRow } from '../../../src/features/kv/tables.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { storedBytes } from '../../../src/store/row-codec.ts'
import { RowHasher } from '../../../src/store/row-hash.ts'
import { fc } from '../../fast-check.ts'

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.uint8Array({ maxLength: 40, max: 0x7f }),
  fc.constantFrom(1023, 1024, 1025, 5000).map((length) => new Uint8Array(length).fill(length & 0xff)),
)

function row(value: Uint8Array) {
  const counts = { flags: 7n, lockIndex: 0, createIndex: modifyIndexOf(3), modifyIndex: modifyIndexOf(4) }
  return { key: 'a/b', value: kvValue(value), session: '', ...counts }
}

function hashOf(value: unknown): unknown {
  const hasher = new RowHasher()
  hasher.add(value)
  return hasher.finished()
}

/** Whole arrays are compared element by element, which takes long. */
function spelled(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : 'no bytes'
}

function stored(value: unknown): unknown {
  const { value: bytes } = value as { readonly value: unknown }
  return spelled(bytes)
}

describe('values as rows hold them', () => {
  it('give back the bytes that they were made of', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(spelled(valueBytes(kvValue(bytes)))).toBe(spelled(bytes))
        expect(kvValue(bytes).length).toBe(bytes.length)
        expect(valueBase64(kvValue(bytes))).toBe(Buffer.from(bytes).toString('base64'))
      }),
    )
  })

  it('are byte strings up to 1,024 bytes: an array buffer for each would cost more than they do', () => {
    expect([0, 5, 1024, 1025].map((length) => typeof kvValue(new Uint8Array(length)))).toEqual([
      'string',
      'string',
      'string',
      'object',
    ])
  })

  it('share nothing with what they were made of', () => {
    for (const length of [5, 2000]) {
      const bytes = new Uint8Array(length).fill(65)
      const value = kvValue(bytes)
      bytes.fill(66)
      expect(valueBytes(value)).toEqual(new Uint8Array(length).fill(65))
    }
  })

  it('are packed and hashed as bytes, whichever packer takes them', () => {
    fc.assert(
      fc.property(anyBytes, fc.constantFrom('', 'é'), (bytes, other) => {
        const value = packedValue(kvValue(bytes))
        // What stands in the room before it is the caller's to write: it may be anything until then.
        const packed = [value, bytes].map((each) => spelled(packAfter(3, { other, value: each }).subarray(3)))
        expect(packed[0]).toBe(packed[1])
        expect(hashOf(value)).toEqual(hashOf(bytes))
      }),
    )
  })

  it('stand in snapshots as bytes, and come back from there', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const read = unpack(storedBytes(kvTable, row(bytes)))
        expect(read.ok && stored(read.value)).toBe(spelled(bytes))
        const { value, ...others } = read.ok ? kvTable.decode(read.value) : row(new Uint8Array(0))
        const { value: _, ...wanted } = row(bytes)
        expect(others).toEqual(wanted)
        expect(spelled(valueBytes(value))).toBe(spelled(bytes))
      }),
    )
  })

  it('go to other agents as bytes, and are shown alike by both', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const arrived = unpack(packAfter(0, packedRow(row(bytes))))
        expect(arrived.ok && stored(arrived.value)).toBe(spelled(bytes))
        if (arrived.ok)
          expect(kvEntryJson(arrived.value as KvEntry)).toEqual(
            Object.assign({}, kvEntryJson(row(bytes)), { Flags: 7 }),
          )
      }),
    )
  })
})

describe('a stored key', () => {
  const stored = {
    key: 'a',
    value: new Uint8Array(1),
    flags: 0,
    lockIndex: 0,
    session: '',
    createIndex: 3,
    modifyIndex: 4,
  }

  it.each([
    ['key', 7],
    ['value', 'text'],
    ['flags', -1],
    ['lockIndex', -1],
    ['session', null],
    ['createIndex', -1],
    ['modifyIndex', 1.5],
  ])('is refused if its %s is %j', (member, value) => {
    expect(kvTable.decode(stored)).toMatchObject({ key: 'a', modifyIndex: 4 })
    expect(() => kvTable.decode({ ...stored, [member]: value })).toThrow('a key with members that cannot be')
  })
})
