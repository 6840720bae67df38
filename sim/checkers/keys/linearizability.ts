/**
 * Decides whether the history of one register is linearizable: whether its operations can be put in one order that
 * respects their real-time order and explains every answer. Wing & Gong's search with Lowe's memoisation ("Testing for
 * linearizability", 2017): depth first over "which operation took effect next", never twice from the same set of
 * operations done and the same value.
 */

/** The value of a register that holds nothing. */
export const absent = 0

export interface RegisterOperation {
  readonly kind: 'read' | 'write' | 'cas'
  /** Read: what was found. Write, CAS: what is put there. A delete is a write of `absent`. */
  readonly value: number
  /** CAS: what must be there. */
  readonly expected: number
  /** False: a CAS that was refused, so `expected` was not there. */
  readonly succeeded: boolean
  readonly call: number
  /** Infinity: never answered; it may have taken effect at any time after its call, or never. */
  readonly return: number
}

/** Operations are named by their position in the history. */
export type Verdict =
  /** `order`: one that explains every answer. Of what was never answered, it has what took effect in it. */
  | { readonly kind: 'linearizable'; readonly order: readonly number[] }
  /**
   * Up to the moment before `blocked` was answered the history is linearizable, with its answer it is not: `order`
   * explains everything answered before, and leaves `value`. What was still open then counts as what it turned out to
   * be: a CAS that was refused later had no effect.
   */
  | { readonly kind: 'violation'; readonly blocked: number; readonly order: readonly number[]; readonly value: number }
  /** The search was given up after `steps`. */
  | { readonly kind: 'undecided'; readonly steps: number }

/** A call or a return, in a list ordered by time from which the operations already done are taken out. */
interface Mark {
  readonly operation: number
  readonly isCall: boolean
  readonly time: number
  /** Place among all marks. */
  place: number
  partner: Mark | undefined
  previous: Mark | undefined
  next: Mark | undefined
}

/** `history` in any order. Operations whose intervals touch count as concurrent. */
export function checkRegister(history: readonly RegisterOperation[], initial: number, stepsMax: number): Verdict {
  const head = markList(history)
  const done = new DoneSet(history)
  const twins = earlierTwins(history)
  const seen = new Set<string>()
  const path: { readonly call: Mark; readonly value: number }[] = []
  const order = (): readonly number[] => path.map(({ call }) => call.operation)
  let value = initial
  let mark = head.next
  // A return is passed only once its operation is in the order, so the latest return that any order came to is the first
  // that none can pass.
  let furthest: { readonly mark: Mark; readonly value: number; readonly order: readonly number[] } | undefined
  for (let steps = 0; mark !== undefined; steps++) {
    if (steps > stepsMax) return { kind: 'undecided', steps }
    if (mark.isCall) {
      const twin = twins[mark.operation] as number
      const next = twin >= 0 && !done.hasUnanswered(twin) ? undefined : step(at(history, mark.operation), value)
      if (next !== undefined && isNew(seen, done, mark.operation, next)) {
        path.push({ call: mark, value })
        value = next
        lift(mark)
        mark = head.next
      } else {
        mark = mark.next
      }
      continue
    }
    // Everything that was answered has found its place; what is left may as well never have happened.
    if (mark.time === Number.POSITIVE_INFINITY) return { kind: 'linearizable', order: order() }
    if (furthest === undefined || mark.place > furthest.mark.place) furthest = { mark, value, order: order() }
    const last = path.pop()
    if (last === undefined) {
      return { kind: 'violation', blocked: furthest.mark.operation, order: furthest.order, value: furthest.value }
    }
    done.remove(last.call.operation)
    value = last.value
    unlift(last.call)
    mark = last.call.next
  }
  return { kind: 'linearizable', order: order() }
}

function at(history: readonly RegisterOperation[], operation: number): RegisterOperation {
  return history[operation] as RegisterOperation
}

/**
 * For each operation that was never answered, the one of the same effect called last before it, or -1. Where the later
 * took effect and the earlier did not, the earlier may stand for it: so they are tried in order of call only.
 */
function earlierTwins(history: readonly RegisterOperation[]): readonly number[] {
  const twins = history.map(() => -1)
  const last = new Map<string, number>()
  const byCall = [...history.keys()].sort((a, b) => at(history, a).call - at(history, b).call || a - b)
  for (const operation of byCall) {
    const { kind, value, expected, return: end } = at(history, operation)
    if (end !== Number.POSITIVE_INFINITY) continue
    const effect = `${kind} ${value} ${expected}`
    twins[operation] = last.get(effect) ?? -1
    last.set(effect, operation)
  }
  return twins
}

