/**
 * Waiters by prefix. One key is looked up in a time that grows with its length, however many prefixes are watched: the hash of
 * each of its beginnings follows from that of the one before.
 */
export class PrefixWatches<W> {
  readonly #byHash = new Map<number, Map<string, Set<W>>>()

  add(prefix: string, waiter: W): void {
    const hash = hashOf(prefix)
    const bucket = this.#byHash.get(hash) ?? new Map<string, Set<W>>()
    this.#byHash.set(hash, bucket)
    const waiters = bucket.get(prefix) ?? new Set<W>()
    bucket.set(prefix, waiters)
    waiters.add(waiter)
  }

  remove(prefix: string, waiter: W): void {
    const hash = hashOf(prefix)
    const bucket = this.#byHash.get(hash)
    const waiters = bucket?.get(prefix)
    if (bucket === undefined || waiters === undefined) return
    waiters.delete(waiter)
    if (waiters.size === 0) bucket.delete(prefix)
    if (bucket.size === 0) this.#byHash.delete(hash)
  }

  /** Calls `use` for every waiter of a prefix of the key; `use` may remove the waiter that it is called with. */
  matching(key: string, use: (waiter: W) => void): void {
    if (this.#byHash.size === 0) return
    let hash = start
    for (let length = 1; length <= key.length; length++) {
      hash = stepped(hash, key.charCodeAt(length - 1))
      const bucket = this.#byHash.get(hash)
      if (bucket === undefined) continue
      for (const [prefix, waiters] of bucket) {
        if (key.startsWith(prefix)) for (const waiter of waiters) use(waiter)
      }
    }
  }
}

/** FNV-1a, 32 bits. */
const start = 0x811c9dc5 | 0

function stepped(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

function hashOf(prefix: string): number {
  let hash = start
  for (let i = 0; i < prefix.length; i++) hash = stepped(hash, prefix.charCodeAt(i))
  return hash
}
