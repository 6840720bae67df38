import { describe, expect, it } from 'vitest'
import { lengthWithoutZeros } from '../../../src/base/trailing-zeros.ts'
import { fc } from '../../fast-check.ts'

describe('the length without the zeros at the end', () => {
  it('is that of the plain definition, at every place in memory', () => {
    const content = fc.uint8Array({ maxLength: 80 })
    const zeros = fc.nat({ max: 200 })
    fc.assert(
      fc.property(content, zeros, fc.nat({ max: 9 }), (bytes, more, offset) => {
        // Bytes before and behind it that are no zeros must not count.
        const memory = new Uint8Array(offset + bytes.length + more + 9).fill(0xff)
        memory.set(bytes, offset)
        memory.fill(0, offset + bytes.length, offset + bytes.length + more)
        const part = memory.subarray(offset, offset + bytes.length + more)
        expect(lengthWithoutZeros(part)).toBe(part.findLastIndex((byte) => byte !== 0) + 1)
      }),
    )
  })

  it('finds each single byte among zeros', () => {
    const bytes = new Uint8Array(300)
    for (const at of bytes.keys()) {
      bytes[at] = 0x80
      expect(lengthWithoutZeros(bytes)).toBe(at + 1)
      bytes[at] = 0
    }
    expect(lengthWithoutZeros(bytes)).toBe(0)
  })
})
