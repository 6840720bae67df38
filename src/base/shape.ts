/** The shape of a value of unknown origin, determined by inspecting it. */

/** An object that is not a list: its members may be read by any name, and are of unknown shape as well. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `Array.isArray` for read-only lists, which its type does not cover. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** The names of a table that is a literal in the code: exactly those of its type. */
export function namesOf<Table extends object>(table: Table): readonly (keyof Table & string)[] {
  return Object.keys(table) as (keyof Table & string)[]
}

/**
 * Whether two values of plain data (null, texts, numbers, booleans, lists, objects) are the same. Absent is not
 * undefined.
 */
export function equalPlain(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, at) => equalPlain(item, b[at]))
  if (!isRecord(a) || !isRecord(b)) return false
  const left = Object.entries(a)
  if (left.length !== Object.keys(b).length) return false
  return left.every(([key, value]) => Object.hasOwn(b, key) && equalPlain(value, b[key]))
}
