import type { Env } from '../../env/env.ts'

/** Messages to systemd about the state of the agent; see sd_notify(3). */
type Word = 'READY=1' | 'RELOADING=1' | 'STOPPING=1' | 'WATCHDOG=1'

/** systemd's own program for this, since Node has no datagrams over unix sockets. */
const program = 'systemd-notify'

const notifyMaxMs = 10_000
const outputBytesMax = 1_024

/** Maximum number of messages that wait while one is sent: a supervisor that does not listen must not make them grow. */
const waitingMax = 8

/** Minimum time between two signs of life, since each starts a program. */
const signOfLifeMinMs = 1_000

/**
 * Reports to systemd, or to another program that set `NOTIFY_SOCKET`, when the agent is ready, reloads and stops, and
 * that its event loop turns, if `WATCHDOG_USEC` requests that. Without `NOTIFY_SOCKET` it does nothing.
 * Reference: command-line.md#env-shell-docker_host-notify_socket.
 */
export class Supervisor {
  readonly #env: Env
  readonly #listens: boolean
  readonly #signOfLifeMs: number | undefined
  #waiting: Word[] = []
  #sending: Promise<void> | undefined
  #isLost = false

  constructor(env: Env, environment: ReadonlyMap<string, string>) {
    this.#env = env
    this.#listens = (environment.get('NOTIFY_SOCKET') ?? '') !== ''
    const askedUs = Number(environment.get('WATCHDOG_USEC') ?? '')
    // systemd recommends half of the time after which it would restart the service.
    if (askedUs > 0) this.#signOfLifeMs = Math.max(signOfLifeMinMs, askedUs / 2_000)
  }

  ready(): void {
    this.#tell('READY=1')
    if (this.#listens && this.#signOfLifeMs !== undefined) this.#watchFor(this.#signOfLifeMs)
  }

  /** Whatever comes of the reload, the agent is ready again after it. */
  async whileReloading<T>(reload: () => Promise<T>): Promise<T> {
    this.#tell('RELOADING=1')
    try {
      return await reload()
    } finally {
      this.#tell('READY=1')
    }
  }

  /** Settles when the message has been sent: the end of this process would end the program that sends it. */
  async stopping(): Promise<void> {
    this.#tell('STOPPING=1')
    await this.#sending
  }

  #watchFor(intervalMs: number): void {
    this.#env.timers.after(intervalMs, () => {
      this.#tell('WATCHDOG=1')
      this.#watchFor(intervalMs)
    })
  }

  #tell(word: Word): void {
    if (!this.#listens || this.#waiting.length >= waitingMax) return
    this.#waiting.push(word)
    if (this.#sending === undefined) {
      this.#sending = this.#send()
      this.#env.detach(this.#sending)
    }
  }

  async #send(): Promise<void> {
    for (let word = this.#waiting.shift(); word !== undefined; word = this.#waiting.shift()) {
      const sent = await this.#env.processes.run([program, word], { timeoutMs: notifyMaxMs, outputBytesMax })
      const problem = sent.ok ? (sent.value.exit === 0 ? undefined : `exit ${sent.value.exit}`) : sent.error.message
      if (problem !== undefined && !this.#isLost) {
        this.#env.log.write('warn', 'agent', `the supervisor cannot be told ${word} by ${program}: ${problem}`)
      }
      this.#isLost = problem !== undefined
    }
    this.#sending = undefined
  }
}
