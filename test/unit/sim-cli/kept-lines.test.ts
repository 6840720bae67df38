import { describe, expect, it } from 'vitest'
import { KeptLines } from '../../../sim/cli/trace/kept-lines.ts'
import { threadCpuMs } from '../../tools/turn-cpu.ts'

const text = 'x'.repeat(100)

describe('the lines that a trace keeps for the words of causes', () => {
  it('are the last ones, of half the bound at least and of the bound at most', () => {
    const kept = new KeptLines(2_000)
    for (let n = 1; n <= 55; n++) {
      kept.add({ n, t: n, text })
      const known = Array.from({ length: n }, (_, at) => at + 1).filter((each) => kept.get(each) !== undefined)
      expect(known.length).toBeLessThanOrEqual(20)
      expect(known).toEqual(Array.from({ length: known.length }, (_, at) => n - known.length + 1 + at))
      expect(known.length).toBeGreaterThanOrEqual(Math.min(n, 10))
    }
  })

  it('cost the same each, however many are kept', () => {
    // Half a million lines: with one generation each of them looked at those that had been forgotten before.
    const kept = new KeptLines(12_000_000)
    const beforeMs = threadCpuMs()
    for (let n = 1; n <= 500_000; n++) kept.add({ n, t: n, text })
    expect(threadCpuMs() - beforeMs).toBeLessThan(2_000)
  })
})
