import { appliedIn, checker, type Judge } from '../checker.ts'
import type { LockFacts } from './lock-facts.ts'
import { type Lockable, lockedIn, walkOf } from './lock-steps.ts'

/** A key that was held once. */
interface Known extends Lockable {
  readonly fence: number
}

const unknown: Known = { lockIndex: 0, session: '', fence: 0 }

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
    const keys = new Set([...this.#known.keys(), ...facts.holds.keys(), ...lockedIn(facts.operations)])
    for (const key of keys) this.#look(key, facts)
  }

  /** An operator restored another state: LockIndex continues from there. Later fencing numbers still grow. */
  replaced(facts: LockFacts): void {
    this.#judge.excused('S3', 'restored', facts.holds.size)
    this.#known.clear()
    for (const [key, lockIndex] of facts.counted()) {
      this.#known.set(key, { session: '', fence: 0, ...facts.holds.get(key), lockIndex })
    }
  }

  #look(key: string, facts: LockFacts): void {
    const before = this.#known.get(key) ?? unknown
    const hold = facts.holds.get(key)
    const { isNew, expected } = expectedOf(key, before, facts)
    if (isNew) this.#judge.judged('S3')
    const lockIndex = facts.lockableOf(key)?.lockIndex
    if (lockIndex === undefined) {
      this.#known.delete(key)
      return
    }
    if (lockIndex !== expected) {
      this.#judge.report(
        'S3',
        `LockIndex of '${key}' is ${lockIndex} after entry ${facts.index} instead of ${expected}`,
        appliedIn(this.#judge, before.fence),
      )
    }
    if (isNew && hold !== undefined) this.#newFence(key, hold.fence, facts.index)
    this.#known.set(key, { lockIndex, session: hold?.session ?? '', fence: hold?.fence ?? 0 })
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

/** What a command must make of the LockIndex of a key, and whether a session came to hold it. */
function expectedOf(
  key: string,
  before: Known,
  { holds, operations }: LockFacts,
): { readonly isNew: boolean; readonly expected: number } {
  if (operations.length > 0) {
    const { taken, lockIndex } = walkOf(key, before, operations)
    return { isNew: taken.length > 0, expected: lockIndex }
  }
  const hold = holds.get(key)
  const isNew = hold !== undefined && (hold.session !== before.session || hold.fence !== before.fence)
  return { isNew, expected: before.lockIndex + (isNew ? 1 : 0) }
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
