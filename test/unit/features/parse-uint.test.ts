import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseUint } from '../../../src/features/http/read-options.ts'

describe('an unsigned integer of 64 bits in a text', () => {
  it.each([
    ['0', 0n],
    ['42', 42n],
    ['18446744073709551615', 0xffff_ffff_ffff_ffffn],
    ['000000000000000000000000000042', 42n],
    [`${'0'.repeat(100)}`, 0n],
  ])('%s is read', (text, value) => {
    expect(parseUint(text)).toEqual({ ok: true, value })
  })

  it.each(['', '-1', '+1', '1.0', '0x10', ' 1', '１'])("'%s' is not one", (text) => {
    const refused = parseUint(text)
    expect(refused.ok ? '' : refused.error).toMatch(/invalid syntax$/)
  })

  it.each(['18446744073709551616', '99999999999999999999', `1${'0'.repeat(30)}`])('%s is out of range', (text) => {
    const refused = parseUint(text)
    expect(refused.ok ? '' : refused.error).toMatch(/value out of range$/)
  })

  it('is not converted when it is too long to be one: that would take the square of its length', () => {
    const converted = vi.spyOn(globalThis, 'BigInt')
    onTestFinished(() => converted.mockRestore())
    expect(parseUint('42')).toEqual({ ok: true, value: 42n })
    expect(converted).toHaveBeenCalledOnce()
    expect(parseUint('7'.repeat(21)).ok).toBe(false)
    expect(converted).toHaveBeenCalledOnce()
  })
})
