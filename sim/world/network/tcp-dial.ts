import { emptyBytes } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Deferred } from '../../../src/env/async.ts'
import type { DialFailure, DialOptions, Endpoint, TcpStream, TlsOptions } from '../../../src/env/net.ts'
import { traceKinds } from '../../report/trace-kinds.ts'
import type { Action } from '../action.ts'
import type { Boot, ProcessPart } from '../boot.ts'
import type { Identity, Lane } from '../decisions/identity.ts'
import type { Kernel } from '../kernel.ts'
import type { TlsProblem } from '../platform.ts'
import { microseconds } from '../time-range.ts'
import type { Host } from './host.ts'
import type { Link } from './link.ts'
import type { Network } from './network.ts'
import { carriedKinds, type Passage } from './passage.ts'
import { SimTcpListener } from './tcp-listener.ts'
import { TcpPipe } from './tcp-pipe.ts'
import { SimTcpStream } from './tcp-stream.ts'

/** RFC 6298, section 2: the first timeout, before the path is measured. */
const firstSynRetryUs = 1_000_000
const handshakeRetryUs = 200_000
/** How long a machine asks its neighbours for an address that no machine has. */
const unreachableUs = 3_000_000

type Dialled = Result<TcpStream, DialFailure>

/** One attempt to connect, from the first packet to the stream or the failure. It ends exactly once. */
export class TcpDial implements ProcessPart, Lane {
  readonly tie: number
  readonly #kernel: Kernel
  readonly #network: Network
  readonly #host: Host
  readonly #boot: Boot
  readonly #to: Endpoint
  readonly #options: DialOptions
  readonly #number: number
  readonly #identity: Identity
  readonly #deferred: Deferred<Dialled>
  readonly #limit: Action
  #retry: Action | undefined
  #retryUs = firstSynRetryUs
  #over = false

