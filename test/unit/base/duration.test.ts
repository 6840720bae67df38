import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../../src/base/duration.ts'
import { threadCpuMs } from '../../tools/turn-cpu.ts'

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['10s', 10_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['1.s', 1_000],
    ['.5s', 500],
    ['-5s', -5_000],
    ['+2ms', 2],
    ['1us1µs1ns', 0.002001],
    ['2562047h', 9_223_369_200_000],
    ['-2562047h', -9_223_369_200_000],
  ])('is read from %j', (text, milliseconds) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: milliseconds })
  })

  it.each(['2562048h', '-2562048h', '9223372036855s', `${'9'.repeat(400)}ns`])(
    'is not read from %j, which the field and its clients cannot hold',
    (text) => {
      expect(parseDuration(text)).toEqual({ ok: false, error: 'longer than 292 years' })
    },
  )

  it.each(['', '1', '.s', '1..s', '1.5.s', '10x', '1h 30m', '--1s', '1s-', 's'])('is not read from %j', (text) => {
    expect(parseDuration(text).ok).toBe(false)
  })

  it('is refused in time that grows with the text, however long that is', () => {
    const rows = ['5'.repeat(500_000), '5.'.repeat(250_000), `${'1s'.repeat(250_000)}x`, `${'5'.repeat(500_000)}x`]
    const beforeMs = threadCpuMs()
    expect(rows.map((text) => parseDuration(text).ok)).toEqual([false, false, false, false])
    // The square of the length took minutes for the first alone.
    expect(threadCpuMs() - beforeMs).toBeLessThan(5_000)
  })
})
