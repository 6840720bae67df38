import { invariant } from '../../../src/base/invariant.ts'
import { findOrder } from './order-search.ts'
import { operationAt as at, type RegisterOperation } from './register-operation.ts'

/** Operations are identified by their position in the history. */
export type Verdict =
  /** `order`: one that explains every answer. Of operations without an answer, it has those that took effect in it. */
  | { readonly kind: 'linearizable'; readonly order: readonly number[] }
  /**
   * The history is linearizable up to the moment before `blocked` was answered, and not with that answer: `order`
   * explains everything answered before. An operation that was still open then counts with its later outcome: a CAS
   * that was refused later had no effect.
   */
  | { readonly kind: 'violation'; readonly blocked: number; readonly order: readonly number[] }
  /** The search stopped after `steps`. */
  | { readonly kind: 'undecided'; readonly steps: number }

/** `history` in any order. Operations whose intervals touch count as concurrent. */
export function checkRegister(history: readonly RegisterOperation[], initial: number, stepsMax: number): Verdict {
  const whole = findOrder(history, initial, stepsMax)
  if (whole.kind === 'undecided') return whole
  if (whole.kind === 'order') return { kind: 'linearizable', order: whole.order }
  return firstBlocked(history, initial, stepsMax)
}

/**
 * Finds the first answer that no order explains. If a beginning of a history has no order, the whole has none, so a
 * binary search finds it. A beginning whose search stopped counts as neither: then `blocked` may be a later answer, and
 * `order` may explain less.
 */
function firstBlocked(history: readonly RegisterOperation[], initial: number, stepsMax: number): Verdict {
  const answers = [...history.keys()].filter((one) => at(history, one).return !== Number.POSITIVE_INFINITY)
  answers.sort((a, b) => at(history, a).return - at(history, b).return || a - b)
  /** Number of answers that have an order, and number of answers that have none. */
  let [some, none] = [0, answers.length]
  let order: readonly number[] = []
  for (let middle = none >>> 1; some < middle && middle < none; middle = (some + none) >>> 1) {
    const part = beginning(history, answers, middle)
    const found = findOrder(part.history, initial, stepsMax)
    if (found.kind === 'undecided') break
    if (found.kind === 'none') none = middle
    else {
      some = middle
      order = found.order.map((one) => part.names[one] as number)
    }
  }
  const blocked = answers[none - 1]
  invariant(blocked !== undefined, 'a history without answers was found to have no order')
  return { kind: 'violation', blocked, order }
}

interface Beginning {
  readonly history: readonly RegisterOperation[]
  /** The position of each of its operations in the whole history. */
  readonly names: readonly number[]
}

/** The operations called up to the last of the first `count` answers, with only these answers. */
function beginning(history: readonly RegisterOperation[], answers: readonly number[], count: number): Beginning {
  const last = answers[count - 1]
  const end = last === undefined ? Number.NEGATIVE_INFINITY : at(history, last).return
  const answered = new Set(answers.slice(0, count))
  const names = [...history.keys()].filter((one) => {
    const { kind, call, succeeded } = at(history, one)
    return answered.has(one) || (call <= end && kind !== 'read' && succeeded)
  })
  const part = names.map((one): RegisterOperation => {
    const operation = at(history, one)
    return answered.has(one) ? operation : { ...operation, return: Number.POSITIVE_INFINITY }
  })
  return { history: part, names }
}
