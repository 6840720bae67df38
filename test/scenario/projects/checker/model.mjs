// A search for an order, operation by operation, that visits no pair of a set of operations and a value twice.

export function isLinearizable(operations) {
  const judged = operations.filter(({ op, outcome }) => outcome !== 'unknown' || op !== 'read')
  judged.sort((one, other) => one.call - other.call)
  const ends = judged.map((one) => one.return ?? Number.POSITIVE_INFINITY)
  const answered = judged.reduce(
    (mask, { outcome }, at) => (outcome === 'unknown' ? mask : mask | (1n << BigInt(at))),
    0n,
  )
  const seen = new Set()
  const stack = [{ done: 0n, held: null }]
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    const { done, held } = state
    if ((done & answered) === answered) return true
    const name = `${done.toString(36)} ${JSON.stringify(held)}`
    if (seen.has(name)) continue
    seen.add(name)
    // An operation may come next if no other one that is left returned before its call.
    let firstReturn = Number.POSITIVE_INFINITY
    for (const [at, one] of judged.entries()) {
      if (one.call > firstReturn) break
      if ((done >> BigInt(at)) & 1n) continue
      firstReturn = Math.min(firstReturn, ends[at])
    }
    for (const [at, one] of judged.entries()) {
      if (one.call > firstReturn) break
      if ((done >> BigInt(at)) & 1n) continue
      const next = afterwards(one, held)
      if (next !== undefined) stack.push({ done: done | (1n << BigInt(at)), held: next })
    }
  }
  return false
}

/** The value after this operation; undefined if it cannot happen now. */
function afterwards({ op, value, expected, found, outcome }, held) {
  if (op === 'write') return value
  if (op === 'delete') return null
  if (op === 'read') return found === held ? held : undefined
  if (outcome === 'refused') return held === expected ? undefined : held
  return held === expected ? value : undefined
}
