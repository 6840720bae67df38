import type { Env } from '../../src/env/env.ts'
import type { Consistency } from '../../src/features/contract/reading.ts'
import { monotoneIndex } from '../checkers/clients/monotone-index.ts'
import { operationText } from '../checkers/keys/key-history.ts'
import { staleReads } from '../checkers/keys/stale-reads.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { type GroupWorld, mayBeOld } from './asked-agents.ts'
import { type Asker, GroupOperations } from './group-operations.ts'
import { KeyClient } from './key-client.ts'

export type WorkloadOperation = 'kv.get' | 'kv.put' | 'kv.cas' | 'kv.delete' | 'kv.txn' | 'kv.list'

/** What a group of clients does, with all defaults applied. */
export interface GroupPlan {
  readonly name: string
  readonly clients: number
  readonly operations: readonly WorkloadOperation[]
  readonly keys: number
  readonly ratePerSecond: number
  readonly consistencies: readonly Consistency[]
  readonly timeoutMs: number
}

/**
 * A group of clients that send requests about keys to servers, each client one at a time and at a steady rate: at its
 * nth turn a client sends one, unless its last operation is still open. Its draws and values depend only on its own
 * number and that of the turn, so that one operation or client fewer changes none of the others. Every value is unique
 * in the run, so that a value identifies its write.
 */
export class ClientGroup {
  readonly #env: Env
  readonly #plan: GroupPlan
  readonly #world: GroupWorld
  readonly #client: KeyClient
  readonly #idle: boolean[]
  readonly #operations: GroupOperations
  /** Incremented at each start, so that turns of an earlier round have no effect. */
  #round = 0
  #running = false

  constructor(env: Env, plan: GroupPlan, world: GroupWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#operations = new GroupOperations(world)
    this.#client = new KeyClient(env, plan.timeoutMs)
    this.#idle = Array.from({ length: plan.clients }, () => true)
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#round++
    for (const client of this.#idle.keys()) this.#scheduleNext(client, this.#round, 1)
  }

  /** No new operation begins; open ones continue to their end. */
  stop(): void {
    this.#running = false
  }

  /** Requests without an answer, for a report. */
  openRequests(): readonly string[] {
    return this.#operations.openOnes()
  }

  #scheduleNext(client: number, round: number, nth: number): void {
    const { name, clients, ratePerSecond } = this.#plan
    const draws = this.#world.decisions.draws('workload', name, client, round, nth)
    // Evenly spread, each up to half a period early or late: a steady rate without lockstep between clients.
    const periodMs = (1000 * clients) / ratePerSecond
    this.#env.timers.after(periodMs * (0.5 + draws.fraction()), () => {
      if (!this.#running || this.#round !== round) return
      this.#scheduleNext(client, round, nth + 1)
      if (this.#idle[client] !== true || !this.#world.decisions.happens(draws)) return
      const value = `${name}-${client + 1}.${round}.${nth}`
      this.#world.decisions.tell(draws, () => `operation ${value}`)
      this.#env.detach(this.#askFor(client, draws, value))
    })
  }

