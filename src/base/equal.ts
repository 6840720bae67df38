/** Whether two values of plain data (null, texts, numbers, booleans, lists, objects) are the same. Absent is not undefined. */
export function equalPlain(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, at) => equalPlain(item, b[at]))
  }
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>]
  if (left.length !== Object.keys(right).length) return false
  return left.every(([key, value]) => Object.hasOwn(right, key) && equalPlain(value, right[key]))
}
