import { expect, it } from 'vitest'
import { base64, fromBase64 } from '../../../src/base/bytes.ts'
import { fc } from '../../fast-check.ts'

it('writes base64 as the platform does, and reads it back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(base64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
      expect(fromBase64(base64(bytes))).toEqual(bytes)
    }),
  )
})
