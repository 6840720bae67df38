import { appliedIn, checker, type Judge } from '../checker.ts'
import type { LockFacts } from './lock-facts.ts'

/** A key that was held once. */
interface Known {
  readonly lockIndex: number
  /** A key with another CreateIndex was deleted meanwhile, perhaps within one transaction. */
  readonly createIndex: number | undefined
  readonly session: string
  readonly fence: number
}

/**
 * S3. LockIndex grows by one with each change of holder, and by nothing else; a key that was deleted begins anew. The
 * fencing number is the index at which the holder came to hold the key, and is greater than that of every earlier
 * holder.
 */
export class LockIndex {
  readonly #judge: Judge<{ S3: 'restored' }>
  readonly #known = new Map<string, Known>()
  /** The highest fencing number of each key, including keys that were deleted since. */
  readonly #highestFence = new Map<string, number>()

  constructor(judge: Judge<{ S3: 'restored' }>) {
    this.#judge = judge
  }

  command(facts: LockFacts): void {
    for (const key of new Set([...this.#known.keys(), ...facts.holds.keys()])) this.#look(key, facts)
  }

  /** An operator restored another state: LockIndex continues from there. Later fencing numbers still grow. */
  replaced(facts: LockFacts): void {
    this.#judge.excused('S3', 'restored', facts.holds.size)
    for (const key of this.#known.keys()) if (facts.lockIndexOf(key) === undefined) this.#known.delete(key)
    for (const [key, { session, fence }] of facts.holds) {
      this.#known.set(key, { ...countsOf(key, facts), session, fence })
    }
    for (const [key, known] of this.#known) {
      if (!facts.holds.has(key)) this.#known.set(key, { ...known, ...countsOf(key, facts), session: '', fence: 0 })
    }
  }

  #look(key: string, facts: LockFacts): void {
    const lockIndex = facts.lockIndexOf(key)
    if (lockIndex === undefined) {
      this.#known.delete(key)
      return
    }
    const createIndex = facts.createIndexOf(key)
    const known = this.#known.get(key)
    const before = known !== undefined && known.createIndex !== createIndex ? undefined : known
    const hold = facts.holds.get(key)
    const isNew = hold !== undefined && (hold.session !== before?.session || hold.fence !== before.fence)
    const expected = (before?.lockIndex ?? 0) + (isNew ? 1 : 0)
    if (isNew) this.#judge.judged('S3')
    if (lockIndex !== expected) {
      this.#judge.report(
        'S3',
        `LockIndex of '${key}' is ${lockIndex} after entry ${facts.index} instead of ${expected}`,
        appliedIn(this.#judge, before?.fence ?? 0),
      )
    }
    if (isNew) this.#newFence(key, hold.fence, facts.index)
    this.#known.set(key, { lockIndex, createIndex, session: hold?.session ?? '', fence: hold?.fence ?? 0 })
  }

  #newFence(key: string, fence: number, index: number): void {
    const highest = this.#highestFence.get(key) ?? 0
    if (fence !== index) {
      this.#judge.report('S3', `'${key}' changed hands by entry ${index}, with fencing number ${fence}`)
    }
    if (fence <= highest) {
      this.#judge.report('S3', `'${key}' has fencing number ${fence} after ${highest}`, appliedIn(this.#judge, highest))
    }
    this.#highestFence.set(key, Math.max(highest, fence))
  }
}

function countsOf(key: string, facts: LockFacts): Pick<Known, 'lockIndex' | 'createIndex'> {
  return { lockIndex: facts.lockIndexOf(key) ?? 0, createIndex: facts.createIndexOf(key) }
}

export const lockIndex = checker({
  codes: {
    S3: {
      text: 'lock index: it grows by one with each holder; each holder has a greater fencing number',
      sources: ['docs/reference/keys.md#locks'],
      evidence: ['locks', 'commands', 'requests'],
      judges: ['change of holder', 'changes of holder'],
      excuses: {
        restored: 'LockIndex continues from the value in a restored snapshot; the next change of holder is judged.',
      },
    },
  },
  make: (judge) => new LockIndex(judge),
  takes: {
    'locks changed': (it, facts) => it.command(facts),
    'locks replaced': (it, facts) => it.replaced(facts),
  },
})
