import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import type { Tell } from '../checkers/checker.ts'
import type { AliasTarget, RegistrationChange } from '../checkers/registrations/registration-facts.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { AgentClient } from './agent-client.ts'
import { drawnPause } from './drawn-pause.ts'
import {
  addingCheck,
  aliasing,
  deregistering,
  maintainingNode,
  maintainingService,
  type Registered,
  type RegistrationRequest,
  registering,
  removingAlias,
  removingCheck,
  reporting,
} from './registration-requests.ts'

export type RegistrationOperation = 'alias' | 'change' | 'check' | 'maintenance' | 'node maintenance' | 'remove'

/** What a group does, with all defaults applied. */
export interface RegistrantPlan {
  /** Name of the group. */
  readonly name: string
  /** Name prefix of the services. */
  readonly service: string
  readonly services: number
  readonly operations: readonly RegistrationOperation[]
  /** Interval of changes of each service. */
  readonly everyMs: { readonly min: number; readonly max: number }
  readonly ttlMs: number
  /** Chance that a service falls silent instead of reporting. */
  readonly silent: number
  /** Whether services sometimes join the mesh. */
  readonly mesh: boolean
  /** Whether addresses are also names of hosts and long forms of IPv6. */
  readonly anyAddress: boolean
  /** Whether services come with sidecars. */
  readonly sidecars: boolean
  readonly timeoutMs: number
}

export interface RegistrantWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  readonly endpointOf: (node: string) => Endpoint
  readonly tell: Tell
}

/** One service at one agent: its definer and its reporter each do one thing at a time. */
interface Registrant extends Registered {
  readonly node: string
  readonly number: number
  /** Undefined: a change of the service was not answered. */
  isThere: boolean | undefined
  hasExtra: boolean
  hasAlias: boolean
  isMaintained: boolean
  /** Number of turns so far, by kind. */
  readonly turns: { changes: number; reports: number }
}

/** What a service has besides its own check when it is new. */
const bare = { hasExtra: false, hasAlias: false, isMaintained: false }

/** A silence lasts for this many times the time to live. */
const silence = { min: 1.5, max: 3 }
/** Number of reports in a time to live. */
const reportsPerTtl = 3

/** Services that are registered, change, report, fall silent, enter maintenance and are deregistered, all the time. */
export class Registrants {
  readonly #env: Env
  readonly #plan: RegistrantPlan
  readonly #world: RegistrantWorld
  readonly #client: AgentClient
  readonly #all: readonly Registrant[]
  readonly #open = new Set<RegistrationChange>()
  readonly #maintained = new Set<string>()
  #round = 0

