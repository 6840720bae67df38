/** The part of the network that cuts need. Each direction is separate. */
export interface LinkSwitch {
  cut(from: string, to: string): void
  heal(from: string, to: string): void
}

/** Ends an effect; calling it twice has no further effect. */
export type Undo = () => void

/**
 * Counts cuts for each link: a link that two faults have cut works again when both are over. Healing by hand ends all
 * cuts of a link, so that a fault which ends later does not heal a newer cut.
 */
export class LinkCuts {
  readonly #network: LinkSwitch
  readonly #cuts = new Map<string, Set<object>>()

  constructor(network: LinkSwitch) {
    this.#network = network
  }

  /** Cuts everything from the first nodes to the second ones, and back unless `oneWay`. */
  cut(from: readonly string[], to: readonly string[], oneWay: boolean): Undo {
    const token = {}
    const links: [string, string][] = []
    for (const a of from) {
      for (const b of to) {
        if (a === b) continue
        links.push([a, b])
        if (!oneWay) links.push([b, a])
      }
    }
    for (const [a, b] of links) this.#add(a, b, token)
    return () => {
      for (const [a, b] of links) this.#remove(a, b, token)
    }
  }

  /** Separates groups from one another. */
  partition(groups: readonly (readonly string[])[]): Undo {
    const undos: Undo[] = []
    for (const [at, group] of groups.entries()) {
      for (const other of groups.slice(at + 1)) undos.push(this.cut(group, other, false))
    }
    return () => {
      for (const undo of undos) undo()
    }
  }

  /** Number of cut links, each direction counted separately. */
  get count(): number {
    return this.#cuts.size
  }

  /** Heals every link to and from these servers; all links if undefined. */
  heal(servers: readonly string[] | undefined): void {
    for (const name of [...this.#cuts.keys()]) {
      const [a, b] = name.split(' ') as [string, string]
      if (servers !== undefined && !servers.includes(a) && !servers.includes(b)) continue
      this.#cuts.delete(name)
      this.#network.heal(a, b)
    }
  }

  /** Heals the links between any two of these nodes, in both directions. */
  healAmong(nodes: readonly string[]): void {
    for (const name of [...this.#cuts.keys()]) {
      const [a, b] = name.split(' ') as [string, string]
      if (!nodes.includes(a) || !nodes.includes(b)) continue
      this.#cuts.delete(name)
      this.#network.heal(a, b)
    }
  }

  #add(a: string, b: string, token: object): void {
    const name = `${a} ${b}`
    const tokens = this.#cuts.get(name)
    if (tokens !== undefined) {
      tokens.add(token)
      return
    }
    this.#cuts.set(name, new Set([token]))
    this.#network.cut(a, b)
  }

  #remove(a: string, b: string, token: object): void {
    const name = `${a} ${b}`
    const tokens = this.#cuts.get(name)
    if (tokens === undefined || !tokens.delete(token) || tokens.size > 0) return
    this.#cuts.delete(name)
    this.#network.heal(a, b)
  }
}
