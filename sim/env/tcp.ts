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
import { TcpDial } from '../world/network/tcp-dial.ts'
import { SimTcpListener } from '../world/network/tcp-listener.ts'
import type { Machine } from './machine.ts'

/** Only addresses are accepted: looking up names would take an unknown time, outside of every deadline. */
export function addressProblem({ host, port }: Endpoint): string | undefined {
  if (!isIpv4(host) && !isIpv6(host)) return `${JSON.stringify(host)} is not an IP address`
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return `${port} is not a port`
  return undefined
}

function isIpv4(host: string): boolean {
  let parts = 1
  let value = -1
  for (let at = 0; at < host.length; at++) {
    const unit = host.charCodeAt(at)
    if (unit === 46) {
      if (value < 0) return false
      parts++
      value = -1
    } else {
      const digit = unit - 48
      // No leading zero, because some parsers would read such a number as octal.
      if (digit < 0 || digit > 9 || value === 0) return false
      value = Math.max(value, 0) * 10 + digit
      if (value > 255) return false
    }
  }
  return parts === 4 && value >= 0
}

/** Groups of four digits, with at most one gap; no zone and no IPv4 tail, which no simulation uses. */
function isIpv6(host: string): boolean {
  const gaps = host.split('::')
  const groups = host.split(':').filter((group) => group !== '')
  if (gaps.length > 2 || !groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false
  if (gaps.length === 2) return groups.length < 8
  return groups.length === 8 && !host.startsWith(':') && !host.endsWith(':')
}

/** Duration of a system call or two. */
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
