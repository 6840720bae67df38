import type { Configuration, ServerId } from '../core/types.ts'

/** Former members are forgotten when there are more than this. */
const knownMax = 512

/** Addresses of servers, by the newest configuration that named them: a removed server is still notified of that. */
export class Addresses {
  #known = new Map<ServerId, string>()
  #members: ReadonlySet<ServerId> = new Set()

  learn({ servers }: Configuration): void {
    if (this.#known.size > knownMax) this.#known = new Map()
    for (const { id, address } of servers) this.#known.set(id, address)
    this.#members = new Set(servers.map(({ id }) => id))
  }

  /** This server's name in the newest configuration: its node ID, or its address; undefined: it is not a member. */
  nameOf(nodeId: string, address: string): ServerId | undefined {
    if (this.#members.has(nodeId)) return nodeId
    return this.#members.has(address) ? address : undefined
  }

  /** Empty for a server that no configuration has named here yet. */
  of(id: ServerId): string {
    return this.#known.get(id) ?? ''
  }
}
