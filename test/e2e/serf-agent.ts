import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { freePort } from '../tools/own-ports.ts'

export const serfIsThere = spawnSync('serf', ['version']).error === undefined
export const whySkipped = "the serf command, an agent of the field, is not there (Debian's package serf has it)"

export interface SerfMember {
  readonly name: string
  readonly addr: string
  readonly tags: Readonly<Record<string, string>>
  readonly status: string
}

/** An agent of the field: Debian's package `serf`. On loopback alone. */
export class SerfAgent {
  readonly port: number
  readonly #rpc: string
  readonly #child: ChildProcess
  #log = ''
  #waiting: (() => void)[] = []

  private constructor(port: number, rpc: string, child: ChildProcess) {
    this.port = port
    this.#rpc = rpc
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text
        for (const wake of this.#waiting.splice(0)) wake()
      })
    }
  }

  static async start(name: string, flags: readonly string[] = []): Promise<SerfAgent> {
    const [port, rpcPort] = [await freePort(), await freePort()]
    const rpc = `127.0.0.1:${rpcPort}`
    const child = spawn('serf', [
      'agent',
      `-node=${name}`,
      `-bind=127.0.0.1:${port}`,
      `-rpc-addr=${rpc}`,
      '-profile=local',
      '-log-level=debug',
      ...flags,
    ])
    const agent = new SerfAgent(port, rpc, child)
    await agent.said(/Serf agent starting/)
    return agent
  }

  /** Waits until its log has this `times` times. */
  async said(what: RegExp, times = 1): Promise<void> {
    const every = new RegExp(what, 'g')
    while ([...this.#log.matchAll(every)].length < times) {
      if (this.#child.exitCode !== null) throw new Error(`serf ended:\n${this.#log}`)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  get log(): string {
    return this.#log
  }

  async members(): Promise<readonly SerfMember[]> {
    const out = await this.#command('members', '-format=json')
    const { members } = JSON.parse(out) as { members: SerfMember[] }
    return members.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  async join(address: string): Promise<void> {
    await this.#command('join', address)
  }

  /** Its answer to a command of its own. */
  async command(name: string, ...more: readonly string[]): Promise<string> {
    return this.#command(name, ...more)
  }

  async leave(): Promise<void> {
    await this.#command('leave')
  }

  /** Ends it without a word to the others. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await ended
  }

  /** Not synchronous: agents of this process must be able to answer meanwhile. */
  #command(name: string, ...more: readonly string[]): Promise<string> {
    const child = spawn('serf', [name, `-rpc-addr=${this.#rpc}`, ...more])
    let out = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        out += text
      })
    }
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (status) => (status === 0 ? resolve(out) : reject(new Error(`serf ${name}: ${out}`))))
    })
  }
}
