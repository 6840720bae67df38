import { itemAt } from '../../base/items.ts'

/** Number of servers that must agree among this many `voters`: more than half, so that any two quorums share one. */
export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1
}

/**
 * The greatest value that a quorum has reached, given the value of each voter; undefined without voters. Sorts the
 * values in place, by insertion, because there are only a few, and this runs for each answer.
 */
export function reachedByQuorum<Value extends number>(values: Value[]): Value | undefined {
  for (let i = 1; i < values.length; i++) {
    const value = itemAt(values, i)
    let at = i
    while (at > 0 && itemAt(values, at - 1) < value) {
      values[at] = itemAt(values, at - 1)
      at--
    }
    values[at] = value
  }
  return values[quorumOf(values.length) - 1]
}
