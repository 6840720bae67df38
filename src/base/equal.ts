import { isList, isRecord } from './shape.ts'

/** Whether two values of plain data (null, texts, numbers, booleans, lists, objects) are the same. Absent is not undefined. */
export function equalPlain(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, at) => equalPlain(item, b[at]))
  if (!isRecord(a) || !isRecord(b)) return false
  const left = Object.entries(a)
  if (left.length !== Object.keys(b).length) return false
  return left.every(([key, value]) => Object.hasOwn(b, key) && equalPlain(value, b[key]))
}
