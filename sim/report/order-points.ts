import type { KeyOperation } from '../checkers/keys/key-history.ts'

/**
 * Moments at which the operations of an order may have taken effect, in microseconds: none before the previous
 * operation's, none after its own answer, and as early as that allows. Only a read that may be stale takes effect
 * before its call.
 */
export function effectTimes(order: readonly KeyOperation[]): readonly number[] {
  const latest = order.map(({ returnUs }) => returnUs)
  for (let at = latest.length - 2; at >= 0; at--) latest[at] = Math.min(latest[at] ?? 0, latest[at + 1] ?? 0)
  let before = Number.NEGATIVE_INFINITY
  return order.map(({ callUs }, at) => {
    before = Math.max(before, Math.min(callUs, latest[at] ?? callUs))
    return before
  })
}

/** Where an operation takes effect in a picture. */
export interface EffectPoint {
  readonly operation: KeyOperation
  /** In columns from the first one; a fraction if several operations take effect between two columns. */
  readonly column: number
}

/**
 * For the drawn operations of an order, the positions of their moments among the columns of a picture, whose times
 * ascend. Moments between the same two columns are spread between them, and none is placed after the answer of its
 * operation.
 */
export function effectPoints(
  order: readonly KeyOperation[],
  drawn: ReadonlySet<KeyOperation>,
  times: readonly number[],
): readonly EffectPoint[] {
  const moments = effectTimes(order)
  const points = order.flatMap((operation, at) =>
    drawn.has(operation) ? [{ operation, column: columnOf(moments[at] as number, times) }] : [],
  )
  const shared = new Map<number, number>()
  for (const { column } of points) shared.set(column, (shared.get(column) ?? 0) + 1)
  const seen = new Map<number, number>()
  const spread = points.map(({ operation, column }) => {
    const place = (seen.get(column) ?? 0) + 1
    seen.set(column, place)
    return { operation, column: column + place / ((shared.get(column) ?? 0) + 1) }
  })
  let next = Number.POSITIVE_INFINITY
  for (const point of spread.toReversed()) {
    const { returnUs } = point.operation
    const end = returnUs === Number.POSITIVE_INFINITY ? times.length : columnOf(returnUs, times)
    point.column = Math.min(point.column, end, next)
    next = point.column
  }
  return spread
}

/** The last column at or before a time; the first one for earlier times. */
function columnOf(time: number, times: readonly number[]): number {
  let [from, to] = [0, times.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((times[middle] as number) <= time) from = middle + 1
    else to = middle
  }
  return Math.max(0, from - 1)
}
