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

  accept(stream: TcpStream, hello: Hello, tls: RpcTls, events: ConnectionEvents): void {
    if (this.#connections.size >= acceptedConnectionsMax) return this.#refuse(stream, 'there are')
    const release = this.#shares.take(stream.remote.host)
    if (release === undefined) return this.#refuse(stream, 'its address has')
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

  /** The other end learns no reason: this log alone has it. */
  #refuse(stream: TcpStream, whose: 'there are' | 'its address has'): void {
    this.#env.metrics.count('rpc.refused_connections')
    const isOfAll = whose === 'there are'
    const why = `${whose} ${isOfAll ? acceptedConnectionsMax : acceptedPerSourceMax} connections already`
    const remedy = isOfAll
      ? 'give the datacenter more servers, or stop what opens so many'
      : 'give agents behind one address further addresses, or stop what opens so many there'
    const fields = { from: stream.remote.host, why, remedy }
    this.#env.log.write('warn', 'rpc', 'refused a connection', fields, 'sampled')
    stream.close()
  }

  closeAll(why: string): void {
    for (const connection of [...this.#connections]) connection.close(why)
  }
}
