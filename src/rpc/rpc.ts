import type { HeldMemory } from '../base/held-memory.ts'
import { invariant } from '../base/invariant.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import type { Endpoint, ListenerTls, ListenFailure, SendingTime, TcpListener, TcpStream } from '../env/net.ts'
import type { Failure } from '../model/failure.ts'
import { AcceptedConnections } from './accepted-connections.ts'
import type { Connection, ConnectionEvents } from './connection.ts'
import { DialledConnections } from './dialled-connections.ts'
import { type Hello, rpcProtocol } from './frame.ts'
import { LostPeers, type PeerWatch } from './lost-peers.ts'
import { PeerConnections } from './peer-connections.ts'
import { peersMemory } from './peers-memory.ts'
import type { CallFailure, RpcCall } from './requests-in-flight.ts'
import type { Peer, ServedRequest } from './served-requests.ts'
import { listenerTls, noTls, type RpcTls, type ServerFacts, serverCertificateName } from './tls.ts'
import { TlsReports } from './tls-reports.ts'

export type { CallFailure }

/** How this agent identifies itself to its peers, and how it handles their messages. */
export interface RpcIdentity {
  readonly nodeId: string
  readonly nodeName: string
  readonly datacenter: string
  /** The address at which others reach this agent, or empty. */
  readonly address: string
}

export interface RpcHandlers {
  onRequest(request: ServedRequest): Promise<Result<unknown, Failure>>
  /** Whether a request of this method is a write; absent: none is. */
  isWrite?(method: string): boolean
  /** Called only for peers that may act as servers. */
  onNotice(peer: Peer, topic: string, bytes: Uint8Array): void
  /** A peer has sent its hello on a new connection. */
  onPeer(peer: Peer): void
  /** Facts about the server at this address. Absent or undefined: a server of this datacenter without TLS. */
  serverAt?(address: string): ServerFacts | undefined
  /** Absent: no ends of peers are reported. */
  readonly watch?: PeerWatch
}

interface Service {
  readonly hello: Hello
  readonly handlers: RpcHandlers
}

/**
 * The connections of one agent to others. One connection carries everything between two agents, whichever of them
 * dialled it; it is dialled when first needed and again after it broke.
 */
export class Rpc {
  readonly #env: Env
  readonly #reports: TlsReports
  readonly #lostPeers: LostPeers
  readonly #peers: PeerConnections
  readonly #dialled: DialledConnections
  readonly #accepted: AcceptedConnections
  readonly #memory: HeldMemory<Connection>
  #tls: RpcTls
  #listener: TcpListener | undefined
  /** Undefined before `start` and after `stop`: nothing is dialled or accepted then. */
  #service: Service | undefined

