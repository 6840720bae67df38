// Wrong: operations take effect in the order of their answers, whatever overlaps.
export function isLinearizable(operations) {
  let held = null
  const answered = operations.filter(({ outcome }) => outcome !== 'unknown')
  answered.sort((one, other) => one.return - other.return)
  for (const { op, value, expected, found, outcome } of answered) {
    if (op === 'read' && found !== held) return false
    if (op === 'cas' && (held === expected) !== (outcome === 'ok')) return false
    if (op === 'delete') held = null
    else if (op === 'write' || (op === 'cas' && outcome === 'ok')) held = value
  }
  return true
}
