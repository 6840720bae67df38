import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../tools/own-ports.ts'

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))

/** Where a test keeps its files; gone when `remove` is called. */
export interface Workplace {
  readonly path: string
  remove(): void
}

export function makeWorkplace(): Workplace {
  const path = mkdtempSync(join(tmpdir(), 'svc-e2e-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Writes a configuration file into a folder of the test; returns its path. */
export function writeConfig(folder: string, name: string, config: object): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(config))
  return file
}

/**
 * Ports of one agent that no other process has; DNS is closed unless it is asked for, the pool of all datacenters
 * always.
 */
export interface AgentPortsInUse {
  readonly http: number
  readonly server: number
  readonly serf_lan: number
  readonly serf_wan: number
  readonly dns: number
}

export async function freePorts(more: { readonly dns?: boolean } = {}): Promise<AgentPortsInUse> {
  return {
    http: await freePort(),
    server: await freePort(),
    serf_lan: await freePort(),
    serf_wan: -1,
    dns: more.dns === true ? await freePort() : -1,
  }
}

/** The same as flags of `svc agent`. */
export function portFlags(ports: AgentPortsInUse): readonly string[] {
  return [
    `-http-port=${ports.http}`,
    `-server-port=${ports.server}`,
    `-serf-lan-port=${ports.serf_lan}`,
    `-serf-wan-port=${ports.serf_wan}`,
    `-dns-port=${ports.dns}`,
  ]
}

/** Gossip of tests: what takes seconds in production takes tenths of one. */
export const quickGossip = {
  gossip_interval: '20ms',
  probe_interval: '100ms',
  probe_timeout: '50ms',
  suspicion_mult: 3,
} as const

export interface Finished {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

/** Runs one command of `svc` to its end. `environment`: added to the own one. */
export function runSvc(
  args: readonly string[],
  input?: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [svc, ...args], { stdio: 'pipe', env: { ...process.env, ...environment } })
  const output = collect(child)
  child.stdin.end(input ?? '')
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...output() })))
}

function collect(child: ChildProcess): () => { out: string; error: string } {
  let out = ''
  let error = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    error += text
  })
  return () => ({ out, error })
}

/** A real agent in a process of its own. */
export class RealAgent {
  readonly address: string
  readonly #args: readonly string[]
  readonly #child: ChildProcess
  readonly #output: () => { out: string; error: string }
  readonly exited: Promise<Finished>
  #ended = false

  /**
   * `address`: where its HTTP API listens, `host:port`. `environment`: added to the own one. `program`: the
   * launcher, or a command that is found in its PATH.
   */
  constructor(
    address: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    program: string = svc,
  ) {
    this.address = address
    this.#args = args
    const env = { ...process.env, ...environment }
    const [command = '', ...first] = program.endsWith('.js') ? [process.execPath, program] : [program]
    this.#child = spawn(command, [...first, 'agent', ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
    this.#output = collect(this.#child)
    this.exited = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        this.#ended = true
        resolve({ code, ...this.#output() })
      })
    })
  }

  get output(): string {
    const { out, error } = this.#output()
    return out + error
  }

  get args(): readonly string[] {
    return this.#args
  }

  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error('the agent was not started')
    return pid
  }

  /**
   * How long its main thread has been ready to run while others had all cores: not its own slowness. Of Linux; elsewhere
   * nothing is known of it.
   */
  waitedForCoreMs(): number {
    const file = `/proc/${this.pid}/schedstat`
    return existsSync(file) ? Number(readFileSync(file, 'latin1').split(' ')[1]) / 1e6 : 0
  }

  signal(signal: 'SIGHUP' | 'SIGUSR1'): void {
    this.#child.kill(signal)
  }

  async stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<Finished> {
    this.#child.kill(signal)
    return this.exited
  }

  request(method: string, path: string, body?: string): Promise<Response> {
    return fetch(`http://${this.address}${path}`, { method, ...(body === undefined ? {} : { body }) })
  }

  async text(path: string): Promise<string> {
    return (await this.request('GET', path)).text()
  }

  /** What a GET answers with, as JSON; undefined when it is no success or no answer comes. */
  async json<T>(path: string): Promise<T | undefined> {
    try {
      const response = await this.request('GET', path)
      return response.status === 200 ? ((await response.json()) as T) : undefined
    } catch (cause) {
      this.#failed(cause)
      return undefined
    }
  }

  /** The leader's address as this agent knows it; empty while there is none or the agent does not answer. */
  async leader(): Promise<string> {
    try {
      const response = await this.request('GET', '/v1/status/leader')
      return response.status === 200 ? (JSON.parse(await response.text()) as string) : ''
    } catch (cause) {
      this.#failed(cause)
      return ''
    }
  }

  /** An agent may not answer yet; one that has ended never will, and what it said is why. */
  #failed(cause: unknown): void {
    if (!(cause instanceof TypeError)) throw cause
    if (this.#ended) throw new Error(`the agent at ${this.address} has ended:\n${this.output}`)
  }
}

