import { equalPlain } from '../../../base/shape.ts'
import type { ResultForms } from '../../../features/contract/reading.ts'
import type { ModifyIndex } from '../../../model/log-position.ts'

/** A result as one caller may see it, with its encoded forms. */
export interface ResultView extends ResultForms {
  readonly value: unknown
}

/** What callers with the same rights see of a result, if that is not everything. Cached with the result. */
export class SeenPart {
  readonly view: ResultView
  /** `Sight.newest`. */
  readonly newest: ModifyIndex
  readonly #same = new WeakMap<SeenPart, boolean>()

  constructor(view: ResultView, newest: ModifyIndex) {
    this.view = view
    this.newest = newest
  }

  /** Whether a caller that was shown the other part has seen no change. */
  isSameAs(other: SeenPart): boolean {
    if (this === other) return true
    const known = this.#same.get(other)
    if (known !== undefined) return known
    const same = this.newest === other.newest && sameMembers(this.view.value, other.view.value)
    this.#same.set(other, same)
    return same
  }
}

/** Compares lists without their order: that an item has come nearer wakes no caller (`coordinate/views.ts`). */
function sameMembers(one: unknown, other: unknown): boolean {
  if (equalPlain(one, other)) return true
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
  const counts = new Map<string, number>()
  for (const each of one) counts.set(textOf(each), (counts.get(textOf(each)) ?? 0) + 1)
  return other.every((each) => {
    const left = counts.get(textOf(each)) ?? 0
    counts.set(textOf(each), left - 1)
    return left > 0
  })
}

function textOf(member: unknown): string {
  return JSON.stringify(member, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
