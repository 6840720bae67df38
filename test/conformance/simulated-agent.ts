import { createPlatform } from '../../sim/platform/platform.ts'
import type { SimNode } from '../../sim/simulation/node.ts'
import { Simulation } from '../../sim/simulation/simulation.ts'
import { ok } from '../../src/base/result.ts'
import { normalize } from '../../src/config/normalize.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import { parseDocument } from '../../src/config/sources/document.ts'
import { validateDocument } from '../../src/config/validate.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpClientFailure, HttpClientResponse } from '../../src/env/http.ts'
import type { Release } from '../../src/model/release.ts'
import { startProgram } from '../../src/program/start.ts'
import type { Raft } from '../../src/raft/raft.ts'
import type { Exact } from './golden/exact-json.ts'
import type {
  GoldenAnswer,
  GoldenDnsAnswer,
  GoldenQuestion,
  GoldenRequest,
  GoldenTarget,
} from './golden/golden-target.ts'
import { profileDocument } from './profile.ts'
import { askSimulatedDns } from './simulated-dns.ts'

const host = '127.0.0.1'
const ports = { dns: 8600, http: 8500, https: 8501, serf_lan: 8301, serf_wan: 8302, server: 8300 }
/** A leader is there long before. */
const startLimitMs = 60_000
/** A blocking query takes ten minutes and a sixteenth. */
const answerLimitMs = 700_000

