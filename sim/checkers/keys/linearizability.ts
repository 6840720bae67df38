import { invariant } from '../../../src/base/invariant.ts'
import { findOrder } from './order-search.ts'
import { operationAt as at, type RegisterOperation } from './register-operation.ts'

/** Operations are named by their position in the history. */
export type Verdict =
  /** `order`: one that explains every answer. Of what was never answered, it has what took effect in it. */
  | { readonly kind: 'linearizable'; readonly order: readonly number[] }
  /**
   * Up to the moment before `blocked` was answered the history is linearizable, with its answer it is not: `order`
   * explains everything answered before. What was still open then counts as what it turned out to be: a CAS that was
   * refused later had no effect.
   */
  | { readonly kind: 'violation'; readonly blocked: number; readonly order: readonly number[] }
  /** The search was given up after `steps`. */
  | { readonly kind: 'undecided'; readonly steps: number }

/** `history` in any order. Operations whose intervals touch count as concurrent. */
export function checkRegister(history: readonly RegisterOperation[], initial: number, stepsMax: number): Verdict {
  const whole = findOrder(history, initial, stepsMax)
  if (whole.kind === 'undecided') return whole
  if (whole.kind === 'order') return { kind: 'linearizable', order: whole.order }
  return firstBlocked(history, initial, stepsMax)
}

/**
 * The first answer that nothing explains: what begins with a history that has no order has none either, so it is found
 * by halves. A beginning whose search was given up is neither: then `blocked` may be a later answer, and `order` may
 * explain less.
 */
function firstBlocked(history: readonly RegisterOperation[], initial: number, stepsMax: number): Verdict {
  const answers = [...history.keys()].filter((one) => at(history, one).return !== Number.POSITIVE_INFINITY)
  answers.sort((a, b) => at(history, a).return - at(history, b).return || a - b)
  /** How many answers have an order, and how many have none. */
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
  /** Of each of its operations the name in the whole history. */
  readonly names: readonly number[]
}

/** What was called up to the last of the first `count` answers, and these answers alone. */
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
