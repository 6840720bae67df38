import type { LinkOptions } from '../world/network/link.ts'
import type { Network } from '../world/network/network.ts'
import type { RangeMs } from '../world/time-range.ts'

/** Settings of all links of a machine; absent ones are those of the run. */
export interface LinkSetting {
  readonly latencyMs?: RangeMs
  readonly loss?: number
  readonly duplicate?: number
  readonly reorder?: number
  /** Mean of a further delay with a long tail. */
  readonly jitterMs?: number
  readonly corrupt?: number
  /** They apply only to what this machine sends. */
  readonly oneWay?: boolean
}

/** The settings of machines whose links are not as usual. */
export class LinkRules {
  readonly #network: Pick<Network, 'setLink' | 'clearLink'>
  readonly #settings = new Map<string, LinkSetting>()
  /** Machines whose datagrams are dropped. */
  readonly #blocked = new Set<string>()

  constructor(network: Pick<Network, 'setLink' | 'clearLink'>) {
    this.#network = network
  }

  /** Changes the links between this machine and all others. Undefined: restores them. */
  set(server: string, setting: LinkSetting | undefined, all: readonly string[]): void {
    if (setting === undefined) this.#settings.delete(server)
    else this.#settings.set(server, setting)
    this.#applyAll(server, all)
  }

  /** Drops every datagram from and to this machine, beside the settings of its links. */
  block(server: string, blocks: boolean, all: readonly string[]): void {
    if (blocks) this.#blocked.add(server)
    else this.#blocked.delete(server)
    this.#applyAll(server, all)
  }

  #applyAll(server: string, all: readonly string[]): void {
    for (const other of all) {
      if (other === server) continue
      this.#network.clearLink(server, other)
      this.#apply(server, other, server)
      this.#apply(other, server, server)
    }
  }

  /** A link has two ends: while either has settings for this direction, these apply, those of `first` before others. */
  #apply(from: string, to: string, first: string): void {
    const other = from === first ? to : from
    const rules = this.#rulesOf(first, from) ?? this.#rulesOf(other, from)
    const isBlocked = this.#blocked.has(from) || this.#blocked.has(to)
    if (isBlocked) this.#network.setLink(from, to, { ...rules, blocksDatagrams: true }, { oneWay: true })
    else if (rules !== undefined) this.#network.setLink(from, to, rules, { oneWay: true })
  }

  /** The settings of a machine for what `from` sends on one of its links. */
  #rulesOf(server: string, from: string): LinkOptions | undefined {
    const setting = this.#settings.get(server)
    if (setting === undefined) return undefined
    const { oneWay, ...rules } = setting
    return oneWay === true && server !== from ? undefined : rules
  }
}
