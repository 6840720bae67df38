import { err, ok, type Result } from '../base/result.ts'
import { SourceShares } from '../base/source-shares.ts'
import type { Deferred } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { Endpoint, ListenerTls, ListenFailure, TcpListener, TcpStream } from '../env/net.ts'
import type { Failure } from '../model/failure.ts'
import { Connection } from './connection.ts'
import { type Hello, rpcProtocol } from './frame.ts'
import { type DialOutcome, LostPeers, type PeerWatch } from './lost-peers.ts'
import type { ConnectionLost, RpcCall } from './requests-in-flight.ts'
import type { Peer, ServedRequest } from './served-requests.ts'
import { dialServer } from './server-dial.ts'
import { listenerTls, mayActAsServer, noTls, type RpcTls, type ServerFacts, serverCertificateName } from './tls.ts'
import { TlsReports } from './tls-reports.ts'

/** Connections that other agents may hold here. */
const acceptedConnectionsMax = 4096
/**
 * Maximum share of one source: a sixteenth. An agent needs one or two connections, so that some hundred of them have
 * room behind one address, and a stranger that opens connections without end leaves the others fifteen sixteenths.
 */
export const acceptedPerSourceMax = acceptedConnectionsMax / 16
/** Connections that this agent dials. */
const dialledConnectionsMax = 4096
/** After a dial failed, notices to that address are dropped for this long; requests try again at once. */
const redialPauseMs = 200

/** The request never left this agent: it was certainly not served. */
export interface Unreachable {
  readonly kind: 'unreachable'
  readonly message: string
}

export type CallFailure = Failure | ConnectionLost | Unreachable

/** How this agent identifies itself to its peers, and what it does with what they send. */
export interface RpcIdentity {
  readonly nodeId: string
  readonly nodeName: string
  readonly datacenter: string
  /** The address at which others reach this agent, or empty. */
  readonly address: string
}

export interface RpcHandlers {
  onRequest(request: ServedRequest): Promise<Result<unknown, Failure>>
  /** Only from peers that may act as servers. */
  onNotice(peer: Peer, topic: string, bytes: Uint8Array): void
  /** A peer has said hello on a new connection. */
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

interface Dial {
  connection: Connection | undefined
  waiting: Deferred<Connection | undefined>[]
  dialling: boolean
  failedAtMs: number | undefined
  /** How the last dial came out, and if it failed why, in words. */
  outcome: DialOutcome
  why: string
  /** The datacenter of the server for which the connection was verified. */
  datacenter: string
}

/**
 * The connections of one agent to others. One connection carries everything between two agents, whichever of them
 * dialled it; it is dialled when first needed and again when it broke.
 */
export class Rpc {
  readonly #env: Env
  readonly #dials = new Map<string, Dial>()
  readonly #accepted = new Set<Connection>()
  readonly #shares = new SourceShares(acceptedPerSourceMax)
  /** By node ID, the accepted connection heard of last: answers to a peer's notices go back where they came from. */
  readonly #inbound = new Map<string, Connection>()
  /**
   * By node ID, the dialled connection that said hello last: callers find a peer by it whose address they do not know.
   */
  readonly #outbound = new Map<string, Connection>()
  readonly #lostPeers: LostPeers
  readonly #reports: TlsReports
  #tls: RpcTls
  #listener: TcpListener | undefined
  /** Undefined before `start` and after `stop`: nothing is dialled or accepted then. */
  #service: Service | undefined

  private constructor(env: Env, tls: RpcTls) {
    this.#env = env
    this.#tls = tls
    this.#reports = new TlsReports(env)
    this.#lostPeers = new LostPeers({ env, dial: (address) => this.#redial(address) })
  }

  /**
   * Takes the port at once, so that one in use is found before anything is written; `undefined`: only dial. Nobody is
   * served before `start`.
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

  /** Connections that are made from now on are secured so; those that are open stay. For settings without a problem. */
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
    const connection = await this.#connect(address)
    if (connection === undefined) {
      const why = this.#dials.get(address)?.why ?? ''
      return err({ kind: 'unreachable', message: `cannot reach ${address}${why === '' ? '' : `: ${why}`}` })
    }
    return connection.request(call)
  }

