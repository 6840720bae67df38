import { invariant } from '../../../src/base/invariant.ts'
import { traceKinds } from '../../report/trace-kinds.ts'
import type { Kernel } from '../kernel.ts'
import { Host, isLoopback } from './host.ts'
import { defaultLink, Link, type LinkOptions } from './link.ts'

/** Link settings of a machine to itself. */
const loopbackLink: Required<LinkOptions> = { ...defaultLink, latencyMs: 0.03 }

export interface Direction {
  /** Only packets from the first to the second. */
  readonly oneWay?: boolean
}

/** Machines by address, and the links between any two of them. Faults name machines. */
export class Network {
  readonly #kernel: Kernel
  readonly #byAddress = new Map<string, Host>()
  readonly #byName = new Map<string, Host>()
  /** Names with other addresses than that of the machine of this name; in lower case. */
  readonly names = new Map<string, readonly string[]>()
  /** By number of the sender, then of the receiver. */
  readonly #links: Link[][] = []
  readonly #own = new Map<Link, LinkOptions>()
  #default: Required<LinkOptions>

  constructor(kernel: Kernel, options: LinkOptions = {}) {
    this.#kernel = kernel
    this.#default = { ...defaultLink, ...options }
  }

  addHost(number: number, name: string, address: string): Host {
    invariant(!this.#byAddress.has(address) && !isLoopback(address), 'each machine has an address of its own', {
      address,
    })
    const host = new Host(number, name, address)
    this.#byAddress.set(address, host)
    this.#byName.set(name, host)
    return host
  }

  /** A machine without a running process gets another address: packets to the former one find no machine. */
  move(name: string, address: string): void {
    const host = this.#named(name)
    invariant(!this.#byAddress.has(address) && !isLoopback(address), 'a machine moves to a free address', { address })
    this.#byAddress.delete(host.address)
    host.moveTo(address)
    this.#byAddress.set(address, host)
    this.#kernel.trace.addText(traceKinds.link, host.number, host.number, 0, 0, `moves to ${address}`)
  }

  /** The machine to which `address` refers on `from`. */
  hostAt(from: Host, address: string): Host | undefined {
    return isLoopback(address) ? from : this.#byAddress.get(address)
  }

  /** The addresses of a DNS name; empty if it does not exist. */
  addressesOf(name: string): readonly string[] {
    const known = name.toLowerCase().replace(/\.$/, '')
    if (known === 'localhost') return ['127.0.0.1']
    if (this.#byAddress.has(known)) return [known]
    const machine = this.#byName.get(known)?.address
    return this.names.get(known) ?? (machine === undefined ? [] : [machine])
  }

  hostOf(address: string): Host | undefined {
    return this.#byAddress.get(address)
  }

  link(from: Host, to: Host): Link {
    let row = this.#links[from.number]
    if (row === undefined) {
      row = []
      this.#links[from.number] = row
    }
    let link = row[to.number]
    if (link === undefined) {
      link = new Link(from, to, this.#kernel.decisions, from === to ? loopbackLink : this.#default)
      row[to.number] = link
    }
    return link
  }

  /** Cuts the link: nothing arrives any more, including packets under way. */
  cut(a: string, b: string, direction: Direction = {}): void {
    this.#setCut(a, b, true)
    if (direction.oneWay !== true) this.#setCut(b, a, true)
  }

  /** Mends the link between two machines; without names, every link. */
  heal(a?: string, b?: string, direction: Direction = {}): void {
    if (a !== undefined && b !== undefined) {
      this.#setCut(a, b, false)
      if (direction.oneWay !== true) this.#setCut(b, a, false)
      return
    }
    for (const row of this.#links) {
      for (const link of row ?? []) if (link?.cut === true) this.#setCut(link.from.name, link.to.name, false)
    }
  }

  isCut(a: string, b: string): boolean {
    return this.link(this.#named(a), this.#named(b)).cut
  }

  /** Changes settings of one link over the default ones; earlier changes of other settings stay. */
  setLink(a: string, b: string, options: LinkOptions, direction: Direction = {}): void {
    this.#setOwn(a, b, options)
    if (direction.oneWay !== true) this.#setOwn(b, a, options)
  }

  /** Removes the settings made by `setLink`. */
  clearLink(a: string, b: string): void {
    for (const link of [this.link(this.#named(a), this.#named(b)), this.link(this.#named(b), this.#named(a))]) {
      const had = this.#own.delete(link)
      link.set(this.#default)
      if (had) this.#kernel.trace.tell('link', link.from.number, { to: link.to.name, text: 'as usual' })
    }
  }

  setDefaultLink(options: LinkOptions): void {
    this.#default = { ...this.#default, ...options }
    for (const row of this.#links) {
      for (const link of row ?? []) {
        if (link !== undefined && link.from !== link.to) link.set({ ...this.#default, ...this.#own.get(link) })
      }
    }
  }

  #setOwn(from: string, to: string, options: LinkOptions): void {
    const link = this.link(this.#named(from), this.#named(to))
    invariant(link.from !== link.to, 'a machine has no link to itself that could be set', { from })
    const own = { ...this.#own.get(link), ...options }
    this.#own.set(link, own)
    link.set({ ...this.#default, ...own })
    this.#kernel.trace.addText(traceKinds.link, link.from.number, link.to.number, 0, 0, JSON.stringify(options))
    link.setBy = this.#kernel.trace.last
  }

  #setCut(from: string, to: string, cut: boolean): void {
    const link = this.link(this.#named(from), this.#named(to))
    invariant(link.from !== link.to, 'a machine cannot be cut from itself', { from })
    if (link.cut === cut) return
    link.cut = cut
    this.#kernel.trace.addText(traceKinds.link, link.from.number, link.to.number, 0, 0, cut ? 'cut' : 'healed')
    link.cutBy = this.#kernel.trace.last
  }

  #named(name: string): Host {
    const host = this.#byName.get(name)
    invariant(host !== undefined, 'a machine of that name is there', { name })
    return host
  }
}
