import { describe, expect, it } from 'vitest'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { type EndingAgent, untilEnded } from '../../../src/cli/running/agent-end.ts'
import type { Closable } from '../../../src/env/async.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Signal } from '../../../src/env/terminal.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const server = { leaveOnTerminate: false, skipLeaveOnInterrupt: true }
const client = { leaveOnTerminate: true, skipLeaveOnInterrupt: false }

/** An agent whose leaving and reloading end when the test says so, with timers that run when the test says so. */
class Stage {
  readonly terminal = new FakeTerminal()
  readonly lines: string[] = []
  readonly done: string[] = []
  readonly #timers = new Set<{ ms: number; use: () => void }>()
  readonly #settle: ((result: Result<undefined, Failure>) => void)[] = []
  #left: () => void = () => undefined
  #fatal: (failure: Error) => void = () => undefined
  readonly code: Promise<number>

  constructor(rules: { leaveOnTerminate: boolean; skipLeaveOnInterrupt: boolean }, reloadsFirst = false) {
    const env = {
      log: { write: (_level: string, _part: string, message: string) => this.lines.push(message) },
      timers: { after: (ms: number, use: () => void) => this.#after(ms, use) },
      deferred: () => host.deferred(),
      detach: () => undefined,
    } as unknown as Env
    const pending = (what: string) => () => {
      this.done.push(what)
      return new Promise<Result<undefined, Failure>>((resolve) => this.#settle.push(resolve))
    }
    const agent: EndingAgent = {
      leave: pending('leave'),
      reload: pending('reload'),
      onFatal: (use) => {
        this.#fatal = use
      },
      onLeft: (use) => {
        this.#left = use
      },
    }
    const stop = async (): Promise<void> => void this.done.push('stop')
    this.code = untilEnded(env, this.terminal, rules, agent, stop, reloadsFirst)
  }

  signal(signal: Signal): void {
    this.terminal.signal(signal)
  }

  /** What `leave` or `reload` was waited for is over. */
  async settle(result: Result<undefined, Failure> = ok(undefined)): Promise<void> {
    this.#settle.shift()?.(result)
    await new Promise((resolve) => setImmediate(resolve))
  }

  left(): void {
    this.#left()
  }

  fatal(failure: Error): void {
    this.#fatal(failure)
  }

  elapse(ms: number): void {
    const timers = [...this.#timers]
    this.#timers.clear()
    for (const timer of timers) if (timer.ms <= ms) timer.use()
  }

  get timers(): number {
    return this.#timers.size
  }

  #after(ms: number, use: () => void): Closable {
    const timer = { ms, use }
    this.#timers.add(timer)
    return { close: () => void this.#timers.delete(timer) }
  }
}

describe('a running agent', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '[AGT-023 AGT-024] of a server stops without leaving on %s, with code 1',
    async (signal) => {
      const stage = new Stage(server)
      stage.signal(signal)
      expect(await stage.code).toBe(1)
      expect(stage.done).toEqual(['stop'])
      expect(stage.lines).toContain('Graceful shutdown disabled. Exiting')
      expect(stage.lines.at(-1)).toBe('Exit code: 1')
    },
  )

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '[AGT-023 AGT-024] of a client leaves and then stops on %s, with code 0',
    async (signal) => {
      const stage = new Stage(client)
      stage.signal(signal)
      expect(stage.done).toEqual(['leave'])
      stage.left()
      await stage.settle()
      stage.elapse(1_000)
      expect(await stage.code).toBe(0)
      expect(stage.done).toEqual(['leave', 'stop'])
      expect(stage.lines).toEqual([
        `Caught signal:  ${signal === 'SIGINT' ? 'interrupt' : 'terminated'}`,
        'Gracefully shutting down agent...',
        'Graceful exit completed',
        'Exit code: 0',
      ])
    },
  )

  it.each([
    ['stops', server],
    ['leaves and stops', client],
  ] as const)('that %s leaves no limit of time behind', async (_, rules) => {
    const stage = new Stage(rules)
    stage.signal('SIGTERM')
    expect(stage.timers).toBe(1)
    if (rules === client) {
      stage.left()
      stage.elapse(1_000)
    }
    await stage.code
    expect([stage.done.at(-1), stage.timers]).toEqual(['stop', 0])
  })

  it('[AGT-025] follows each of the two options, whatever it is', async () => {
    const leaves = new Stage({ leaveOnTerminate: true, skipLeaveOnInterrupt: true })
    leaves.signal('SIGTERM')
    expect(leaves.done).toEqual(['leave'])
    const stops = new Stage({ leaveOnTerminate: false, skipLeaveOnInterrupt: false })
    stops.signal('SIGTERM')
    expect(await stops.code).toBe(1)
    const skips = new Stage({ leaveOnTerminate: true, skipLeaveOnInterrupt: true })
    skips.signal('SIGINT')
    expect(await skips.code).toBe(1)
    expect(skips.done).toEqual(['stop'])
    const interrupted = new Stage({ leaveOnTerminate: false, skipLeaveOnInterrupt: false })
    interrupted.signal('SIGINT')
    expect(interrupted.done).toEqual(['leave'])
  })

  it('is cut short by a second signal, and by the limit of time', async () => {
    const impatient = new Stage(client)
    impatient.signal('SIGINT')
    impatient.signal('SIGINT')
    expect(await impatient.code).toBe(1)
    expect(impatient.lines).toContain('Caught second signal: interrupt. Exiting')
    const late = new Stage(client)
    late.signal('SIGTERM')
    late.elapse(15_000)
    expect(await late.code).toBe(1)
    expect(late.lines).toContain('Timeout on graceful leave. Exiting')
  })

  it('that was told to leave by another client ends by itself with code 0, also as a server, after its last answers', async () => {
    const stage = new Stage(server)
    stage.left()
    expect(stage.done).toEqual([])
    stage.elapse(100)
    expect(await stage.code).toBe(0)
  })

  it('that could not leave says why and ends with code 1', async () => {
    const stage = new Stage(client)
    stage.signal('SIGINT')
    await stage.settle(err({ kind: 'no-leader' }))
    expect(await stage.code).toBe(1)
    expect(stage.lines).toContain('Error on leave: No cluster leader')
  })

  it('that meets something it must not live with ends with code 1', async () => {
    const stage = new Stage(client)
    stage.fatal(new Error('the disk is gone'))
    expect(await stage.code).toBe(1)
    expect(stage.lines[0]).toBe('stopping: the disk is gone')
  })

  it('reloads at once if a hangup came before it ran', () => {
    expect([new Stage(server, true).done, new Stage(server).done]).toEqual([['reload'], []])
  })

  it('reloads on a hangup, one at a time, and once more for all that came meanwhile', async () => {
    const stage = new Stage(client)
    for (const _ of [1, 2, 3]) stage.signal('SIGHUP')
    expect(stage.done).toEqual(['reload'])
    await stage.settle(err({ kind: 'refused', message: 'a.json:1:1: bad' }))
    expect(stage.lines).toContain('Reload config failed: a.json:1:1: bad')
    expect(stage.done).toEqual(['reload', 'reload'])
    await stage.settle()
    expect(stage.done).toEqual(['reload', 'reload'])
    expect(stage.lines.filter((line) => line === 'Caught signal:  hangup')).toHaveLength(3)
  })
})
