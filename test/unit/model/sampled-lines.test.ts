import { describe, expect, it } from 'vitest'
import type { Fields, LogLevel, Sampling } from '../../../src/env/observe.ts'
import { SampledLines } from '../../../src/model/sampled-lines.ts'

/** Lines by the second in which they were written. */
function log() {
  const due: (() => void)[] = []
  const written: string[] = []
  let second = 0
  const timers = {
    after: (_delayMs: number, fire: () => void) => {
      due.push(fire)
      return { close: () => undefined }
    },
  }
  const write = (_level: LogLevel, _topic: string, text: string, fields: Fields = {}): void => {
    written.push([second, text, ...Object.entries(fields).map(([key, value]) => `${key}=${value}`)].join(' '))
  }
  const lines = new SampledLines(timers, write)
  const say = (text: string, n: number | string, sampling: Sampling = 'sampled') =>
    lines.write('warn', 'dns', text, { n }, sampling)
  const pass = (seconds = 1): void => {
    for (let i = 0; i < seconds; i++) {
      second++
      for (const fire of due.splice(0)) fire()
    }
  }
  return { say, pass, written, waiting: due }
}

describe('sampled lines', () => {
  it('are one a second for a kind under any flood, the newest, with the number of those left out', () => {
    const { say, pass, written, waiting } = log()
    for (let n = 0; n < 3_500; n++) {
      if (n > 0 && n % 1_000 === 0) pass()
      say('bad name', n)
    }
    pass(5)
    expect(written).toEqual([
      '0 bad name n=0',
      '1 bad name n=999 suppressed=998',
      '2 bad name n=1999 suppressed=999',
      '3 bad name n=2999 suppressed=999',
      '4 bad name n=3499 suppressed=499',
    ])
    expect(waiting).toEqual([])
  })

  it('are written at once where they are rare, without a number', () => {
    const { say, pass, written } = log()
    say('bad name', 1)
    pass()
    say('bad name', 2)
    say('bad name', 3)
    pass(2)
    expect(written).toEqual(['0 bad name n=1', '1 bad name n=2', '2 bad name n=3'])
  })

  it('of other kinds are counted by themselves, and kinds beyond a bound together', () => {
    const { say, pass, written } = log()
    for (let n = 0; n < 1_000; n++) say('denied', n, { by: `token ${n % 500}` })
    expect(written).toHaveLength(257)
    pass()
    expect(written).toHaveLength(257 + 257)
    expect(written.reduce((sum, line) => sum + Number(/suppressed=(\d+)/.exec(line)?.[1] ?? 0) + 1, 0)).toBe(1_000)
    pass(2)
    expect(written).toHaveLength(514)
  })

  it('may come in a burst where every one counts, and no longer than that', () => {
    const { say, pass, written } = log()
    for (let n = 0; n < 100; n++) say('joined', n, { burst: 32 })
    pass(3)
    expect(written).toHaveLength(33)
    expect(written.at(-1)).toBe('1 joined n=99 suppressed=67')
  })

  it('show no more of a text than people read', () => {
    const { say, written } = log()
    say('bad name', 'x'.repeat(60_000))
    expect(written[0]?.length).toBeLessThan(300)
  })
})
