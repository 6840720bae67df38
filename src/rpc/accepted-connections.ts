import { SourceShares } from '../base/source-shares.ts'
import type { Env } from '../env/env.ts'
import type { TcpStream } from '../env/net.ts'
import { Connection, type ConnectionEvents } from './connection.ts'
import type { Hello } from './frame.ts'
import { mayActAsServer, type RpcTls } from './tls.ts'

/** Maximum number of connections that other agents may hold here. */
const acceptedConnectionsMax = 4096
/**
 * Maximum share of one source: a sixteenth. An agent needs one or two connections, so that some hundred agents have
 * room behind one address, and a stranger that opens connections without end leaves fifteen sixteenths to the others.
 */
export const acceptedPerSourceMax = acceptedConnectionsMax / 16

/** The connections that others have dialled: at most this many at a time, and this many from one source. */
export class AcceptedConnections {
  readonly #env: Env
  readonly #connections = new Set<Connection>()
  readonly #shares = new SourceShares(acceptedPerSourceMax)

  constructor(env: Env) {
    this.#env = env
  }

  get areFull(): boolean {
    return this.#connections.size >= acceptedConnectionsMax
  }

  accept(stream: TcpStream, hello: Hello, tls: RpcTls, events: ConnectionEvents): void {
    const release = this.#shares.take(stream.remote.host)
    if (release === undefined) {
      this.#env.metrics.count('rpc.refused_connections')
      stream.close()
      return
    }
    const isServer = mayActAsServer(tls, hello.datacenter, stream.peer)
    const connection = new Connection(this.#env, stream, hello, isServer, {
      ...events,
      onClose: (closed, why) => {
        this.#connections.delete(closed)
        release()
        events.onClose(closed, why)
      },
    })
    this.#connections.add(connection)
  }

  closeAll(why: string): void {
    for (const connection of [...this.#connections]) connection.close(why)
  }
}
