import { type KeyOperation, operationText } from '../checkers/keys/key-history.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { AskedAgent, GroupWorld } from './asked-agents.ts'

/** A client at one of its turns. */
export interface Asker {
  readonly client: string
  readonly key: string
  readonly server: AskedAgent
  readonly draws: Draws
  /** The value to be written, if the operation writes. */
  readonly value: string
}

/** The facts of an operation besides its client and key. */
type Part = Pick<KeyOperation, 'kind'> & Partial<Pick<KeyOperation, 'value' | 'expected' | 'consistency'>>

/** Reports to the checkers the operations of a group of clients, and their answers. */
export class GroupOperations {
  /** Operations without an answer. */
  readonly open = new Set<KeyOperation>()
  readonly #world: GroupWorld

  constructor(world: GroupWorld) {
    this.#world = world
  }

  openOnes(): readonly string[] {
    return [...this.open].map(operationText)
  }

  begin({ client, key }: Asker, part: Part): KeyOperation {
    const operation: KeyOperation = {
      client,
      key,
      kind: part.kind,
      value: part.value,
      expected: part.expected,
      consistency: part.consistency ?? 'default',
      callUs: this.#world.nowUs(),
      returnUs: Number.POSITIVE_INFINITY,
      outcome: 'unknown',
      found: undefined,
    }
    const event = this.#world.invariants.eventNow()
    if (event > 0) operation.calledIn = event
    this.#world.invariants.tell('operation began', { operation })
    return operation
  }

  /** Waits for the answer to a write; an operation without one stays open to the checkers. */
  async finish(asker: Asker, operation: KeyOperation, asked: Promise<boolean | undefined>): Promise<void> {
    this.open.add(operation)
    const answer = await asked
    this.open.delete(operation)
    if (answer === true) this.done(asker, operation)
    else if (answer === false) this.answered(operation, 'refused')
    this.#world.invariants.tell('operation ended', { operation })
  }

  answered(operation: KeyOperation, outcome: 'ok' | 'refused'): void {
    operation.returnUs = this.#world.nowUs()
    operation.outcome = outcome
    const event = this.#world.invariants.eventNow()
    if (event > 0) operation.answeredIn = event
  }

  /** A write was acknowledged. */
  done(asker: Asker, operation: KeyOperation): void {
    this.answered(operation, 'ok')
    this.#world.invariants.tell('write acknowledged', { operation })
    this.#world.onAcknowledged(asker.server.name)
  }
}