  async #askFor(client: number, draws: Draws, value: string): Promise<void> {
    this.#idle[client] = false
    await this.#ask(client, draws, value)
    this.#idle[client] = true
  }

  async #ask(client: number, draws: Draws, value: string): Promise<void> {
    const { operations, keys, name, consistencies } = this.#plan
    const server = this.#world.server(draws)
    if (server === undefined) return
    const what = operations[draws.below(operations.length)] as WorkloadOperation
    const key = this.#keyOf(draws.below(keys))
    const consistency = consistencies[draws.below(consistencies.length)] as Consistency
    const asker: Asker = { client: `client ${client + 1} of ${name}`, key, server, draws, value }
    if (what === 'kv.get') await this.#read(asker, consistency)
    else if (what === 'kv.put') await this.#write(asker)
    else if (what === 'kv.delete') await this.#remove(asker)
    else if (what === 'kv.txn') await this.#replaceAndWrite(asker)
    else if (what === 'kv.list') await this.#list(asker, consistency)
    else await this.#compareAndSet(asker)
  }

  async #read(
    asker: Asker,
    consistency: Consistency,
  ): Promise<{ value: string | undefined; index: number } | undefined> {
    const { invariants } = this.#world
    const { server, key } = asker
    const operation = this.#operations.begin(asker, { kind: 'read', consistency })
    this.#operations.open.add(operation)
    const boot = this.#world.bootOf(server.name)
    const scope =
      consistency === 'stale' ? `key '${key}' at ${server.name}, boot ${boot}` : `key '${key}', ${consistency} reads`
    const indexes = invariants.of(monotoneIndex)
    const stale = invariants.of(staleReads)
    const floor = indexes.began(scope)
    const begun = stale.began(server.name, boot, key)
    const answer = await this.#client.read(server.endpoint, key, consistency)
    this.#operations.open.delete(operation)
    if (answer !== undefined) {
      this.#operations.answered(operation, 'ok')
      operation.found = answer.value
    }
    invariants.tell('operation ended', { operation })
    if (answer === undefined) return undefined
    if (consistency === 'stale' && !server.isServer) stale.answeredBySome(operation)
    else if (consistency === 'stale') {
      if (this.#world.bootOf(server.name) !== boot) {
        stale.answeredByEither(operation)
        indexes.let('restarted meanwhile')
        return answer
      }
      const isOld = mayBeOld(server, answer.knowsLeader)
      stale.answered(operation, begun, isOld)
      indexes.answered(scope, floor, answer.index, isOld)
    } else if (consistency === 'default' && invariants.excusesStaleDefault) {
      // A default read that may be stale by the scenario's own excuse promises nothing about its index either.
      indexes.let('stale default reads')
    } else indexes.answered(scope, floor, answer.index)
    return answer
  }

  async #write(asker: Asker): Promise<void> {
    const { value } = asker
    const operation = this.#operations.begin(asker, { kind: 'write', value })
    await this.#operations.finish(asker, operation, this.#client.write(asker.server.endpoint, asker.key, value))
  }

  async #remove(asker: Asker): Promise<void> {
    const operation = this.#operations.begin(asker, { kind: 'delete' })
    await this.#operations.finish(asker, operation, this.#client.remove(asker.server.endpoint, asker.key))
  }

  async #compareAndSet(asker: Asker): Promise<void> {
    const before = await this.#read(asker, 'default')
    if (before === undefined) return
    const { value } = asker
    const operation = this.#operations.begin(asker, { kind: 'cas', expected: before.value, value })
    const index = before.value === undefined ? 0 : before.index
    await this.#operations.finish(
      asker,
      operation,
      this.#client.compareAndSet(asker.server.endpoint, asker.key, index, value),
    )
  }

  #keyOf(number: number): string {
    return keyOf(this.#plan, number)
  }

  /** One transaction on two keys; if the group has only one key, a CAS. */
  async #replaceAndWrite(asker: Asker): Promise<void> {
    const others = keysOf(this.#plan).filter((key) => key !== asker.key)
    const other = others[asker.draws.below(Math.max(1, others.length))]
    if (other === undefined) return this.#compareAndSet(asker)
    const before = await this.#read(asker, 'default')
    if (before === undefined) return
    const [value, otherValue] = [asker.value, `${asker.value}b`]
    const replaced = this.#operations.begin(asker, { kind: 'cas', expected: before.value, value })
    const written = this.#operations.begin({ ...asker, key: other }, { kind: 'write', value: otherValue })
    this.#operations.open.add(replaced).add(written)
    const index = before.value === undefined ? 0 : before.index
    const answer = await this.#client.replaceAndWrite(
      asker.server.endpoint,
      { key: asker.key, value, index },
      { key: other, value: otherValue },
    )
    this.#operations.open.delete(replaced)
    this.#operations.open.delete(written)
    const { invariants } = this.#world
    if (answer !== false) {
      for (const operation of [replaced, written]) {
        if (answer === true) this.#operations.done(asker, operation)
        invariants.tell('operation ended', { operation })
      }
      return
    }
    this.#operations.answered(replaced, 'refused')
    // Nothing of it happened, and a write without conditions needs no explanation.
    invariants.tell('operation withdrawn', { operation: written })
    for (const operation of [replaced, written]) {
      if (operation.value === undefined) continue
      invariants.tell('write refused', { value: operation.value, what: operationText(operation) })
    }
    invariants.tell('operation ended', { operation: replaced })
  }

  async #list({ server }: Asker, consistency: Consistency): Promise<void> {
    const prefix = prefixOf(this.#plan)
    const answer = await this.#client.list(server.endpoint, prefix, consistency)
    const keys = keysOf(this.#plan)
    if (answer === undefined) return
    this.#world.invariants.tell('keys listed', { asked: keys, found: answer.rows, where: server.name })
  }
}

/** The common prefix of a group's keys. */
export function prefixOf({ name }: Pick<GroupPlan, 'name'>): string {
  return `${name.replaceAll(' ', '-')}/`
}

export function keysOf(plan: Pick<GroupPlan, 'name' | 'keys'>): readonly string[] {
  return Array.from({ length: plan.keys }, (_, at) => keyOf(plan, at))
}

function keyOf(plan: Pick<GroupPlan, 'name'>, number: number): string {
  return `${prefixOf(plan)}${number}`
}
