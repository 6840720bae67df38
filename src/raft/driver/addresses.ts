import type { Configuration, ServerId } from '../core/types.ts'

/** Former members are forgotten when there are more than this. */
const knownMax = 512

/** Where servers are, by the newest configuration that named them: one that was removed is still told so. */
export class Addresses {
  #known = new Map<ServerId, string>()
  #members: ReadonlySet<ServerId> = new Set()

  learn({ servers }: Configuration): void {
    if (this.#known.size > knownMax) this.#known = new Map()
    for (const { id, address } of servers) this.#known.set(id, address)
    this.#members = new Set(servers.map(({ id }) => id))
  }

  /** What the newest configuration calls this server: its node ID, or its address; undefined: it is no member. */
  nameOf(nodeId: string, address: string): ServerId | undefined {
    if (this.#members.has(nodeId)) return nodeId
    return this.#members.has(address) ? address : undefined
  }

  /** Empty for a server that no configuration has named here yet. */
  of(id: ServerId): string {
    return this.#known.get(id) ?? ''
  }
}