/** A whole agent in a world of its own, on virtual time, asked over its loopback. */
export interface SimulatedAgent {
  readonly target: GoldenTarget
  /** Index of the last entry in its log. */
  lastIndex(): number
  /** Has something else on the machine do this, and lets time go on until it is done. */
  run<T>(work: (env: Env) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

export interface SimulatedAgentOptions {
  readonly release?: Release
  /** Keys besides those of the profile. */
  readonly more?: Record<string, Exact>
  /** What else runs on the machine. */
  readonly beside?: (env: Env) => Promise<void>
  /** Puts something between the agent and the world. */
  readonly wrap?: (env: Env) => Env
}

export async function startSimulatedAgent(
  profile = 'default',
  options: SimulatedAgentOptions = {},
): Promise<SimulatedAgent> {
  const platform = createPlatform()
  try {
    const simulation = new Simulation({ seed: 'conformance', platform })
    const node = simulation.addNode({ name: 's1', host: '10.0.1.1', directories: ['/data'] })
    // The one program that a recorded sequence runs: `sh -c 'echo warnout; exit 1'`.
    node.programs.set('sh', () => ({ afterMs: 1, exit: 1, output: 'warnout\n' }))
    const lastIndex = await leading(simulation, node, profile, options)
    const target = new SimulatedTarget(simulation, node)
    return { target, lastIndex, run: (work) => target.run(work), stop: async () => platform.close() }
  } catch (cause) {
    platform.close()
    throw cause
  }
}

async function leading(
  simulation: Simulation,
  node: SimNode,
  profile: string,
  { release, more = {}, beside, wrap = (env) => env }: SimulatedAgentOptions,
): Promise<() => number> {
  // Read before the first turn, in which nothing of Node may be touched.
  const file = configFile(profile, more)
  let leads = false
  let raft: Raft | undefined
  const start = async (env: Env): Promise<void> => {
    const normalized = normalize(file, false, env.machine, undefined, release)
    if (!normalized.ok) throw new Error(normalized.error.map(({ message }) => message).join('\n'))
    const { config } = normalized.value
    const program = await startProgram(wrap(env), config, { reread: async () => ok(config) })
    if (!program.ok) throw new Error(program.error.message)
    raft = program.value.agent.raft
    raft?.onRoleChange(({ role }) => {
      leads = role === 'leader'
    })
  }
  node.boot(start)
  if (beside !== undefined) node.run(beside)
  const end = await simulation.runUntil(() => leads, startLimitMs)
  if (!leads) throw new Error(`the simulated agent does not lead: ${end.message}`)
  return () => raft?.status().lastIndex ?? 0
}

/** Through the same checks as a file on a disk. */
function configFile(profile: string, more: Record<string, Exact>): FileConfig {
  const text = JSON.stringify({ ...profileDocument(profile, ports), ...more, data_dir: '/data' })
  const document = parseDocument(`${profile}.json`, text)
  const validated = document.ok ? validateDocument(document.value) : document
  if (validated.ok) return validated.value.config
  throw new Error(JSON.stringify(validated.error))
}

type Outcome =
  | { readonly ok: true; readonly value: HttpClientResponse }
  | { readonly ok: false; readonly error: HttpClientFailure }

interface Exchange {
  /** Hands the answer over, once it is there. */
  deliver: (() => void) | undefined
}

/**
 * The world stands still between calls. An answer is handed over only then: what the test does with it must not happen
 * in a turn of the simulation.
 */
class SimulatedTarget implements GoldenTarget {
  readonly ports = ports
  readonly #simulation: Simulation
  readonly #node: SimNode
  readonly #open = new Set<Exchange>()

  constructor(simulation: Simulation, node: SimNode) {
    this.#simulation = simulation
    this.#node = node
  }

  nowMs(): number {
    return this.#simulation.nowMs
  }

  begin(request: GoldenRequest): Promise<GoldenAnswer> {
    const { method, target, headers, body, timeoutMs } = request
    const sent = headers.filter(([name]) => name.toLowerCase() !== 'content-length')
    const options = { method, target, headers: sent, timeoutMs, ...(body === undefined ? {} : { body }) }
    return this.#exchange(async (env) => answerOf(await env.http.request({ host, port: ports.http }, options)))
  }

  beginDns(question: GoldenQuestion): Promise<GoldenDnsAnswer> {
    return this.#exchange((env) => askSimulatedDns(env, { host, port: ports.dns }, question))
  }

  run<T>(work: (env: Env) => Promise<T>): Promise<T> {
    return this.until(this.#exchange(work))
  }

  #exchange<T>(ask: (env: Env) => Promise<T>): Promise<T> {
    return new Promise((resolve) => {
      const exchange: Exchange = { deliver: undefined }
      this.#open.add(exchange)
      this.#node.run(async (env) => {
        const answer = await ask(env)
        exchange.deliver = () => resolve(answer)
      })
    })
  }

  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false
    const settle = (): void => {
      settled = true
    }
    promise.then(settle, settle)
    await this.#macrotask()
    while (!settled) {
      const end = await this.#simulation.runUntil(() => this.#answered().length > 0, answerLimitMs)
      if (end.kind !== 'predicate') throw new Error(`the simulation went on without an answer: ${end.message}`)
      await this.#handOver()
    }
    return promise
  }

  async pause(ms: number): Promise<void> {
    const end = await this.#simulation.run({ untilMs: this.#simulation.nowMs + ms })
    if (end.kind !== 'time') throw new Error(`the simulation did not go on: ${end.message}`)
    await this.#handOver()
  }

  #answered(): Exchange[] {
    return [...this.#open].filter(({ deliver }) => deliver !== undefined)
  }

  async #handOver(): Promise<void> {
    for (const exchange of this.#answered()) {
      this.#open.delete(exchange)
      exchange.deliver?.()
    }
    await this.#macrotask()
  }

  /** Lets code that waits for an answer continue, as far as it gets without another one. */
  #macrotask(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}

function answerOf(outcome: Outcome): GoldenAnswer {
  if (!outcome.ok) return { kind: 'error', error: outcome.error.kind }
  const { status, headers, body } = outcome.value
  return { kind: 'answer', status, headers: [...headers].map(([name, value]) => [asSent(name), value] as const), body }
}

/** The simulated client gives names in lower case; the face sends them so. */
function asSent(name: string): string {
  return name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
}
