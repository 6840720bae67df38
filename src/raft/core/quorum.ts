import { itemAt } from '../../base/items.ts'

/** Servers that must agree among `voters` of them: more than half, so that any two quorums share one. */
export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1
}

/**
 * The greatest value that a quorum has reached, given what each voter has reached; undefined without voters, for then
 * nobody can reach anything. Sorts the values in place, by insertion: they are a handful, and this runs for each
 * answer.
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
