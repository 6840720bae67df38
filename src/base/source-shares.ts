/**
 * Counts the places that each source holds, so that none holds more than its share: a client that opens connections
 * without end uses up its own places, not those of others. A source is an IPv4 address, or the 64 leading bits of an
 * IPv6 address, because one machine chooses among all addresses below them (RFC 4291, section 2.5.4).
 */
export class SourceShares {
  readonly #perSourceMax: number
  readonly #held = new Map<string, number>()

  constructor(perSourceMax: number) {
    this.#perSourceMax = perSourceMax
  }

  /**
   * Takes one place for this host; undefined if the host already holds its share. The place is held until the returned
   * function is called, once.
   */
  take(host: string): (() => void) | undefined {
    const source = sourceOf(host)
    const held = this.#held.get(source) ?? 0
    if (held >= this.#perSourceMax) return undefined
    this.#held.set(source, held + 1)
    return () => {
      const now = (this.#held.get(source) ?? 0) - 1
      if (now > 0) this.#held.set(source, now)
      else this.#held.delete(source)
    }
  }
}

/** `2001:db8:0:1::/64`, or the host as it is. */
export function sourceOf(host: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(host)?.[1]
  if (mapped !== undefined) return mapped
  if (!host.includes(':')) return host
  const [address = ''] = host.toLowerCase().split('%')
  const [before = '', after] = address.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? [] : Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  const groups = [...head, ...zeros, ...tail].map((group) => group.replace(/^0+(?=.)/, ''))
  return `${groups.slice(0, 4).join(':')}::/64`
}
