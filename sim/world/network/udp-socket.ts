import type { Endpoint, ListenFailure, UdpSocket } from '../../../src/env/net.ts'
import type { Meaning } from '../../report/meaning.ts'
import { datagramFates as fates, traceKinds } from '../../report/trace-kinds.ts'
import type { Boot, ProcessPart } from '../boot.ts'
import type { Kernel } from '../kernel.ts'
import { SimEvent } from '../sim-event.ts'
import type { Bound, Host } from './host.ts'
import type { Link } from './link.ts'
import type { Network } from './network.ts'
import { carriedKinds, type Passage } from './passage.ts'

/** The largest payload of a UDP datagram over IPv4. */
const datagramBytesMax = 65_507

/** The fates of the first, of a second copy, and of one that arrives again much later. */
const copies = [fates.onItsWay, fates.copy, fates.replay] as const

export type DatagramUse = (from: Endpoint, bytes: Uint8Array) => void

/** A bound socket of one process. */
export class SimUdpSocket implements UdpSocket, Bound, ProcessPart {
  readonly local: Endpoint
  readonly address: string
  readonly boot: Boot
  readonly use: DatagramUse
  readonly #kernel: Kernel
  readonly #network: Network
  readonly #host: Host

  private constructor(kernel: Kernel, network: Network, host: Host, boot: Boot, local: Endpoint, use: DatagramUse) {
    this.#kernel = kernel
    this.#network = network
    this.#host = host
    this.boot = boot
    this.local = local
    this.address = local.host
    this.use = use
  }

  static bind(
    kernel: Kernel,
    network: Network,
    host: Host,
    boot: Boot,
    at: Endpoint,
    use: DatagramUse,
  ): SimUdpSocket | ListenFailure {
    const made = host.udp.bind(
      at,
      (port) => new SimUdpSocket(kernel, network, host, boot, { host: at.host, port }, use),
    )
    if (made instanceof SimUdpSocket) boot.parts.add(made)
    return made as SimUdpSocket | ListenFailure
  }

