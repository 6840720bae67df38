import { invariant } from '../../../src/base/invariant.ts'
import type { Endpoint, ListenFailure } from '../../../src/env/net.ts'
import type { Boot } from '../boot.ts'

/** Range of ports that a machine assigns itself (Linux: net.ipv4.ip_local_port_range). */
const ephemeralFrom = 32_768
const ephemeralTo = 60_999

/** The receiver of packets that arrive at a port. */
export interface Bound {
  /** The bound address: one of the machine's, or a wildcard. */
  readonly address: string
  readonly boot: Boot
}

/** A machine in the view of the network. */
export class Host {
  readonly number: number
  readonly name: string
  /** Where it is in the network now. */
  #address: string
  /** The running process; undefined while none runs. */
  boot: Boot | undefined
  /** A machine without power answers nothing, not even that a connection is unknown. */
  powered = true
  /** Number of the event by which it lost its power. */
  downBy = 0
  /** Every connection attempt from another machine is refused, whichever process listens. */
  refuses = false
  /** Time of the machine's wall clock, for the validity of certificates. */
  wallMs: () => number = () => 0
  readonly tcp: Ports
  readonly udp: Ports

  constructor(number: number, name: string, address: string) {
    this.number = number
    this.name = name
    this.#address = address
    this.tcp = new Ports(() => this.#address)
    this.udp = new Ports(() => this.#address)
  }

  get address(): string {
    return this.#address
  }

  /** It has another address from now on. No process runs on it meanwhile. */
  moveTo(address: string): void {
    invariant(this.boot === undefined, 'a machine moves without its process', { name: this.name })
    this.#address = address
  }

  /** The machine's own address for packets to `to`. */
  sourceFor(to: string): string {
    return isLoopback(to) ? to : this.address
  }
}

/** The ports of one protocol on one machine. */
export class Ports {
  readonly #own: () => string
  readonly #bound = new Map<number, Bound[]>()
  #next = ephemeralFrom

  constructor(own: () => string) {
    this.#own = own
  }

  /** Binds the given port; for port 0, a free one. */
  bind(at: Endpoint, boundBy: (port: number) => Bound): ListenFailure | Bound {
    if (!this.#isOwn(at.host)) return { kind: 'address-not-available', at }
    const port = at.port === 0 ? this.free() : at.port
    const there = port === undefined ? [] : (this.#bound.get(port) ?? [])
    if (port === undefined || there.some((other) => overlap(other.address, at.host)))
      return { kind: 'address-in-use', at }
    const bound = boundBy(port)
    this.#bound.set(port, [...there, bound])
    return bound
  }

  release(port: number, bound: Bound): void {
    const left = (this.#bound.get(port) ?? []).filter((other) => other !== bound)
    if (left.length === 0) this.#bound.delete(port)
    else this.#bound.set(port, left)
  }

  /** The receiver of what was sent to this address and port. */
  at(address: string, port: number): Bound | undefined {
    return this.#bound.get(port)?.find((bound) => bound.address === address || isWildcard(bound.address))
  }

  /** A free port; undefined if all are taken. */
  free(): number | undefined {
    for (let tried = ephemeralFrom; tried <= ephemeralTo; tried++) {
      const port = this.#next
      this.#next = port === ephemeralTo ? ephemeralFrom : port + 1
      if (!this.#bound.has(port)) return port
    }
    return undefined
  }

  #isOwn(address: string): boolean {
    return address === this.#own() || isLoopback(address) || isWildcard(address)
  }
}

export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}

function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}

function overlap(a: string, b: string): boolean {
  return a === b || isWildcard(a) || isWildcard(b)
}
