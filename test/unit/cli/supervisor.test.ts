import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../src/base/result.ts'
import { Supervisor } from '../../../src/cli/running/supervisor.ts'
import type { Env } from '../../../src/env/env.ts'

/** Programs that end when the test says so, and timers that run when the test says so. */
class Stage {
  readonly told: string[] = []
  readonly lines: string[] = []
  readonly timers: { readonly ms: number; readonly fire: () => void }[] = []
  #ends: ((exit: number | 'not-found') => void)[] = []

  readonly env = {
    log: { write: (_level: string, _part: string, message: string) => this.lines.push(message) },
    timers: { after: (ms: number, fire: () => void) => this.timers.push({ ms, fire }) },
    detach: () => undefined,
    processes: {
      run: ([program, word]: readonly string[]) => {
        this.told.push(`${program} ${word}`)
        return new Promise((resolve) =>
          this.#ends.push((exit) =>
            resolve(
              exit === 'not-found'
                ? err({ kind: 'not-found', program, message: 'there is no such program' })
                : ok({ exit, output: new Uint8Array(), timedOut: false }),
            ),
          ),
        )
      },
    },
  } as unknown as Env

  supervisor(environment: Readonly<Record<string, string>>): Supervisor {
    return new Supervisor(this.env, new Map(Object.entries(environment)))
  }

  async end(exit: number | 'not-found' = 0): Promise<void> {
    this.#ends.shift()?.(exit)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const listening = { NOTIFY_SOCKET: '/run/systemd/notify' }

describe('a supervisor', () => {
  it('is told when the agent is ready, reloads, and stops, one word after the other', async () => {
    const stage = new Stage()
    const supervisor = stage.supervisor(listening)
    supervisor.ready()
    const reloaded = supervisor.whileReloading(async () => 'reloaded')
    expect(await reloaded).toBe('reloaded')
    let isSaid = false
    void supervisor.stopping().then(() => {
      isSaid = true
    })
    expect(stage.told).toEqual(['systemd-notify READY=1'])
    for (let word = 0; word < 4; word++) {
      expect(isSaid).toBe(false)
      await stage.end()
    }
    expect(isSaid).toBe(true)
    expect(stage.told.map((line) => line.split(' ')[1])).toEqual(['READY=1', 'RELOADING=1', 'READY=1', 'STOPPING=1'])
    expect(stage.timers).toEqual([])
    expect(stage.lines).toEqual([])
  })

  it('is told that the agent is ready even after a reload that failed', async () => {
    const stage = new Stage()
    const supervisor = stage.supervisor(listening)
    await expect(supervisor.whileReloading(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await stage.end()
    expect(stage.told.map((line) => line.split(' ')[1])).toEqual(['RELOADING=1', 'READY=1'])
  })

  it.each([
    ['4000000', 2_000],
    ['500000', 1_000],
  ])('that gives up after %s µs without a sign of life gets one every %s ms', async (askedUs, everyMs) => {
    const stage = new Stage()
    stage.supervisor({ ...listening, WATCHDOG_USEC: askedUs }).ready()
    await stage.end()
    for (let round = 0; round < 3; round++) {
      const due = stage.timers.shift()
      expect([due?.ms, stage.timers]).toEqual([everyMs, []])
      due?.fire()
      await stage.end()
    }
    expect(stage.told.slice(1)).toEqual(Array(3).fill('systemd-notify WATCHDOG=1'))
  })

  it.each([{}, { NOTIFY_SOCKET: '' }, { WATCHDOG_USEC: '4000000' }])(
    'that does not listen is told nothing: %j',
    async (environment) => {
      const stage = new Stage()
      const supervisor = stage.supervisor(environment)
      supervisor.ready()
      await supervisor.stopping()
      expect([stage.told, stage.timers]).toEqual([[], []])
    },
  )

  it('that cannot be told is complained of once, until it can be', async () => {
    const stage = new Stage()
    const supervisor = stage.supervisor(listening)
    const complaint = 'the supervisor cannot be told READY=1 by systemd-notify: there is no such program'
    for (const end of ['not-found', 'not-found', 0, 1] as const) {
      supervisor.ready()
      await stage.end(end)
    }
    expect(stage.lines).toEqual([complaint, 'the supervisor cannot be told READY=1 by systemd-notify: exit 1'])
  })

  it('that does not listen any more makes no queue grow', async () => {
    const stage = new Stage()
    const supervisor = stage.supervisor(listening)
    for (let word = 0; word < 1_000; word++) supervisor.ready()
    for (let word = 0; word < 20; word++) await stage.end()
    expect(stage.told).toHaveLength(9)
  })
})
