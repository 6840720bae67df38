import { describe, expect, it } from 'vitest'
import { sizeText, withProgress } from '../../../src/cli/progress.ts'
import { FakeTerminal } from './fake-terminal.ts'

interface Timer {
  readonly atMs: number
  readonly fire: () => void
}

/** Time that passes only while the work waits for it. */
class Waiting {
  nowMs = 0
  timers: Timer[] = []
  readonly env = {
    clock: { monoMs: () => this.nowMs, wallMs: () => this.nowMs },
    timers: {
      after: (delayMs: number, fire: () => void) => {
        const timer = { atMs: this.nowMs + delayMs, fire }
        this.timers.push(timer)
        const close = (): void => {
          this.timers = this.timers.filter((each) => each !== timer)
        }
        return { close }
      },
    },
  }

  async pass(ms: number): Promise<string> {
    const endMs = this.nowMs + ms
    for (;;) {
      const due = this.timers.find(({ atMs }) => atMs <= endMs)
      if (due === undefined) break
      this.nowMs = due.atMs
      this.timers = this.timers.filter((each) => each !== due)
      due.fire()
    }
    this.nowMs = endMs
    return 'done'
  }
}

describe('progress', () => {
  const run = async (ms: number, isTerminal: boolean) => {
    const waiting = new Waiting()
    const terminal = Object.assign(new FakeTerminal(), { errorInteractive: isTerminal })
    const result = await withProgress({ env: waiting.env, terminal }, 'Restoring', () => waiting.pass(ms))
    return { result, left: waiting.timers.length, ...terminal }
  }

  it('counts the seconds of long work in one line of a terminal, which it clears at the end', async () => {
    const { result, left, complained, written } = await run(2_100, true)
    expect([result, left, written]).toEqual(['done', 0, ''])
    const shown = complained.split('\r\u001b[K')
    expect([shown[0], shown.at(-1)]).toEqual(['', ''])
    expect(new Set(shown.slice(1, -1))).toEqual(new Set([0, 1, 2].map((seconds) => `Restoring: ${seconds} s`)))
  })

  it('names the bytes that are done, where the work tells them', async () => {
    const waiting = new Waiting()
    const terminal = Object.assign(new FakeTerminal(), { errorInteractive: true })
    await withProgress({ env: waiting.env, terminal }, 'Reading', async (told) => {
      await waiting.pass(300)
      told(2048)
      await waiting.pass(900)
      told(3 << 20)
      return waiting.pass(200)
    })
    const shown = new Set(terminal.complained.split('\r\u001b[K').filter((text) => text !== ''))
    expect([...shown]).toEqual(['Reading: 0 s', 'Reading: 2 KiB, 0 s', 'Reading: 2 KiB, 1 s', 'Reading: 3.0 MiB, 1 s'])
  })

  it('shows nothing of short work, and nothing where standard error is no terminal', async () => {
    expect(await run(200, true)).toMatchObject({ complained: '', left: 0 })
    expect(await run(5_000, false)).toMatchObject({ result: 'done', complained: '', left: 0 })
  })

  it('writes sizes as people read them', () => {
    expect([sizeText(1), sizeText(2048), sizeText(12.34 * (1 << 20))]).toEqual(['1 KiB', '2 KiB', '12.3 MiB'])
  })
})
