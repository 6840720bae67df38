import type { AgentConfig } from '../../agent/settings/agent-config.ts'
import { invariant } from '../../base/invariant.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { normalize } from '../../config/normalize.ts'
import { decodeResponse } from '../../dns-wire/question.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { startProgram } from '../start.ts'
import { questionOf, requestsOf, scratchCaller } from './requests.ts'
import { type ScratchWorld, scratchWorld } from './scratch-world.ts'

/**
 * Maximum length of all slices together. The process spends more CPU time than that: V8 compiles on another thread
 * meanwhile, and collects the scratch agent some seconds later.
 */
const budgetMs = 200
/** Maximum delay that a slice may cause to a request that arrives in it, except by one step that takes longer. */
const sliceMs = 5
const pauseMs = 20
/** How long the agent must have been idle before a slice, once it was found busy, or has just started. */
const quietMs = 250
/** An event loop that calls a timer later than this has other work. */
const lateMaxMs = 4
/** After this time without an idle moment, real requests have warmed the code up. */
const giveUpMs = 60_000

export interface WarmUpOptions {
  /** Number of requests that the agent has received so far. */
  readonly asked: () => number
  /** Told once how many rounds were completed, or why a round failed. */
  readonly onEnd?: (rounds: Result<number, string>) => void
}

/**
 * Runs common requests on a scratch agent of the same release, so that the first requests to the agent itself meet
 * functions that V8 has loaded, compiled and partly optimised. An operator should not notice it:
 *
 * 1. The scratch agent has a world of its own (`scratchWorld`): it opens no port and no file, starts no program, and
 *    writes no log line and no metric.
 * 2. Its time passes only in slices of 5 ms, and in no slice while the agent receives requests or its event loop is
 *    late.
 * 3. All slices together take at most 200 ms, after which the scratch agent is dropped as a whole. Nothing else refers
 *    to it.
 */
export class WarmUp implements Closable {
  readonly #env: Env
  readonly #options: WarmUpOptions
  readonly #config: AgentConfig
  readonly #startMs: number
  #world: ScratchWorld | undefined
  #next: Closable
  #usedMs = 0
  #rounds = 0
  #asked: number

  constructor(env: Env, { release, naming }: Pick<AgentConfig, 'release' | 'naming'>, options: WarmUpOptions) {
    this.#env = env
    this.#options = options
    this.#config = scratchConfig(env, { release, naming })
    this.#startMs = env.clock.monoMs()
    this.#asked = options.asked()
    this.#world = scratchWorld(env, (reason) => this.#end(err(reason.message)))
    this.#next = this.#pause(quietMs)
    this.#world.env.detach(this.#perform(this.#world))
  }

  close(): void {
    this.#end(ok(this.#rounds))
  }

  #end(rounds: Result<number, string>): void {
    if (this.#world === undefined) return
    this.#world = undefined
    this.#next.close()
    this.#options.onEnd?.(rounds)
  }

  /** Goes on for as long as it is given slices. */
  async #perform(world: ScratchWorld): Promise<void> {
    const program = await startProgram(world.env, this.#config)
    if (!program.ok) return this.#end(err(program.error.message))
    program.value.agent.onFatal(({ message }) => this.#end(err(message)))
    const domain = this.#config.dns.domains[0] ?? ''
    for (; this.#world !== undefined; this.#rounds++) {
      for (const request of requestsOf(this.#rounds)) {
        const { status } = await world.http(request)
        if (status !== 200) return this.#end(err(`${request.method} ${request.target} got ${status}`))
      }
      const question = questionOf(this.#rounds, domain)
      const answer = decodeResponse(await world.datagram(this.#config.ports.dns, scratchCaller, question))
      const rcode = answer.ok ? answer.value.rcode : answer.error
      if (rcode !== 'NOERROR') return this.#end(err(`a question over DNS got ${rcode}`))
    }
  }

  #pause(ms: number): Closable {
    const { clock, timers } = this.#env
    const dueMs = clock.monoMs() + ms
    return timers.after(ms, () => {
      const asked = this.#options.asked()
      const isIdle = asked === this.#asked && clock.monoMs() - dueMs <= lateMaxMs
      this.#asked = asked
      if (isIdle) this.#step(clock.monoMs())
      else if (clock.monoMs() - this.#startMs > giveUpMs) this.close()
      else this.#next = this.#pause(quietMs)
    })
  }

  /** One timer of the scratch agent, in a turn of its own, and what follows from it. */
  #step(sliceStartMs: number): void {
    const spentMs = this.#env.clock.monoMs() - sliceStartMs
    if (spentMs < sliceMs && this.#usedMs + spentMs < budgetMs) {
      this.#fireNext()
      if (this.#world !== undefined) this.#next = this.#env.timers.after(0, () => this.#step(sliceStartMs))
      return
    }
    this.#usedMs += spentMs
    if (this.#usedMs >= budgetMs) this.close()
    else this.#next = this.#pause(pauseMs)
  }

  /** What breaks in the scratch agent must not end the agent itself. */
  #fireNext(): void {
    try {
      this.#world?.time.step()
    } catch (cause) {
      this.#end(err(String(cause)))
    }
  }
}

/**
 * A single server in memory, as with `-dev`, without what takes long to begin and that few agents use: the certificate
 * authority, the pool of other datacenters, the web interface.
 */
function scratchConfig(env: Env, { release, naming }: Pick<AgentConfig, 'release' | 'naming'>): AgentConfig {
  const written = { node_name: 'scratch', connect: { enabled: false }, ui: false, ports: { serf_wan: -1 } }
  const normalized = normalize(written, true, env.machine, undefined, release, undefined, naming)
  invariant(normalized.ok, 'the configuration of the scratch agent is valid')
  return normalized.value.config
}