  /**
   * Sends one message without an answer, on any connection with that peer; `address`, which may be empty, is dialed if
   * there is none. May be lost. Another agent that answers at the address does not get it, unless `peerId` is
   * undefined: then it is for any agent at that address.
   */
  notify(peerId: string | undefined, address: string, topic: string, bytes: Uint8Array): void {
    const open = peerId === undefined ? this.#openTo(address) : this.#between(this.#outbound.get(peerId), peerId)
    if (open !== undefined) return open.notify(topic, bytes)
    const dial = this.#dials.get(address)
    if (address === '' || dial?.dialling === true || this.#recentlyFailed(dial)) return
    this.#env.detach(
      this.#connect(address).then((connection) => {
        if (peerId === undefined || connection?.peer?.nodeId === peerId) connection?.notify(topic, bytes)
      }),
    )
  }

  #openTo(address: string): Connection | undefined {
    const dial = this.#dials.get(address)
    const dialled = dial?.connection
    if (dial === undefined || dialled?.peer === undefined) return undefined
    if (!this.#tls.verifyServerHostname) return this.#between(dialled, dialled.peer.nodeId)
    // Another agent may have this address now than the one whose certificate was verified.
    if (this.#factsOf(address).datacenter !== dial.datacenter) {
      dialled.close('the server at this address is of another datacenter now')
      return undefined
    }
    // The ID that a server of another datacenter gives may be that of one here.
    if (dialled.peer.mayActAsServer) return this.#between(dialled, dialled.peer.nodeId)
    return dialled.open ? dialled : undefined
  }

  /** Facts about the server at an address. */
  #factsOf(address: string): ServerFacts {
    const datacenter = this.#service?.hello.datacenter ?? ''
    return this.#service?.handlers.serverAt?.(address) ?? { name: address, datacenter, offersTls: false }
  }

  /**
   * The connection for messages to this peer. If each has dialed the other, both ends use the one that the lower node
   * ID dialed: traffic in both directions on one connection shows each end that the other is alive.
   */
  #between(dialled: Connection | undefined, peerId: string): Connection | undefined {
    const own = dialled?.open === true && dialled.peer !== undefined ? dialled : undefined
    const inbound = this.#inbound.get(peerId)
    if (inbound?.open !== true) return own
    const lower = (this.#service?.hello.nodeId ?? '') < peerId
    return lower ? (own ?? inbound) : inbound
  }

  stop(): void {
    this.#service = undefined
    this.#lostPeers.stop()
    this.#listener?.close()
    for (const connection of [...this.#accepted]) connection.close('shutting down')
    for (const dial of [...this.#dials.values()]) dial.connection?.close('shutting down')
  }

  #recentlyFailed(dial: Dial | undefined): boolean {
    return dial?.failedAtMs !== undefined && this.#env.clock.monoMs() - dial.failedAtMs < redialPauseMs
  }

  #accept(stream: TcpStream): void {
    const service = this.#service
    if (service === undefined || this.#accepted.size >= acceptedConnectionsMax) {
      stream.close()
      return
    }
    const release = this.#shares.take(stream.remote.host)
    if (release === undefined) {
      this.#env.metrics.count('rpc.refused_connections')
      stream.close()
      return
    }
    const { handlers, hello } = service
    const isServer = mayActAsServer(this.#tls, hello.datacenter, stream.peer)
    const connection: Connection = new Connection(this.#env, stream, hello, isServer, {
      onRequest: (request) => handlers.onRequest(request),
      onNotice: (peer, topic, bytes) => {
        if (peer.mayActAsServer) handlers.onNotice(peer, topic, bytes)
        else this.#pretended(stream, peer)
      },
      onReady: (ready, peer) => {
        // Messages for a server must not go to a peer that only claims to be that server.
        if (!peer.mayActAsServer) return
        this.#inbound.set(peer.nodeId, ready)
        this.#lostPeers.met(peer.nodeId)
        handlers.onPeer(peer)
      },
      onClose: (closed) => {
        this.#accepted.delete(closed)
        release()
        if (closed.peer !== undefined && this.#inbound.get(closed.peer.nodeId) === closed) {
          this.#inbound.delete(closed.peer.nodeId)
        }
        this.#closed(closed)
      },
    })
    this.#accepted.add(connection)
  }

  #pretended({ remote }: TcpStream, { nodeName }: Peer): void {
    const expected = serverCertificateName(this.#service?.hello.datacenter ?? '', this.#tls.domain)
    this.#reports.pretended(remote, nodeName, expected)
  }

  #connect(address: string): Promise<Connection | undefined> {
    const deferred = this.#env.deferred<Connection | undefined>()
    let dial = this.#dials.get(address)
    if (dial === undefined) {
      if (this.#dials.size >= dialledConnectionsMax) this.#forgetOne()
      dial = {
        connection: undefined,
        waiting: [],
        dialling: false,
        failedAtMs: undefined,
        outcome: 'failed',
        why: '',
        datacenter: '',
      }
      this.#dials.set(address, dial)
    }
    const open = this.#openTo(address)
    if (open !== undefined) {
      deferred.resolve(open)
      return deferred.promise
    }
    dial.waiting.push(deferred)
    if (!dial.dialling) this.#env.detach(this.#dial(address, dial))
    return deferred.promise
  }

  /** Drops the first address to which nothing is open: the table of dials is bounded. */
  #forgetOne(): void {
    for (const [address, dial] of this.#dials) {
      if (dial.connection?.open === true || dial.dialling) continue
      this.#dials.delete(address)
      return
    }
  }

  async #dial(address: string, dial: Dial): Promise<void> {
    dial.dialling = true
    const service = this.#service
    const server = this.#factsOf(address)
    const stream = service === undefined ? undefined : await this.#dialStream(address, dial, server)
    if (stream === undefined) return this.#dialled(dial, undefined)
    dial.outcome = 'cut-short'
    // Stopped while dialling.
    if (service === undefined || this.#service === undefined) {
      stream.close()
      return this.#dialled(dial, undefined)
    }
    const { handlers, hello } = service
    dial.datacenter = server.datacenter
    // A certificate that was looked at proves a server of its own datacenter, and no other.
    const isServer = !this.#tls.verifyServerHostname || server.datacenter === hello.datacenter
    dial.connection = new Connection(this.#env, stream, hello, isServer, {
      onRequest: (request) => handlers.onRequest(request),
      onNotice: (peer, topic, bytes) => {
        if (peer.mayActAsServer) handlers.onNotice(peer, topic, bytes)
        else this.#pretended(stream, peer)
      },
      onReady: (ready, peer) => {
        dial.outcome = 'connected'
        dial.why = ''
        this.#reports.connected(address)
        if (peer.mayActAsServer) {
          this.#outbound.set(peer.nodeId, ready)
          this.#lostPeers.met(peer.nodeId)
          handlers.onPeer(peer)
        }
        this.#dialled(dial, ready)
      },
      onClose: (closed, why) => {
        this.#env.log.write('debug', 'rpc', 'connection closed', { address, reason: why }, 'sampled')
        if (closed.peer !== undefined && this.#outbound.get(closed.peer.nodeId) === closed) {
          this.#outbound.delete(closed.peer.nodeId)
        }
        if (dial.connection === closed) dial.connection = undefined
        if (closed.peer === undefined) {
          dial.why = closed.endedByPeer ? this.#reports.closedSilently(address, this.#tls, server) : why
        }
        if (dial.dialling) this.#dialled(dial, undefined)
        this.#closed(closed)
      },
    })
  }

  /** Undefined: it does not answer, or is another agent than expected. */
  async #dialStream(address: string, dial: Dial, server: ServerFacts): Promise<TcpStream | undefined> {
    const stream = await dialServer({ env: this.#env, tls: this.#tls, reports: this.#reports }, address, server)
    if (stream.ok) return stream.value
    dial.outcome = stream.error.outcome
    dial.why = stream.error.why
    return undefined
  }

  /** If this was the last connection with a watched peer, finds out whether the peer has ended. */
  #closed({ peer }: Connection): void {
    const watch = this.#service?.handlers.watch
    if (peer === undefined || watch === undefined) return
    if (this.#between(this.#outbound.get(peer.nodeId), peer.nodeId) !== undefined) return
    this.#lostPeers.lost(peer, watch)
  }

  async #redial(address: string): Promise<DialOutcome> {
    const connection = await this.#connect(address)
    return connection === undefined ? (this.#dials.get(address)?.outcome ?? 'failed') : 'connected'
  }

  #dialled(dial: Dial, connection: Connection | undefined): void {
    dial.dialling = false
    dial.failedAtMs = connection === undefined ? this.#env.clock.monoMs() : undefined
    const waiting = dial.waiting
    dial.waiting = []
    for (const deferred of waiting) deferred.resolve(connection)
  }
}