/** The value after the operation, or undefined when it cannot have had its answer from `value`. */
function step(operation: RegisterOperation, value: number): number | undefined {
  switch (operation.kind) {
    case 'read':
      return operation.value === value ? value : undefined
    case 'write':
      return operation.value
    default:
      if (operation.succeeded) return operation.expected === value ? operation.value : undefined
      return operation.expected === value ? undefined : value
  }
}

function isNew(seen: Set<string>, done: DoneSet, operation: number, value: number): boolean {
  done.add(operation)
  const key = `${value}|${done.key()}`
  if (seen.has(key)) {
    done.remove(operation)
    return false
  }
  seen.add(key)
  return true
}

function markList(history: readonly RegisterOperation[]): Mark {
  const marks: Mark[] = []
  for (const [operation, one] of history.entries()) {
    const call: Mark = mark(operation, true, one.call)
    const end: Mark = mark(operation, false, one.return)
    call.partner = end
    marks.push(call, end)
  }
  marks.sort((a, b) => a.time - b.time || Number(b.isCall) - Number(a.isCall) || a.operation - b.operation)
  const head = mark(-1, true, Number.NEGATIVE_INFINITY)
  let last = head
  for (const [place, one] of marks.entries()) {
    one.place = place
    one.previous = last
    last.next = one
    last = one
  }
  return head
}

function mark(operation: number, isCall: boolean, time: number): Mark {
  return { operation, isCall, time, place: -1, partner: undefined, previous: undefined, next: undefined }
}

/** Takes an operation out of the list: it is done. */
function lift(call: Mark): void {
  unlink(call)
  unlink(call.partner as Mark)
}

/** Undoes the last `lift`. */
function unlift(call: Mark): void {
  link(call.partner as Mark)
  link(call)
}

function unlink(one: Mark): void {
  if (one.previous !== undefined) one.previous.next = one.next
  if (one.next !== undefined) one.next.previous = one.previous
}

function link(one: Mark): void {
  if (one.previous !== undefined) one.previous.next = one
  if (one.next !== undefined) one.next.previous = one
}

/**
 * The set of operations done, with a short exact name: of those that were answered, how many from the earliest on are
 * all done, and which beyond (few: as many as were concurrent); of those never answered, which.
 */
class DoneSet {
  /** Place of each operation among the answered ones by time of call; -1: never answered. */
  readonly #place: number[]
  readonly #unanswered: number[] = []
  #all = 0
  #beyond: number[] = []

  constructor(history: readonly RegisterOperation[]) {
    const answered = [...history.keys()].filter((one) => at(history, one).return !== Number.POSITIVE_INFINITY)
    answered.sort((a, b) => at(history, a).call - at(history, b).call || a - b)
    this.#place = history.map(() => -1)
    for (const [place, operation] of answered.entries()) this.#place[operation] = place
  }

  hasUnanswered(operation: number): boolean {
    return this.#unanswered.includes(operation)
  }

  add(operation: number): void {
    const place = this.#place[operation] as number
    if (place < 0) {
      insert(this.#unanswered, operation)
      return
    }
    if (place !== this.#all) {
      insert(this.#beyond, place)
      return
    }
    this.#all++
    let taken = 0
    while (this.#beyond[taken] === this.#all) {
      taken++
      this.#all++
    }
    if (taken > 0) this.#beyond.splice(0, taken)
  }

  remove(operation: number): void {
    const place = this.#place[operation] as number
    if (place < 0) {
      this.#unanswered.splice(this.#unanswered.indexOf(operation), 1)
      return
    }
    if (place >= this.#all) {
      this.#beyond.splice(this.#beyond.indexOf(place), 1)
      return
    }
    const between: number[] = []
    for (let one = place + 1; one < this.#all; one++) between.push(one)
    this.#beyond = [...between, ...this.#beyond]
    this.#all = place
  }

  key(): string {
    return `${this.#all}:${this.#beyond.join()}:${this.#unanswered.join()}`
  }
}

function insert(sorted: number[], item: number): void {
  let place = sorted.length
  while (place > 0 && (sorted[place - 1] as number) > item) place--
  sorted.splice(place, 0, item)
}
