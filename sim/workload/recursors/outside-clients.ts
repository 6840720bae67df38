import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import type { Tell } from '../../checkers/checker.ts'
import type { Decisions } from '../../world/decisions/decisions.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { askDns } from '../dns-client.ts'
import { drawnPause } from '../drawn-pause.ts'
import type { Crew } from '../kind.ts'
import { outsideName, outsideNames, recordsOf } from './outside-names.ts'

interface ClientsPlan {
  readonly name: string
  readonly clients: number
  readonly everyMs: { readonly min: number; readonly max: number }
  /** Address of the clients' machine. */
  readonly host: string
  /** Addresses and ports of the recursors. */
  readonly recursors: readonly string[]
}

interface ClientsWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  /** The agent for the next question; undefined if the selection is empty. */
  readonly agent: (draws: Draws) => string | undefined
  readonly dnsAt: (agent: string) => Endpoint
  /** True time since which the agent and its leader are undisturbed and in contact; undefined: they are not. */
  readonly contactUs: (agent: string) => number | undefined
  /** When a fault last began or ended: one may break the client's own connection. */
  readonly changedUs: () => number
  readonly tell: Tell
}

/** Longer than agents ask all their recursors. */
const answerWithinMs = 15_000

/** Clients that ask agents for names that do not belong to the cluster. */
export class OutsideClients implements Crew {
  readonly #env: Env
  readonly #plan: ClientsPlan
  readonly #world: ClientsWorld
  #round = 0

  constructor(env: Env, plan: ClientsPlan, world: ClientsWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  start(): void {
    this.#round++
    for (let client = 0; client < this.#plan.clients; client++) this.#env.detach(this.#askAll(client, this.#round))
  }

  stop(): void {
    this.#round++
  }

  async #askAll(client: number, round: number): Promise<void> {
    const { name, everyMs } = this.#plan
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('recursors', name, client, round, nth)
      await drawnPause(this.#env, draws, everyMs)
      const agent = this.#round === round ? this.#world.agent(draws) : undefined
      if (agent !== undefined) await this.#ask(agent, `${name}-${client}-${round}-${nth}`, draws)
    }
  }

  async #ask(agent: string, unique: string, draws: Draws): Promise<void> {
    const { changedUs, contactUs, dnsAt, nowUs, tell } = this.#world
    const name = outsideName(unique, draws.below(outsideNames))
    const type = draws.below(5) === 0 ? 'AAAA' : 'A'
    const over = draws.below(3) === 0 ? 'tcp' : 'udp'
    const calledUs = nowUs()
    tell('outside name asked', { node: agent, name, recursors: this.#plan.recursors })
    const question = { name, type, over, timeoutMs: answerWithinMs } as const
    const answer = await askDns(this.#env, this.#plan.host, dnsAt(agent), question)
    const { rcode, addresses: truths } = recordsOf(name, type)
    const got = typeof answer === 'string' ? undefined : answer
    const addresses = (got?.answers ?? []).flatMap((one) => (one.type === 'A' ? [one.address] : []))
    tell('outside name answered', {
      node: agent,
      name,
      calledUs,
      rcode: got === undefined ? undefined : String(got.rcode),
      addresses,
      truncated: got?.truncated === true,
      truth: { rcode, addresses: truths },
      isCalm: (contactUs(agent) ?? calledUs) < calledUs && changedUs() < calledUs,
    })
  }
}
