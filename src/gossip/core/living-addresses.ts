import type { MemberRecord } from './member-record.ts'
import type { GossipAddress } from './messages.ts'

/**
 * Addresses of living members, each with the number of members that have it. Made when it is first asked for, because
 * most agents never are, and kept from then on: a packet may ask 255 times, and a search of all members would take
 * longer than all other work on a message.
 */
export class LivingAddresses {
  readonly #members: ReadonlyMap<string, MemberRecord>
  #counts: Map<string, number> | undefined

  constructor(members: ReadonlyMap<string, MemberRecord>) {
    this.#members = members
  }

  has(address: GossipAddress): boolean {
    this.#counts ??= this.#counted()
    return this.#counts.has(textOf(address))
  }

  /** A member that was dead, or new, is alive at this address. */
  came(address: GossipAddress): void {
    if (this.#counts !== undefined) add(this.#counts, address)
  }

  /** A member at this address is dead. */
  went(address: GossipAddress): void {
    const at = textOf(address)
    const count = this.#counts?.get(at) ?? 0
    if (count > 1) this.#counts?.set(at, count - 1)
    else this.#counts?.delete(at)
  }

  #counted(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { state, address } of this.#members.values()) if (state !== 'dead') add(counts, address)
    return counts
  }
}

function add(counts: Map<string, number>, address: GossipAddress): void {
  const at = textOf(address)
  counts.set(at, (counts.get(at) ?? 0) + 1)
}

function textOf({ host, port }: GossipAddress): string {
  return `${port} ${host}`
}
