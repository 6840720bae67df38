import type { PoolServer } from '../../pool/pool-servers.ts'

/** Servers in the order in which they are asked: the first one is kept as long as it answers. */
export class AskedInTurn {
  /** Draws a place below the bound for the server of this ID. */
  readonly #draw: (bound: number, id: string) => number
  #servers: PoolServer[] = []

  constructor(draw: (bound: number, id: string) => number) {
    this.#draw = draw
  }

  get count(): number {
    return this.#servers.length
  }

  get first(): PoolServer | undefined {
    return this.#servers[0]
  }

  has(id: string): boolean {
    return this.#servers.some((server) => server.id === id)
  }

  nameOf(id: string): string {
    return this.#servers.find((server) => server.id === id)?.name ?? id
  }

  /** The server did not answer: it moves to the end of the order. */
  failed(id: string): void {
    if (this.#servers[0]?.id === id) this.#servers.push(...this.#servers.splice(0, 1))
  }

  /**
   * Sets the present members: known ones keep their places, new ones get random places. Returns whether there are any.
   */
  replace(alive: ReadonlyMap<string, PoolServer>): boolean {
    const servers = this.#servers.flatMap(({ id }) => alive.get(id) ?? [])
    const known = new Set(servers.map(({ id }) => id))
    const appeared = [...alive.values()].filter(({ id }) => !known.has(id))
    this.#servers = servers
    for (const server of appeared) this.#place(server)
    return appeared.length > 0
  }

  /** Draws all places anew. */
  shuffle(): void {
    const before = this.#servers
    this.#servers = []
    for (const server of before) this.#place(server)
  }

  #place(server: PoolServer): void {
    this.#servers.splice(this.#draw(this.#servers.length + 1, server.id), 0, server)
  }
}
