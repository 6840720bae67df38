import { checker } from '../checker.ts'

/**
 * How the log changed each key, in order of index, as the first server to apply each entry reported it: the history
 * against which clients' answers are judged.
 */
export class AppliedKeys {
  readonly #byKey = new Map<string, KeyVersion[]>()
  readonly #indexOfValue = new Map<string, number>()

  /** `value` undefined: the key was deleted. Entries are passed in order of index. */
  changed(key: string, index: number, value: string | undefined): void {
    const versions = this.#byKey.get(key)
    if (versions === undefined) this.#byKey.set(key, [{ index, value }])
    else versions.push({ index, value })
    if (value !== undefined) this.#indexOfValue.set(value, index)
  }

  /** The log's entries from this index on were lost. */
  forgetFrom(index: number): void {
    for (const [key, versions] of this.#byKey)
      this.#byKey.set(
        key,
        versions.filter((version) => version.index < index),
      )
    for (const [value, at] of this.#indexOfValue) if (at >= index) this.#indexOfValue.delete(value)
  }

  /** The index at which the write of this (unique) value took effect. */
  indexOf(value: string): number | undefined {
    return this.#indexOfValue.get(value)
  }

  /** Whether the key ever had this (unique) value. */
  hasHeld(key: string, value: string): boolean {
    const versions = this.versions(key)
    const index = this.#indexOfValue.get(value)
    if (index !== undefined && versions[placeOf(versions, index)]?.value === value) return true
    return versions.some((version) => version.value === value)
  }

  isThere(key: string): boolean {
    return this.versions(key).at(-1)?.value !== undefined
  }

  /** The existing keys under a prefix. */
  thereUnder(prefix: string): readonly string[] {
    return [...this.#byKey.keys()].filter((key) => key.startsWith(prefix) && this.isThere(key))
  }

  versions(key: string): readonly KeyVersion[] {
    return this.#byKey.get(key) ?? []
  }

  keys(): Iterable<string> {
    return this.#byKey.keys()
  }
}

export interface KeyVersion {
  readonly index: number
  readonly value: string | undefined
}

/**
 * How many of a key's versions, which are in order of index, are before this index. That is also the position of the
 * version at the index, if there is one.
 */
export function placeOf(versions: readonly KeyVersion[], index: number): number {
  let low = 0
  let high = versions.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((versions[middle] as KeyVersion).index < index) low = middle + 1
    else high = middle
  }
  return low
}

export const appliedKeys = checker({
  codes: {},
  make: () => new AppliedKeys(),
  takes: {
    'key changed': (it, { key, index, value }) => it.changed(key, index, value),
    'entries lost': (it, { from }) => it.forgetFrom(from),
  },
})
