import type {
  Endpoint,
  ListenerTls,
  ListenFailure,
  TcpListener,
  TcpStream,
  TlsOptions,
  TlsRefusal,
} from '../../../src/env/net.ts'
import type { Boot, ProcessPart } from '../boot.ts'
import type { Kernel } from '../kernel.ts'
import type { Bound, Host } from './host.ts'
import type { SimTcpStream } from './tcp-stream.ts'

/** A dialler that does not speak TLS where it must is dropped when it sends something else, or after this time. */
const handshakeLimitUs = 10_000_000

/** A port at which a process accepts connections. */
export class SimTcpListener implements TcpListener, Bound, ProcessPart {
  readonly local: Endpoint
  readonly address: string
  readonly boot: Boot
  readonly #kernel: Kernel
  readonly #host: Host
  readonly #use: (stream: TcpStream) => void
  #tls: ListenerTls | undefined
  /** Number of the event by which it listens. */
  readonly madeBy: number

  constructor(
    kernel: Kernel,
    host: Host,
    boot: Boot,
    local: Endpoint,
    use: (stream: TcpStream) => void,
    tls: ListenerTls | undefined,
  ) {
    this.#kernel = kernel
    this.#host = host
    this.boot = boot
    this.local = local
    this.address = local.host
    this.#use = use
    this.#tls = tls
    this.madeBy = kernel.trace.cause
  }

  static listen(
    kernel: Kernel,
    host: Host,
    boot: Boot,
    at: Endpoint,
    use: (stream: TcpStream) => void,
    tls: ListenerTls | undefined,
  ): SimTcpListener | ListenFailure {
    const made = host.tcp.bind(at, (port) => new SimTcpListener(kernel, host, boot, { host: at.host, port }, use, tls))
    if (made instanceof SimTcpListener) boot.parts.add(made)
    return made as SimTcpListener | ListenFailure
  }

  get isOpen(): boolean {
    return this.boot.alive && this.boot.parts.has(this)
  }

  close(): void {
    if (this.#kernel.enter(this.boot)) this.processEnded()
  }

  processEnded(): void {
    this.#host.tcp.release(this.local.port, this)
    this.boot.parts.delete(this)
  }

  get tls(): ListenerTls | undefined {
    return this.#tls
  }

  renewTls(tls: ListenerTls | undefined): void {
    if (this.#kernel.enter(this.boot)) this.#tls = tls
  }

  /**
   * The dialler's first packet has arrived. `presented`: its TLS options, if it speaks TLS; `tls`: the options with
   * which its handshake began, which remain those of this connection.
   */
  accept(stream: SimTcpStream, presented: TlsOptions | undefined, tls: ListenerTls | undefined): void {
    if (!this.isOpen) stream.close()
    else if (tls === undefined) this.#use(stream)
    else if (presented === undefined) this.#takePlain(stream, tls)
    else this.#takeTls(stream, presented, tls)
  }

  #takeTls(stream: SimTcpStream, presented: TlsOptions, tls: ListenerTls): void {
    const { platform } = this.#kernel
    if (tls.requirePeerCertificate === true) {
      const none = presented.certificateChainPem === undefined || presented.privateKeyPem === undefined
      const check = { verifier: tls, presented, expectedName: undefined, wallMs: this.#host.wallMs() }
      const message = none ? undefined : platform.certificateProblem(check)?.message
      if (none || message !== undefined) {
        return this.#refuse(
          stream,
          tls,
          message === undefined ? { kind: 'no-certificate' } : { kind: 'untrusted', message },
        )
      }
      stream.peer = platform.peerOf(presented)
    }
    this.#use(stream)
  }

  /** As in production, a dialler without TLS shows with its first bytes: until then, nothing is known about it. */
  #takePlain(stream: SimTcpStream, tls: ListenerTls): void {
    const limit = this.#kernel.after(this.boot, undefined, handshakeLimitUs, 'no TLS handshake', () => stream.close())
    stream.onEnd(() => stream.close())
    stream.onClose(() => limit.close())
    if (tls.plainToo === true) {
      stream.beforeData(() => {
        limit.close()
        if (this.boot.alive) this.#use(stream)
      })
    } else stream.onData(() => this.#refuse(stream, tls, { kind: 'plain' }))
  }

  #refuse(stream: SimTcpStream, tls: ListenerTls, why: TlsRefusal): void {
    stream.close()
    tls.onRefused?.(stream.remote, why)
  }
}
