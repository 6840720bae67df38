import type { Endpoint, ListenFailure, UdpSocket } from '../../../src/env/net.ts'
import { traceKinds } from '../../report/trace-kinds.ts'
import type { Boot, ProcessPart } from '../boot.ts'
import type { Kernel } from '../kernel.ts'
import { SimEvent } from '../sim-event.ts'
import type { Bound, Host } from './host.ts'
import type { Link } from './link.ts'
import type { Network } from './network.ts'
import { carriedKinds, type Passage } from './passage.ts'

/** The largest payload of a UDP datagram over IPv4. */
const datagramBytesMax = 65_507

/** What became of a datagram when it was sent, as the trace has it. */
const fates = { onItsWay: 0, lost: 1, nobody: 2, noRoom: 3, copy: 4, replay: 5, forged: 6 } as const

/** The fate of the first, of a second one, and of one that comes again much later. */
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
    if (target === undefined) {
      kernel.trace.addBytes(traceKinds.datagramSent, source, 0, fates.nobody, 0, bytes)
      return
    }
    const link = this.#network.link(this.#host, target)
    const passage = link.passage(carriedKinds.datagram, to.port, bytes)
    const fate = !link.lets(passage) ? fates.lost : link.hasRoom ? fates.onItsWay : fates.noRoom
    if (fate !== fates.onItsWay) {
      kernel.trace.addBytes(traceKinds.datagramSent, source, target.number, fate, 0, bytes)
      return
    }
    // A copy: the sender may use its buffer again at once, as it may with a real socket.
    const sent = kernel.slab.copy(bytes)
    this.#launch(link, passage, to, sent, 0)
    if (passage.duplicates()) this.#launch(link, passage, to, sent, 1)
    const replayUs = passage.replayUs()
    if (replayUs !== undefined) this.#launch(link, passage, to, sent, 2, replayUs)
  }

  close(): void {
    if (this.#kernel.enter(this.boot)) this.processEnded()
  }

  processEnded(): void {
    this.#host.udp.release(this.local.port, this)
    this.boot.parts.delete(this)
  }

  #launch(link: Link, passage: Passage, to: Endpoint, bytes: Uint8Array, copy: 0 | 1 | 2, laterUs = 0): void {
    const kernel = this.#kernel
    const delayUs = passage.datagramDelayUs(copy) + laterUs
    kernel.trace.addBytes(traceKinds.datagramSent, this.#host.number, link.to.number, copies[copy], delayUs, bytes)
    const from = { host: this.#host.sourceFor(to.host), port: this.local.port }
    link.underWay++
    kernel.queue.push(
      new DatagramEvent(kernel, link, passage, from, to, passage.carried(bytes, copy)),
      kernel.nowUs + delayUs,
    )
  }
}

/** A datagram that no process sent: somebody puts it on the wire in another's name. Of addresses that no machine has, nothing. */
export function forgeDatagram(kernel: Kernel, network: Network, from: Endpoint, to: Endpoint, bytes: Uint8Array): void {
  const [source, target] = [network.hostOf(from.host), network.hostOf(to.host)]
  if (source === undefined || target === undefined) return
  const link = network.link(source, target)
  if (!link.hasRoom) return
  const passage = link.passage(carriedKinds.forged, to.port, bytes)
  const delayUs = passage.datagramDelayUs()
  kernel.trace.addBytes(traceKinds.datagramSent, source.number, target.number, fates.forged, delayUs, bytes)
  link.underWay++
  kernel.queue.push(new DatagramEvent(kernel, link, passage, from, to, bytes), kernel.nowUs + delayUs)
}

class DatagramEvent extends SimEvent {
  readonly #kernel: Kernel
  readonly #link: Link
  readonly #from: Endpoint
  readonly #to: Endpoint
  readonly #bytes: Uint8Array
  /** The machine has it, and its process is paused. */
  #reached = false

  constructor(kernel: Kernel, link: Link, passage: Passage, from: Endpoint, to: Endpoint, bytes: Uint8Array) {
    super(undefined, passage.a)
    this.#kernel = kernel
    this.#link = link
    this.#from = from
    this.#to = to
    this.#bytes = bytes
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
    this.#kernel.trace.addText(traceKinds.datagram, this.#link.to.number, this.#link.from.number, 0, 0, 'no room')
  }

  deliver(): void {
    const { to } = this.#link
    this.#link.underWay--
    const arrives = this.#reached || this.#link.isWhole
    const socket = arrives ? to.udp.at(this.#to.host, this.#to.port) : undefined
    const text = arrives ? (socket === undefined ? 'nobody listens' : '') : 'lost under way'
    this.#kernel.trace.addText(traceKinds.datagram, to.number, this.#link.from.number, this.#bytes.length, 0, text)
    if (socket instanceof SimUdpSocket) socket.use(this.#from, this.#bytes)
  }
}
