import { describe, expect, it } from 'vitest'
import { firstValueBytes, pack } from '../../../src/base/msgpack.ts'

const values: readonly unknown[] = [
  0,
  -1,
  200,
  70_000,
  2n ** 60n,
  1.5,
  null,
  true,
  '',
  'short',
  'x'.repeat(40),
  'x'.repeat(300),
  'x'.repeat(70_000),
  new Uint8Array(0),
  new Uint8Array(300),
  [],
  {},
  [1, [2, [3, {}]], 'end'],
  Array.from({ length: 20 }, (_, at) => ({ at })),
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${at}`, [at]])),
  { Command: 'stats', Seq: 7 },
]

describe('the length of a value at the beginning of bytes', () => {
  it.each(
    values.map((value) => [
      String(JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}` : v))).slice(0, 40),
      value,
    ]),
  )('is known when it is whole, and not before: %s', (_, value) => {
    const bytes = pack(value)
    expect(firstValueBytes(bytes)).toBe(bytes.length)
    expect(firstValueBytes(Uint8Array.from([...bytes, 0xc0, 1]))).toBe(bytes.length)
    const step = Math.max(1, Math.floor(bytes.length / 50))
    for (let cut = 0; cut < bytes.length; cut += step) expect(firstValueBytes(bytes.subarray(0, cut))).toBeUndefined()
    expect(firstValueBytes(bytes.subarray(0, bytes.length - 1))).toBeUndefined()
  })
})
