/** A JSON value with integers as exact as they were written: beyond 2^53 they are bigint. */
export type Exact = null | boolean | number | bigint | string | Exact[] | ExactObject
export interface ExactObject {
  [key: string]: Exact
}

const mark = '\u0000integer '

/** Reads JSON without rounding its integers. Throws SyntaxError as `JSON.parse` does. */
export function parseExact(text: string): Exact {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    /^-?\d{16,}$/.test(token) ? `"\\u0000integer ${token}"` : token,
  )
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'string' && value.startsWith(mark) ? smallest(BigInt(value.slice(mark.length))) : value,
  )
}

function smallest(value: bigint): number | bigint {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value
}

export function isObject(value: Exact | undefined): value is ExactObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One text for each value: object keys sorted. Equal texts are equal values. */
export function canonical(value: Exact): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(', ')}]`
  if (isObject(value)) {
    const members = sortedKeys(value).map((key) => `${JSON.stringify(key)}: ${canonical(value[key] as Exact)}`)
    return `{${members.join(', ')}}`
  }
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}

export function sortedKeys(value: ExactObject): string[] {
  return Object.keys(value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}