  constructor(kernel: Kernel, network: Network, host: Host, boot: Boot, to: Endpoint, options: DialOptions) {
    this.#kernel = kernel
    this.#network = network
    this.#host = host
    this.#boot = boot
    this.#to = to
    this.#options = options
    this.#number = kernel.nextStream()
    this.#identity = kernel.decisions.drawsOnce(boot.identity, 'dial', to.host, to.port)
    this.tie = this.#identity.a
    this.#deferred = kernel.deferred<Dialled>(boot)
    const limitUs = microseconds(Math.max(0, options.timeoutMs))
    this.#limit = kernel.after(boot, undefined, limitUs, 'dial timeout', () =>
      this.#settle(err({ kind: 'timeout', to })),
    )
    this.#limit.awaits = 'tcp.answer'
    boot.parts.add(this)
  }

  start(): Promise<Dialled> {
    const target = this.#network.hostAt(this.#host, this.#to.host)
    const trace = this.#kernel.trace
    trace.add(traceKinds.dial, this.#host.number, target?.number ?? 0, this.#to.port, this.#number)
    if (target !== undefined) this.#knock(target, trace.last)
    else {
      this.#kernel.after(this.#boot, undefined, unreachableUs, 'nobody has this address', () => {
        this.#settle(err({ kind: 'unreachable', to: this.#to }))
      })
    }
    return this.#deferred.promise
  }

  processEnded(): void {
    this.#over = true
    this.#limit.close()
    this.#retry?.close()
  }

  #settle(end: Dialled): void {
    if (this.#over) return
    this.processEnded()
    this.#boot.parts.delete(this)
    this.#deferred.resolve(end)
  }

  /** Sends the first packet, and resends it without an answer. */
  #knock(target: Host, cause = this.#kernel.trace.cause): void {
    if (this.#over) return
    const there = this.#network.link(this.#host, target)
    const passage = there.passage(carriedKinds.knock, this.#to.port, emptyBytes)
    if (there.lets(passage)) {
      this.#kernel
        .after(undefined, this, passage.delayUs(), 'syn', () => this.#knocked(there, passage))
        .causedByAlone(cause)
    } else there.tellLost(this.#kernel.trace, 'knock', this.#number, cause)
    this.#retry = this.#kernel.after(undefined, this, this.#retryUs, 'syn again', () => this.#knock(target))
    this.#retryUs *= 2
  }

  /** Arrival at the other machine, whose kernel answers without its process. */
  #knocked(there: Link, knock: Passage): void {
    const back = this.#network.link(there.to, there.from)
    const answer = back.passage(carriedKinds.answer, this.#to.port, emptyBytes)
    if (this.#over) return
    if (!there.isWhole) return there.tellLost(this.#kernel.trace, 'knock', this.#number)
    if (!back.lets(answer)) return back.tellLost(this.#kernel.trace, 'answer', this.#number)
    const bound = there.to.tcp.at(this.#to.host, this.#to.port)
    const delayUs = answer.delayUs()
    const refuses = there.to.refuses && there.from !== there.to
    if (refuses || !(bound instanceof SimTcpListener)) {
      this.#answered(back, delayUs, 'refused', () => this.#settle(err({ kind: 'refused', to: this.#to })))
    } else if (this.#options.tls === undefined) {
      this.#answered(back, delayUs, 'connected', () => this.#connect(there, back, bound), bound.madeBy)
    } else {
      const roundUs = delayUs + knock.handshakeUs(answer)
      this.#answered(back, roundUs, 'hello', () => this.#shakeHands(there, back, bound), bound.madeBy)
    }
  }

  /** `because`: number of an event without which the answer would differ. */
  #answered(back: Link, delayUs: number, label: string, act: () => void, because?: number): void {
    const answer = this.#kernel.after(this.#boot, this, delayUs, label, () => {
      if (this.#over) return
      if (back.isWhole) act()
      else back.tellLost(this.#kernel.trace, 'answer', this.#number)
    })
    if (because !== undefined && this.#kernel.trace.teller !== undefined) answer.causedBy(because)
  }

  /** Why there can be no TLS, from the dialler's view. */
  #tlsProblem(listener: SimTcpListener, tls: TlsOptions): TlsProblem | undefined {
    const { platform } = this.#kernel
    const unusable = platform.identityProblem(tls)
    if (unusable !== undefined) return { fault: 'certificate', message: unusable }
    if (listener.tls === undefined) return { fault: 'plain', message: 'the listener does not speak TLS' }
    const expectedName = tls.anyName === true ? undefined : (tls.serverName ?? this.#to.host)
    const wallMs = this.#host.wallMs()
    return platform.certificateProblem({ verifier: tls, presented: listener.tls, expectedName, wallMs })
  }

  /** The listener has presented its certificate. It judges ours later, as in TLS 1.3 (RFC 8446, 2). */
  #shakeHands(there: Link, back: Link, listener: SimTcpListener): void {
    const { tls } = this.#options
    if (!there.isWhole) {
      this.#answered(back, handshakeRetryUs, 'hello again', () => this.#shakeHands(there, back, listener))
      return
    }
    const problem = tls === undefined ? undefined : this.#tlsProblem(listener, tls)
    if (problem === undefined) this.#connect(there, back, listener)
    else this.#settle(err({ kind: 'tls', to: this.#to, ...problem }))
  }

  #connect(there: Link, back: Link, listener: SimTcpListener): void {
    const kernel = this.#kernel
    const port = this.#host.tcp.free()
    if (port === undefined) {
      this.#settle(err({ kind: 'io', to: this.#to, message: 'no port is free' }))
      return
    }
    const local: Endpoint = { host: this.#host.sourceFor(this.#to.host), port }
    const ours = new SimTcpStream(kernel, this.#boot, local, this.#to)
    const theirs = new SimTcpStream(kernel, listener.boot, this.#to, local)
    const [number, dialled] = [this.#number, this.#to.port]
    const out = new TcpPipe(kernel, { number, port: dialled, tie: this.#identity.a }, there, back, ours, theirs)
    const back2 = new TcpPipe(kernel, { number, port: dialled, tie: this.#identity.b }, back, there, theirs, ours)
    ours.connect(out, back2)
    theirs.connect(back2, out)
    const { tls } = this.#options
    const shown = listener.tls
    if (tls !== undefined && tls.trust !== 'anyone') ours.peer = kernel.platform.peerOf(shown)
    theirs.opened = () => listener.accept(theirs, tls, tls === undefined ? listener.tls : shown)
    ours.established()
    out.open()
    this.#settle(ok(ours))
  }
}
