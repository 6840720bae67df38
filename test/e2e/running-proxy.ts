import { type ChildProcess, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { RealAgent } from './real-agent.ts'

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
const answerWithinMs = 20_000
/** Without it visitors take the cores that proxies and agents need. */
const betweenVisitsMs = 10

/** `svc connect proxy`, in a process of its own. */
export class RunningProxy {
  readonly #child: ChildProcess
  readonly exited: Promise<number | null>
  output = ''

  constructor(agent: RealAgent, flags: readonly string[]) {
    const args = [svc, 'connect', 'proxy', `-http-addr=${agent.address}`, ...flags]
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text
      })
    }
    this.exited = new Promise((resolve) => this.#child.on('close', resolve))
  }

  /** How many leaves it has had. */
  get leaves(): number {
    return this.output.split('There is a new leaf certificate').length - 1
  }

  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<number | null> {
    this.#child.kill(signal)
    return this.exited
  }
}

/** What a service that echoes says to `hello`, or why nothing came. */
export function visit(port: number, host = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect({ host, port, allowHalfOpen: true }, () => socket.end('hello'))
    socket.setTimeout(answerWithinMs, () => socket.destroy(new Error('nothing in time')))
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard += text
    })
    socket.on('error', (cause) => resolve(cause.message))
    socket.on('end', () => resolve(heard === '' ? 'nothing' : heard))
  })
}

export interface Visit {
  readonly beganMs: number
  readonly endedMs: number
  readonly word: string
}

/**
 * Each again a moment after it has been, so that so many are hardly ever not under way; or so many in a second by the
 * clock, however long each takes.
 */
export type Coming = { readonly underWay: number } | { readonly perSecond: number }

/** Clients that visit a service over and over. */
export class Visitors {
  readonly visits: Visit[] = []
  readonly #port: number
  readonly #done: Promise<unknown>
  #waiting: { readonly until: () => boolean; readonly go: () => void }[] = []
  #goes = true

  constructor(port: number, coming: Coming) {
    this.#port = port
    this.#done =
      'underWay' in coming
        ? Promise.all(Array.from({ length: coming.underWay }, () => this.#again()))
        : this.#byTheClock(coming.perSecond)
  }

  /** Resolves once this holds, looked at after each visit. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ until: condition, go: resolve }))
  }

  /** Resolves when so many more have come. */
  more(count: number): Promise<void> {
    const enough = this.visits.length + count
    return this.until(() => this.visits.length >= enough)
  }

  async stop(): Promise<readonly Visit[]> {
    this.#goes = false
    await this.#done
    return this.visits
  }

  async #again(): Promise<void> {
    while (this.#goes) {
      await this.#visit()
      await pause(betweenVisitsMs)
    }
  }

  async #byTheClock(perSecond: number): Promise<void> {
    const beganMs = performance.now()
    const begun: Promise<void>[] = []
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const due = ((performance.now() - beganMs) * perSecond) / 1_000
        while (begun.length < due) begun.push(this.#visit())
        if (this.#goes) return
        clearInterval(timer)
        resolve()
      }, 5)
    })
    await Promise.all(begun)
  }

  async #visit(): Promise<void> {
    const beganMs = performance.now()
    const word = await visit(this.#port)
    this.visits.push({ beganMs, endedMs: performance.now(), word })
    const ready = this.#waiting.filter(({ until }) => until())
    this.#waiting = this.#waiting.filter((each) => !ready.includes(each))
    for (const { go } of ready) go()
  }
}
