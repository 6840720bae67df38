import { err, ok, type Result } from '../../src/base/result.ts'
import type {
  DialFailure,
  DialOptions,
  Endpoint,
  ListenerTls,
  ListenFailure,
  Tcp,
  TcpListener,
  TcpStream,
  TlsOptions,
} from '../../src/env/net.ts'
import type { Boot } from '../world/boot.ts'
import type { Machine } from '../world/machine.ts'
import { TcpDial } from '../world/network/tcp-dial.ts'
import { SimTcpListener } from '../world/network/tcp-listener.ts'
import { addressProblem } from './address.ts'

/** What a system call or two take. */
export const listenDelayUs = 20

export class SimTcp implements Tcp {
  readonly #machine: Machine
  readonly #boot: Boot

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  dial(to: Endpoint, options: DialOptions): Promise<Result<TcpStream, DialFailure>> {
    const { kernel, network, host } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    const problem = addressProblem(to)
    if (problem === undefined) return new TcpDial(kernel, network, host, this.#boot, to, options).start()
    return kernel.answer(this.#boot, 0, 'dial', () => err({ kind: 'io' as const, to, message: problem }))
  }

  listen(
    at: Endpoint,
    onStream: (stream: TcpStream) => void,
    tls?: ListenerTls,
  ): Promise<Result<TcpListener, ListenFailure>> {
    const { kernel, host } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    return kernel.answer(this.#boot, listenDelayUs, 'tcp listen', (): Result<TcpListener, ListenFailure> => {
      const problem = addressProblem(at) ?? (tls === undefined ? undefined : kernel.platform.identityProblem(tls))
      if (problem !== undefined) return err({ kind: 'io', at, message: problem })
      const made = SimTcpListener.listen(kernel, host, this.#boot, at, onStream, tls)
      return made instanceof SimTcpListener ? ok(made) : err(made)
    })
  }

  tlsProblem(tls: TlsOptions): string | undefined {
    return this.#machine.kernel.platform.identityProblem(tls)
  }
}
