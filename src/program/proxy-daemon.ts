import { textOf } from '../base/bytes.ts'
import type { Env } from '../env/env.ts'

/** A process that has run for this long counts as healthy: when it ends, it is restarted as if for the first time. */
const healthyMs = 10_000
/** After the process has ended, the pause before a restart doubles from the minimum to the maximum. */
const pauseMinMs = 500
const pauseMaxMs = 60_000
/** Time between the request to end and the kill: `svc connect proxy` gives its connections five seconds. */
const graceMs = 7_000
const outputBytesMax = 4 << 10
const lineLengthMax = 500

export interface DaemonPlan {
  readonly id: string
  readonly argv: readonly [string, ...string[]]
  readonly environment: ReadonlyMap<string, string>
}

/** The process of one proxy. It is restarted whenever it ends, until the proxy is stopped. */
export class ProxyDaemon {
  readonly #env: Env
  readonly #plan: DaemonPlan
  readonly #unwanted
  readonly #over: Promise<void>
  #stopped = false
  #wake: () => void = () => undefined

  constructor(env: Env, plan: DaemonPlan) {
    this.#env = env
    this.#plan = plan
    this.#unwanted = env.deferred<void>()
    this.#over = this.#run()
    env.detach(this.#over)
  }

  /** Asks the process to end, and kills it if it does not. Settles when it has ended. */
  stop(): Promise<void> {
    this.#stopped = true
    this.#unwanted.resolve()
    this.#wake()
    return this.#over
  }

  async #run(): Promise<void> {
    let failures = 0
    while (!this.#stopped) {
      const startedMs = this.#env.clock.monoMs()
      const why = await this.#once()
      if (this.#stopped) return
      failures = this.#env.clock.monoMs() - startedMs >= healthyMs ? 0 : failures + 1
      const pauseMs = Math.min(pauseMaxMs, pauseMinMs << Math.min(failures, 16))
      this.#env.metrics.count('proxy.managed.ended')
      const fields = { id: this.#plan.id, why, againMs: pauseMs }
      this.#env.log.write('warn', 'agent', 'A managed proxy has ended, and is restarted', fields)
      await this.#pause(pauseMs)
    }
  }

  /** Runs the process once; returns why it has ended. */
  async #once(): Promise<string> {
    const { id, argv, environment } = this.#plan
    this.#env.log.write('info', 'agent', 'A managed proxy is started', { id, program: argv[0] })
    const ran = await this.#env.processes.run(argv, {
      timeoutMs: Number.POSITIVE_INFINITY,
      outputBytesMax,
      environment,
      until: this.#unwanted.promise,
      graceMs,
      tether: true,
      onOutput: (piece) => this.#said(piece),
    })
    if (!ran.ok) return `${ran.error.program}: ${ran.error.message}`
    const last = textOf(ran.value.output).trim().slice(-lineLengthMax)
    return last === '' ? `exit status ${ran.value.exit}` : `exit status ${ran.value.exit}: ${last}`
  }

  #said(piece: Uint8Array): void {
    if (!this.#env.log.enabled('debug')) return
    const lines = textOf(piece).split('\n')
    for (const line of lines) {
      if (line === '') continue
      this.#env.log.write('debug', 'agent', 'output of a managed proxy', {
        id: this.#plan.id,
        line: line.slice(0, lineLengthMax),
      })
    }
  }

  async #pause(ms: number): Promise<void> {
    const over = this.#env.deferred<void>()
    const timer = this.#env.timers.after(ms, () => over.resolve())
    this.#wake = () => over.resolve()
    if (this.#stopped) over.resolve()
    await over.promise
    timer.close()
  }
}
