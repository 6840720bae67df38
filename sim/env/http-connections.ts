import type { Timers } from '../../src/env/clock.ts'
import { type Endpoint, endpointText, type TcpStream } from '../../src/env/net.ts'
import type { NodeClock } from '../world/node-clock.ts'
import { HttpClientConnection } from './http-client.ts'

/** Maximum number of connections kept for later requests, for each address; as in production. */
const idleConnectionsMax = 16
/** Maximum number of addresses to which connections are kept; those to further ones serve one request. */
const addressesMax = 4096
/** A server closes a connection that was idle for two minutes; one that is nearly so old is not reused. */
const idleUsMax = 110_000_000

interface Idle {
  readonly connection: HttpClientConnection
  readonly sinceUs: number
}

/** The connections of one process to HTTP servers, kept and reused: the newest first. */
export class HttpConnections {
  readonly #clock: NodeClock
  readonly #timers: Timers
  readonly #idle = new Map<string, Idle[]>()

  constructor(clock: NodeClock, timers: Timers) {
    this.#clock = clock
    this.#timers = timers
  }

  /** An open and idle connection; undefined if there is none. */
  take(to: Endpoint): HttpClientConnection | undefined {
    const idle = this.#idle.get(endpointText(to))
    for (let last = idle?.pop(); last !== undefined; last = idle?.pop()) {
      if (this.#clock.monoUs() - last.sinceUs <= idleUsMax) return last.connection
      last.connection.end()
    }
    return undefined
  }

  /** `kept`: for later requests as well. */
  made(to: Endpoint, stream: TcpStream, kept: boolean): HttpClientConnection {
    const address = endpointText(to)
    return new HttpClientConnection(
      stream,
      to,
      this.#timers,
      (connection) => {
        if (!kept || !this.#keep(address, connection)) connection.end()
      },
      (connection) => this.#forget(address, connection),
    )
  }

  #keep(address: string, connection: HttpClientConnection): boolean {
    let idle = this.#idle.get(address)
    if (idle === undefined) {
      if (this.#idle.size >= addressesMax) return false
      idle = []
      this.#idle.set(address, idle)
    }
    if (idle.length >= idleConnectionsMax) return false
    idle.push({ connection, sinceUs: this.#clock.monoUs() })
    return true
  }

  #forget(address: string, connection: HttpClientConnection): void {
    const idle = this.#idle.get(address)
    if (idle === undefined) return
    const at = idle.findIndex((each) => each.connection === connection)
    if (at >= 0) idle.splice(at, 1)
    if (idle.length === 0) this.#idle.delete(address)
  }
}
