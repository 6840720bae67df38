import { checker } from '../checker.ts'

/**
 * What the log has done to each key, in order of index, as the first server to apply each entry told it: the history
 * against which clients' answers are judged.
 */
export class AppliedKeys {
  readonly #byKey = new Map<string, KeyVersion[]>()
  readonly #indexOfValue = new Map<string, number>()

  /** `value` undefined: the key is gone. Entries come in order of index. */
  changed(key: string, index: number, value: string | undefined): void {
    const versions = this.#byKey.get(key)
    if (versions === undefined) this.#byKey.set(key, [{ index, value }])
    else versions.push({ index, value })
    if (value !== undefined) this.#indexOfValue.set(value, index)
  }

  /** What the log did from here on was lost. */
  forgetFrom(index: number): void {
    for (const [key, versions] of this.#byKey)
      this.#byKey.set(
        key,
        versions.filter((version) => version.index < index),
      )
    for (const [value, at] of this.#indexOfValue) if (at >= index) this.#indexOfValue.delete(value)
  }

  /** Where the write of this (unique) value took effect. */
  indexOf(value: string): number | undefined {
    return this.#indexOfValue.get(value)
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

export const appliedKeys = checker({
  codes: {},
  make: () => new AppliedKeys(),
  takes: {
    'key changed': (it, { key, index, value }) => it.changed(key, index, value),
    'entries lost': (it, { from }) => it.forgetFrom(from),
  },
})
