import type { GossipEffect } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { GoneMembers } from './gone-members.ts'

/** A failed member, from one observer's view. Numbers of the observer's tries, of all members. */
interface Waiting {
  /** How many tries there had been when the observer learned that it failed, or its try since then. */
  readonly since: number
  /** Its last two tries since it failed, older first. */
  readonly tries: readonly number[]
}

/**
 * M5. One observer tries its failed members in rounds. The argument: between the first and the third try of a member,
 * a whole round passes, since no round has two tries of it. So every other member that had failed before the first is
 * tried before the third.
 */
export class ReconnectTurns {
  readonly #law: GoneMembers
  readonly #node: string
  readonly #waiting = new Map<string, Waiting>()
  #tries = 0

  constructor(law: GoneMembers, node: string) {
    this.#law = law
    this.#node = node
  }

  /** The member lives, has left, has failed, or has another incarnation: what was tried before counts no more. */
  changed(name: string, status: string): void {
    if (status === 'failed') this.#waiting.set(name, { since: this.#tries, tries: [] })
    else this.#waiting.delete(name)
  }

  /** Called after each step, before its changes are reported. */
  stepped({ failed }: ObservedCore, effects: readonly GossipEffect[]): void {
    for (const effect of effects)
      if (effect.kind === 'exchange' && effect.purpose === 'reconnect' && effect.node !== undefined)
        this.#tried(effect.node, failed)
  }

  #tried(name: string, failed: ObservedCore['failed']): void {
    this.#tries++
    const { tries } = this.#waiting.get(name) ?? { tries: [] }
    const [first] = tries.length === 2 ? tries : []
    const passed =
      first === undefined ? undefined : failed.find((other) => (this.#waiting.get(other.name)?.since ?? first) < first)
    this.#law.inTurn(this.#node, name, passed?.name)
    this.#waiting.set(name, { since: this.#tries, tries: [...tries, this.#tries].slice(-2) })
  }
}