  private constructor(env: Env, tls: RpcTls) {
    this.#env = env
    this.#tls = tls
    this.#reports = new TlsReports(env)
    this.#lostPeers = new LostPeers({ env, dial: (address) => this.#dialled.outcomeOf(address) })
    this.#peers = new PeerConnections({
      ownId: () => this.#service?.hello.nodeId ?? '',
      lostPeers: this.#lostPeers,
      watch: () => this.#service?.handlers.watch,
    })
    this.#accepted = new AcceptedConnections(env)
    this.#memory = peersMemory(env)
    this.#dialled = new DialledConnections({
      env,
      reports: this.#reports,
      tls: () => this.#tls,
      hello: () => this.#service?.hello,
      factsOf: (address) => this.#factsOf(address),
      between: (dialled, peerId) => this.#peers.between(dialled, peerId),
      eventsOf: (stream) => this.#eventsOf(stream, 'dialled'),
    })
  }

  /**
   * Opens the port at once, so that one in use is detected before anything is written; `undefined`: only dial. No
   * request is served before `start`.
   */
  static async open(env: Env, listen: Endpoint | undefined, tls: RpcTls = noTls): Promise<Result<Rpc, ListenFailure>> {
    const rpc = new Rpc(env, tls)
    if (listen !== undefined) {
      const listener = await env.tcp.listen(listen, (stream) => rpc.#accept(stream), rpc.#listenerTls())
      if (!listener.ok) return listener
      rpc.#listener = listener.value
    }
    return ok(rpc)
  }

  /** Applies to connections that are made from now on; open ones are not affected. The settings must be valid. */
  renewTls(tls: RpcTls): void {
    this.#tls = tls
    this.#listener?.renewTls(this.#listenerTls())
  }

  #listenerTls(): ListenerTls | undefined {
    return listenerTls(this.#tls, (from, why) => this.#reports.refused(from, why))
  }

  start(identity: RpcIdentity, handlers: RpcHandlers): void {
    this.#service = { hello: { protocol: rpcProtocol, ...identity }, handlers }
  }

  async request(address: string, call: RpcCall): Promise<Result<unknown, CallFailure>> {
    const connection = await this.#dialled.connect(address)
    if (connection === undefined) {
      const why = this.#dialled.whyNot(address)
      return err({ kind: 'unreachable', message: `cannot reach ${address}${why === '' ? '' : `: ${why}`}` })
    }
    return connection.request(call)
  }

  /**
   * Sends one message without an answer, on any connection with that peer; `address`, which may be empty, is dialed if
   * there is none. The message may be lost. Another agent that answers at the address does not get it, unless `peerId`
   * is undefined: then it is for any agent at that address.
   */
  notify(
    peerId: string | undefined,
    address: string,
    topic: string,
    bytes: Uint8Array,
    when: SendingTime = 'now',
  ): void {
    const open = peerId === undefined ? this.#dialled.openTo(address) : this.#peers.to(peerId)
    if (open !== undefined) return open.notify(topic, bytes, when)
    if (address === '' || this.#dialled.isPausing(address)) return
    this.#env.detach(
      this.#dialled.connect(address).then((connection) => {
        if (peerId === undefined || connection?.peer?.nodeId === peerId) connection?.notify(topic, bytes, when)
      }),
    )
  }

  /** Facts about the server at an address. */
  #factsOf(address: string): ServerFacts {
    const datacenter = this.#service?.hello.datacenter ?? ''
    return this.#service?.handlers.serverAt?.(address) ?? { name: address, datacenter, offersTls: false }
  }

  stop(): void {
    this.#service = undefined
    this.#lostPeers.stop()
    this.#listener?.close()
    this.#accepted.closeAll('shutting down')
    this.#dialled.closeAll('shutting down')
  }

  #accept(stream: TcpStream): void {
    this.#env.metrics.count('rpc.accept_conn')
    if (this.#service === undefined) stream.close()
    else this.#accepted.accept(stream, this.#service.hello, this.#tls, this.#eventsOf(stream, 'accepted'))
  }

  /**
   * Called while the service runs: its handlers get the events of the connection until it has closed, even after
   * `stop`.
   */
  #eventsOf(stream: TcpStream, how: 'accepted' | 'dialled'): ConnectionEvents {
    const handlers = this.#service?.handlers
    invariant(handlers !== undefined, 'connections are made between start and stop')
    return {
      onRequest: (request) => handlers.onRequest(request),
      isWrite: (method) => handlers.isWrite?.(method) === true,
      onNotice: (peer, topic, bytes) => {
        if (peer.mayActAsServer) handlers.onNotice(peer, topic, bytes)
        else this.#pretended(stream, peer)
      },
      onReady: (ready, peer) => {
        if (!peer.mayActAsServer) return
        this.#peers.met(ready, peer, how)
        handlers.onPeer(peer)
      },
      onHeld: (connection) => this.#memory.grown(connection),
      onClose: (closed) => {
        this.#memory.gone(closed)
        this.#peers.closed(closed)
      },
    }
  }

  #pretended({ remote }: TcpStream, { nodeName }: Peer): void {
    const expected = serverCertificateName(this.#service?.hello.datacenter ?? '', this.#tls.domain)
    this.#reports.pretended(remote, nodeName, expected)
  }
}