  send(to: Endpoint, bytes: Uint8Array): void {
    const kernel = this.#kernel
    if (!kernel.enter(this.boot) || !this.boot.parts.has(this) || bytes.length > datagramBytesMax) return
    const target = this.#network.hostAt(this.#host, to.host)
    const source = this.#host.number
    const means = kernel.meaningOf('datagram', this.#host.name, target?.name ?? '', to.port, bytes)
    if (target === undefined) {
      kernel.tellNext(means)
      kernel.trace.addBytes(traceKinds.datagramSent, source, 0, fates.nobody, 0, bytes)
      return
    }
    const link = this.#network.link(this.#host, target)
    const passage = link.passage(carriedKinds.datagram, to.port, bytes)
    const fate = !link.letsDatagram(passage) ? fates.lost : link.hasRoom ? fates.onItsWay : fates.noRoom
    if (fate !== fates.onItsWay) {
      kernel.tellNext(means, fate === fates.lost ? link.lossBy : 0)
      kernel.trace.addBytes(traceKinds.datagramSent, source, target.number, fate, 0, bytes)
      return
    }
    // A copy, because the sender may reuse its buffer at once, as with a real socket.
    const sent = kernel.slab.copy(bytes)
    this.#launch({ link, passage, to, bytes: sent, means }, 0)
    if (passage.duplicates()) this.#launch({ link, passage, to, bytes: sent, means }, 1)
    const replayUs = passage.replayUs()
    if (replayUs !== undefined) this.#launch({ link, passage, to, bytes: sent, means }, 2, replayUs)
  }

  close(): void {
    if (this.#kernel.enter(this.boot)) this.processEnded()
  }

  processEnded(): void {
    this.#host.udp.release(this.local.port, this)
    this.boot.parts.delete(this)
  }

  #launch({ link, passage, to, bytes, means }: Launched, copy: 0 | 1 | 2, laterUs = 0): void {
    const kernel = this.#kernel
    const delayUs = passage.datagramDelayUs(copy) + laterUs
    kernel.tellNext(means)
    kernel.trace.addBytes(traceKinds.datagramSent, this.#host.number, link.to.number, copies[copy], delayUs, bytes)
    const from = { host: this.#host.sourceFor(to.host), port: this.local.port }
    link.underWay++
    const event = new DatagramEvent(kernel, link, passage, from, to, passage.carried(bytes, copy), means)
    event.cause = kernel.trace.last
    kernel.queue.push(event, kernel.nowUs + delayUs)
  }
}

/** A datagram that is sent, and its meaning for readers of the trace. */
interface Launched {
  readonly link: Link
  readonly passage: Passage
  readonly to: Endpoint
  readonly bytes: Uint8Array
  readonly means: readonly Meaning[] | undefined
}

/**
 * A datagram that no process sent: an attacker sends it in another's name. From an address that no machine has, nothing
 * is sent.
 */
export function forgeDatagram(kernel: Kernel, network: Network, from: Endpoint, to: Endpoint, bytes: Uint8Array): void {
  const [source, target] = [network.hostOf(from.host), network.hostOf(to.host)]
  if (source === undefined || target === undefined) return
  const link = network.link(source, target)
  if (!link.hasRoom) return
  const passage = link.passage(carriedKinds.forged, to.port, bytes)
  const delayUs = passage.datagramDelayUs()
  const means = kernel.meaningOf('datagram', source.name, target.name, to.port, bytes)
  kernel.tellNext(means)
  kernel.trace.addBytes(traceKinds.datagramSent, source.number, target.number, fates.forged, delayUs, bytes)
  link.underWay++
  const event = new DatagramEvent(kernel, link, passage, from, to, bytes, means)
  event.cause = kernel.trace.last
  kernel.queue.push(event, kernel.nowUs + delayUs)
}

class DatagramEvent extends SimEvent {
  readonly #kernel: Kernel
  readonly #link: Link
  readonly #from: Endpoint
  readonly #to: Endpoint
  readonly #bytes: Uint8Array
  readonly #means: readonly Meaning[] | undefined
  /** The machine has received it, but its process is paused. */
  #reached = false

  constructor(
    kernel: Kernel,
    link: Link,
    passage: Passage,
    from: Endpoint,
    to: Endpoint,
    bytes: Uint8Array,
    means: readonly Meaning[] | undefined,
  ) {
    super(undefined, passage.a)
    this.#kernel = kernel
    this.#link = link
    this.#from = from
    this.#to = to
    this.#bytes = bytes
    this.#means = means
  }

  /** The process that runs on the machine when the datagram arrives. */
  holder(): Boot | undefined {
    return this.#link.to.boot
  }

  override backlogBytes(): number {
    return this.#bytes.length
  }

  override waits(): boolean {
    this.#reached = this.#link.isWhole
    if (!this.#reached) this.dropped()
    return this.#reached
  }

  override dropped(): void {
    this.#link.underWay--
    const { trace } = this.#kernel
    trace.teller?.next({ causes: [this.cause, trace.cause], fields: this.#told })
    trace.addText(traceKinds.datagram, this.#link.to.number, this.#link.from.number, 0, 0, 'no room')
  }

  get #told(): { readonly means?: readonly Meaning[] } {
    return this.#means === undefined ? {} : { means: this.#means }
  }

  deliver(): void {
    const { to } = this.#link
    this.#link.underWay--
    const arrives = this.#reached || this.#link.isWhole
    const socket = arrives ? to.udp.at(this.#to.host, this.#to.port) : undefined
    const text = arrives ? (socket === undefined ? 'nobody listens' : '') : 'lost under way'
    this.#kernel.tellNext(this.#means, arrives ? 0 : this.#link.lossBy)
    this.#kernel.trace.addText(traceKinds.datagram, to.number, this.#link.from.number, this.#bytes.length, 0, text)
    if (socket instanceof SimUdpSocket) socket.use(this.#from, this.#bytes)
  }
}
