import type { RegisterOperation } from './register-operation.ts'

/** A call or a return in a list ordered by time, from which operations in the order are removed. */
export interface Mark {
  readonly operation: number
  readonly isCall: boolean
  readonly time: number
  partner: Mark | undefined
  previous: Mark | undefined
  next: Mark | undefined
}

/**
 * Links the calls and returns of the answered operations in order of time. Returns the list's head, an empty mark
 * before the first.
 */
export function markList(history: readonly RegisterOperation[]): Mark {
  const marks: Mark[] = []
  for (const [operation, one] of history.entries()) {
    if (one.return === Number.POSITIVE_INFINITY) continue
    const call: Mark = mark(operation, true, one.call)
    const end: Mark = mark(operation, false, one.return)
    call.partner = end
    marks.push(call, end)
  }
  marks.sort((a, b) => a.time - b.time || Number(b.isCall) - Number(a.isCall) || a.operation - b.operation)
  const head = mark(-1, true, Number.NEGATIVE_INFINITY)
  let last = head
  for (const one of marks) {
    one.previous = last
    last.next = one
    last = one
  }
  return head
}

function mark(operation: number, isCall: boolean, time: number): Mark {
  return { operation, isCall, time, partner: undefined, previous: undefined, next: undefined }
}

/** Removes an operation that is now in the order. */
export function lift(call: Mark): void {
  unlink(call)
  unlink(call.partner as Mark)
}

/** Undoes the last `lift`. */
export function unlift(call: Mark): void {
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