/** One agent by itself, as `svc agent -dev` starts it, on these ports. */
export function devAgent(ports: AgentPortsInUse, ...flags: readonly string[]): RealAgent {
  return new RealAgent(`127.0.0.1:${ports.http}`, ['-dev', ...portFlags(ports), ...flags])
}

/** Three servers on 127.0.0.1–3, as an operator would start them. */
export interface RealCluster {
  readonly workplace: Workplace
  readonly agents: RealAgent[]
  readonly serverPort: number
  readonly gossipPort: number
  start(at: number): RealAgent
  leaderAt(): Promise<number>
  stopAll(): Promise<void>
}

export async function startThree(
  raftMultiplier: number,
  more: { readonly dns?: boolean; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<RealCluster & { readonly dnsPort: number }> {
  const workplace = makeWorkplace()
  const ports = await freePorts(more)
  const agents: RealAgent[] = []
  const start = (at: number): RealAgent => {
    const host = `127.0.0.${at + 1}`
    const file = join(workplace.path, `s${at + 1}.json`)
    writeFileSync(
      file,
      JSON.stringify({
        server: true,
        bootstrap_expect: 3,
        node_name: `s${at + 1}`,
        data_dir: join(workplace.path, `s${at + 1}`),
        bind_addr: host,
        client_addr: host,
        ports,
        performance: { raft_multiplier: raftMultiplier },
        gossip_lan: quickGossip,
        retry_join: ['127.0.0.1', '127.0.0.2', '127.0.0.3'],
        retry_interval: '200ms',
      }),
    )
    const agent = new RealAgent(`${host}:${ports.http}`, [`-config-file=${file}`], more.environment)
    agents[at] = agent
    return agent
  }
  for (const at of [0, 1, 2]) start(at)
  return {
    workplace,
    agents,
    serverPort: ports.server,
    gossipPort: ports.serf_lan,
    dnsPort: ports.dns,
    start,
    leaderAt: async () => {
      const leader = await commonLeader(agents)
      return Number(leader.split(':')[0]?.split('.')[3]) - 1
    },
    stopAll: async () => {
      await Promise.all(agents.map((agent) => agent.stop('SIGKILL')))
      workplace.remove()
    },
  }
}

/** The leader, once all of them know the same one. */
export async function commonLeader(agents: readonly RealAgent[], withinMs?: number): Promise<string> {
  const ask = async (): Promise<string | undefined> => {
    const known = await Promise.all(agents.map((agent) => agent.leader()))
    return known[0] !== '' && known.every((leader) => leader === known[0]) ? known[0] : undefined
  }
  return eventually('a leader that all know', ask, withinMs)
}

/** Waits until this agent, which may be the only one, knows a leader. */
export function leads(agent: RealAgent): Promise<string> {
  return commonLeader([agent])
}

const measurementsMax = 3

/**
 * The shortest of a few measurements by the real clock; one within the bound is enough. On a machine whose cores are
 * busy with other things anything may take a second more than it needs: a program that is too slow of itself is so each
 * time.
 */
export async function shortestMs(boundMs: number, measure: () => Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (let times = 0; times < measurementsMax && shortest >= boundMs; times++)
    shortest = Math.min(shortest, await measure())
  return shortest
}

/**
 * Between two rounds of traffic that a test keeps up beside what it does: without a pause its own requests take the
 * cores that the agents need.
 */
export const trafficPauseMs = 20

/** Asks again and again until there is an answer; fails with what was waited for. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>, withinMs = 30_000): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await pause(25)
  }
}
