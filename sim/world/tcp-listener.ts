import type { Endpoint, ListenFailure, TcpListener, TcpStream, TlsOptions } from '../../src/env/net.ts'
import type { Boot, ProcessPart } from './boot.ts'
import type { Bound, Host } from './host.ts'
import type { Kernel } from './kernel.ts'
import type { SimTcpStream } from './tcp-stream.ts'

/** A dialler that does not speak TLS where it must is dropped when it says something else, or after this. */
const handshakeLimitUs = 10_000_000

/** A port at which a process takes connections. */
export class SimTcpListener implements TcpListener, Bound, ProcessPart {
  readonly local: Endpoint
  readonly address: string
  readonly boot: Boot
  readonly tls: TlsOptions | undefined
  readonly #kernel: Kernel
  readonly #host: Host
  readonly #use: (stream: TcpStream) => void

  constructor(
    kernel: Kernel,
    host: Host,
    boot: Boot,
    local: Endpoint,
    use: (stream: TcpStream) => void,
    tls: TlsOptions | undefined,
  ) {
    this.#kernel = kernel
    this.#host = host
    this.boot = boot
    this.local = local
    this.address = local.host
    this.#use = use
    this.tls = tls
  }

  static listen(
    kernel: Kernel,
    host: Host,
    boot: Boot,
    at: Endpoint,
    use: (stream: TcpStream) => void,
    tls: TlsOptions | undefined,
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

  /** The dialler's first word has arrived. `presented`: what it speaks TLS with, if it does. */
  accept(stream: SimTcpStream, presented: TlsOptions | undefined): void {
    if (!this.isOpen) stream.close()
    else if (this.tls === undefined) this.#use(stream)
    else if (presented === undefined) this.#refusePlain(stream)
    else if (this.#problemOf(presented, this.tls) === undefined) this.#use(stream)
    else stream.close()
  }

  #problemOf(presented: TlsOptions, tls: TlsOptions): string | undefined {
    if (tls.requirePeerCertificate !== true) return undefined
    const wallMs = this.#host.wallMs()
    return this.#kernel.platform.certificateProblem({ verifier: tls, presented, expectedName: undefined, wallMs })
  }

  #refusePlain(stream: SimTcpStream): void {
    const limit = this.#kernel.after(this.boot, undefined, handshakeLimitUs, 'no TLS handshake', () => stream.close())
    stream.onData(() => stream.close())
    stream.onEnd(() => stream.close())
    stream.onClose(() => limit.close())
  }
}
