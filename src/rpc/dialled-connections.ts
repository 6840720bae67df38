import type { Deferred } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { TcpStream } from '../env/net.ts'
import { Connection, type ConnectionEvents } from './connection.ts'
import type { Hello } from './frame.ts'
import type { DialOutcome } from './lost-peers.ts'
import { dialServer } from './server-dial.ts'
import type { RpcTls, ServerFacts } from './tls.ts'
import type { TlsReports } from './tls-reports.ts'

/** Maximum number of connections that this agent dials. */
const dialledConnectionsMax = 4096
/** After a failed dial, notices to that address are dropped for this long; requests dial again at once. */
const redialPauseMs = 200

/** An address that was dialled. */
interface Dial {
  connection: Connection | undefined
  waiting: Deferred<Connection | undefined>[]
  dialling: boolean
  failedAtMs: number | undefined
  /** The outcome of the last dial, and if it failed the reason, as text. */
  outcome: DialOutcome
  why: string
  /** The datacenter of the server for which the connection was verified. */
  datacenter: string
}

export interface DialledConnectionsParts {
  readonly env: Env
  readonly reports: TlsReports
  readonly tls: () => RpcTls
  /** This agent's hello. Undefined: it dials nothing, not yet or no more. */
  readonly hello: () => Hello | undefined
  /** Facts about the server at an address. */
  readonly factsOf: (address: string) => ServerFacts
  /** The connection with this peer that is used for messages, which may be another than the dialled one. */
  readonly between: (dialled: Connection, peerId: string) => Connection | undefined
  readonly eventsOf: (stream: TcpStream) => ConnectionEvents
}

/**
 * The connections that this agent dials, by address: each is dialled when first needed and again after it broke, once
 * for all callers that wait for it.
 */
export class DialledConnections {
  readonly #parts: DialledConnectionsParts
  readonly #dials = new Map<string, Dial>()

  constructor(parts: DialledConnectionsParts) {
    this.#parts = parts
  }

  /** The open connection to this address, dialled if there is none. Undefined: the dial failed, `whyNot` says why. */
  connect(address: string): Promise<Connection | undefined> {
    const { env } = this.#parts
    const deferred = env.deferred<Connection | undefined>()
    const dial = this.#dials.get(address) ?? this.#add(address)
    const open = this.openTo(address)
    if (open !== undefined) {
      deferred.resolve(open)
      return deferred.promise
    }
    dial.waiting.push(deferred)
    if (!dial.dialling) env.detach(this.#dial(address, dial))
    return deferred.promise
  }

  openTo(address: string): Connection | undefined {
    const { tls, factsOf, between } = this.#parts
    const dial = this.#dials.get(address)
    const dialled = dial?.connection
    if (dial === undefined || dialled?.peer === undefined) return undefined
    if (!tls().verifyServerHostname) return between(dialled, dialled.peer.nodeId)
    // Another agent may have this address now than the one whose certificate was verified.
    if (factsOf(address).datacenter !== dial.datacenter) {
      dialled.close('the server at this address now belongs to another datacenter')
      return undefined
    }
    // The ID of a server in another datacenter may equal that of one here.
    if (dialled.peer.mayActAsServer) return between(dialled, dialled.peer.nodeId)
    return dialled.open ? dialled : undefined
  }

  /** Whether a notice is not worth a dial, because one is under way or has just failed. */
  isPausing(address: string): boolean {
    const dial = this.#dials.get(address)
    if (dial?.dialling === true) return true
    const failedAtMs = dial?.failedAtMs
    return failedAtMs !== undefined && this.#parts.env.clock.monoMs() - failedAtMs < redialPauseMs
  }

  /** Why the last dial of this address failed, as text; empty if it did not, or the reason is unknown. */
  whyNot(address: string): string {
    return this.#dials.get(address)?.why ?? ''
  }

  /** Dials this address now, and returns the outcome. */
  async outcomeOf(address: string): Promise<DialOutcome> {
    const connection = await this.connect(address)
    return connection === undefined ? (this.#dials.get(address)?.outcome ?? 'failed') : 'connected'
  }

  closeAll(why: string): void {
    for (const dial of [...this.#dials.values()]) dial.connection?.close(why)
  }

  #add(address: string): Dial {
    if (this.#dials.size >= dialledConnectionsMax) this.#forgetOne()
    const dial: Dial = {
      connection: undefined,
      waiting: [],
      dialling: false,
      failedAtMs: undefined,
      outcome: 'failed',
      why: '',
      datacenter: '',
    }
    this.#dials.set(address, dial)
    return dial
  }

  /** Removes the first address without an open connection, because the table of dials is limited. */
  #forgetOne(): void {
    for (const [address, dial] of this.#dials) {
      if (dial.connection?.open === true || dial.dialling) continue
      this.#dials.delete(address)
      return
    }
  }

  async #dial(address: string, dial: Dial): Promise<void> {
    dial.dialling = true
    const { env, hello, factsOf, tls } = this.#parts
    const own = hello()
    const server = factsOf(address)
    const stream = own === undefined ? undefined : await this.#dialStream(address, dial, server)
    if (stream === undefined) return this.#dialled(dial, undefined)
    dial.outcome = 'cut-short'
    // Stopped while dialling.
    if (own === undefined || hello() === undefined) {
      stream.close()
      return this.#dialled(dial, undefined)
    }
    dial.datacenter = server.datacenter
    // A verified certificate proves a server of its own datacenter, and no other.
    const isServer = !tls().verifyServerHostname || server.datacenter === own.datacenter
    dial.connection = new Connection(env, stream, own, isServer, this.#eventsOf(stream, address, dial, server))
  }

  /** Undefined: it does not answer, or is another agent than expected. */
  async #dialStream(address: string, dial: Dial, server: ServerFacts): Promise<TcpStream | undefined> {
    const { env, reports, tls } = this.#parts
    const stream = await dialServer({ env, tls: tls(), reports }, address, server)
    if (stream.ok) return stream.value
    reports.silenceOver(address)
    dial.outcome = stream.error.outcome
    dial.why = stream.error.why
    return undefined
  }

  #eventsOf(stream: TcpStream, address: string, dial: Dial, server: ServerFacts): ConnectionEvents {
    const { env, reports, tls, eventsOf } = this.#parts
    const events = eventsOf(stream)
    return {
      ...events,
      onReady: (ready, peer) => {
        dial.outcome = 'connected'
        dial.why = ''
        reports.silenceOver(address)
        events.onReady(ready, peer)
        this.#dialled(dial, ready)
      },
      onClose: (closed, why) => {
        env.log.write('debug', 'rpc', 'connection closed', { address, reason: why }, 'sampled')
        if (dial.connection === closed) dial.connection = undefined
        if (closed.peer === undefined) {
          dial.why = closed.endedByPeer ? reports.closedSilently(address, tls(), server) : why
        }
        if (dial.dialling) this.#dialled(dial, undefined)
        events.onClose(closed, why)
      },
    }
  }

  #dialled(dial: Dial, connection: Connection | undefined): void {
    dial.dialling = false
    dial.failedAtMs = connection === undefined ? this.#parts.env.clock.monoMs() : undefined
    const waiting = dial.waiting
    dial.waiting = []
    for (const deferred of waiting) deferred.resolve(connection)
  }
}