  constructor(env: Env, plan: RegistrantPlan, world: RegistrantWorld, nodes: readonly string[]) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#client = new AgentClient(env, plan.timeoutMs)
    this.#all = nodes.flatMap((node) =>
      Array.from({ length: plan.services }, (_, number) => this.#registrant(node, number)),
    )
  }

  #registrant(node: string, number: number): Registrant {
    const { service, ttlMs, mesh, anyAddress, sidecars: sidecar } = this.#plan
    const turns = { changes: 0, reports: 0 }
    const named = { name: service, id: this.#idOf(number), ttlMs, mesh, anyAddress, sidecar }
    return { ...named, node, number, isThere: false, ...bare, turns }
  }

  #idOf(number: number): string {
    return `${this.#plan.service}-${number + 1}`
  }

  start(): void {
    this.#round++
    for (const registrant of this.#all) {
      this.#env.detach(this.#define(registrant, this.#round))
      this.#env.detach(this.#report(registrant, this.#round))
    }
  }

  /** Open requests continue to their end; no service reports any more. */
  stop(): void {
    this.#round++
  }

  openRequests(): readonly string[] {
    return [...this.#open].map(({ node, what }) => `${what} at ${node}`)
  }

  async #define(registrant: Registrant, round: number): Promise<void> {
    for (;;) {
      const nth = ++registrant.turns.changes
      const draws = this.#draws(registrant, 'changes', nth)
      await drawnPause(this.#env, draws, this.#plan.everyMs)
      if (this.#round !== round) return
      if (!this.#world.decisions.happens(draws)) continue
      const value = `${registrant.node}-${registrant.id}-${nth}`
      this.#world.decisions.tell(draws, () => `change ${value}`)
      await this.#change(registrant, draws, value)
    }
  }

  async #change(registrant: Registrant, draws: Draws, value: string): Promise<void> {
    const { operations } = this.#plan
    const operation = operations[draws.below(operations.length)] as RegistrationOperation
    if (registrant.isThere !== true) {
      const outcome = await this.#ask(registrant, registering(registrant, value, draws))
      if (outcome === 'done') Object.assign(registrant, { isThere: true })
      return
    }
    if (operation === 'change') await this.#ask(registrant, registering(registrant, value, draws))
    else if (operation === 'check') await this.#toggleCheck(registrant, value)
    else if (operation === 'alias') await this.#toggleAlias(registrant, value, draws)
    else if (operation === 'maintenance') await this.#toggleMaintenance(registrant)
    else if (operation === 'node maintenance') await this.#toggleNode(registrant)
    else {
      const outcome = await this.#ask(registrant, deregistering(registrant))
      const isThere = outcome === 'done' ? false : undefined
      Object.assign(registrant, { isThere, ...bare })
    }
  }

  async #toggleCheck(registrant: Registrant, value: string): Promise<void> {
    const { hasExtra } = registrant
    const request = hasExtra ? removingCheck(registrant) : addingCheck(registrant, value)
    if ((await this.#ask(registrant, request)) === 'done') registrant.hasExtra = !hasExtra
  }

  async #toggleAlias(registrant: Registrant, value: string, draws: Draws): Promise<void> {
    const { hasAlias } = registrant
    const request = hasAlias ? removingAlias(registrant) : aliasing(registrant, value, this.#drawnTarget(draws))
    if ((await this.#ask(registrant, request)) === 'done') registrant.hasAlias = !hasAlias
  }

  /** A service of the same agent, perhaps the aliasing one; or a node as the catalog has it, perhaps the own one. */
  #drawnTarget(draws: Draws): AliasTarget {
    const { services } = this.#plan
    const how = draws.below(4)
    const service = this.#idOf(draws.below(services))
    if (how < 2) return { node: '', service }
    const { node } = this.#all[draws.below(this.#all.length)] as Registrant
    return { node, service: how === 2 ? service : '' }
  }

  async #toggleMaintenance(registrant: Registrant): Promise<void> {
    const { isMaintained } = registrant
    const outcome = await this.#ask(registrant, maintainingService(registrant, !isMaintained))
    if (outcome === 'done') registrant.isMaintained = !isMaintained
  }

  /** Only the first service of a node toggles the node's maintenance. */
  async #toggleNode(registrant: Registrant): Promise<void> {
    const { node, number } = registrant
    if (number > 0) return this.#toggleMaintenance(registrant)
    const isOn = this.#maintained.has(node)
    if ((await this.#ask(registrant, maintainingNode(!isOn))) !== 'done') return
    if (isOn) this.#maintained.delete(node)
    else this.#maintained.add(node)
  }

  async #report(registrant: Registrant, round: number): Promise<void> {
    const { ttlMs, silent } = this.#plan
    const usualMs = ttlMs / reportsPerTtl
    let pauseMs = { min: usualMs / 2, max: usualMs }
    for (;;) {
      const nth = ++registrant.turns.reports
      const draws = this.#draws(registrant, 'reports', nth)
      await drawnPause(this.#env, draws, pauseMs)
      if (this.#round !== round) return
      pauseMs = { min: usualMs / 2, max: usualMs }
      if (!this.#world.decisions.happens(draws)) continue
      if (draws.chance(silent)) {
        pauseMs = { min: ttlMs * silence.min, max: ttlMs * silence.max }
        continue
      }
      if (registrant.isThere === false) continue
      const status = draws.below(6) === 0 ? 'warning' : draws.below(12) === 0 ? 'critical' : 'passing'
      this.#world.decisions.tell(draws, () => `report ${registrant.node}-${registrant.id}-${nth}`)
      await this.#ask(registrant, reporting(registrant, status, String(nth)))
    }
  }

  async #ask({ node }: Registrant, { target, body, items, heard, aliases = [] }: RegistrationRequest): Promise<string> {
    const calledUs = this.#world.nowUs()
    const what = `PUT ${target.split('?')[0]}`
    const times = { calledUs, endedUs: calledUs }
    const change: RegistrationChange = { node, what, items, heard, aliases, ...times, outcome: 'open' }
    this.#open.add(change)
    this.#world.tell('registration began', { change })
    change.outcome = await this.#client.put(this.#world.endpointOf(node), target, body)
    change.endedUs = this.#world.nowUs()
    this.#open.delete(change)
    this.#world.tell('registration ended', { change })
    return change.outcome
  }

  #draws({ node, number }: Registrant, what: string, nth: number): Draws {
    return this.#world.decisions.draws('registrations', this.#plan.name, node, number, what, nth)
  }
}
