import type { ReadTransaction } from '../../../src/store/types.ts'
import { checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import type { View } from './access-facts.ts'
import { partsOf } from './view-parts.ts'

/**
 * Finds what lists must have shown a caller with all rights: the parts that were there before the request, and are
 * there, unchanged, after its answer. A7 (`access-history`) judges which of them the caller's rights let it see. That
 * is the other side of A1, which judges what was shown without a right.
 *
 * A read that is not stale has every command that took effect before it was sent (R10). A part that had its present
 * form by then, and still has it, was in each state in between, because a part that is removed and created again has a
 * later index.
 */
export class Views {
  /** Index of the newest state when each list was asked for. */
  #asked = new WeakMap<View, number>()
  #newest: { readonly index: number; readonly tx: ReadTransaction } | undefined

  asked(view: View): void {
    if (this.#newest !== undefined) this.#asked.set(view, this.#newest.index)
  }

  shown({ view, names, compared }: Facts['view shown']): void {
    const index = this.#asked.get(view)
    if (index === undefined || this.#newest === undefined) return
    const there = [...partsOf(view, this.#newest.tx)].filter(({ changedAt }) => changedAt <= index)
    compared(there.map(({ name, needs }) => ({ name, needs, isShown: names.has(name) })))
  }

  tookEffect({ index, tx }: Pick<Facts['command took effect'], 'index' | 'tx'>): void {
    this.#newest = { index, tx }
  }

  /** Rows of a restored state may have indexes of before a request that never saw them. */
  replaced({ index, tx }: Facts['state replaced']): void {
    this.#asked = new WeakMap()
    this.#newest = { index, tx }
  }
}

export const views = checker({
  codes: {},
  make: () => new Views(),
  takes: {
    'view asked for': (it, { view }) => it.asked(view),
    'view shown': (it, fact) => it.shown(fact),
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it, fact) => it.replaced(fact),
  },
})
