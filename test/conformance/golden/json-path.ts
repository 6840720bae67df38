import { canonical, type Exact, type ExactObject, isObject, sortedKeys } from './exact-json.ts'

/** A place in a value: `container[key]`. */
export interface Place {
  read(): Exact
  write(value: Exact): void
  remove(): void
}

/** The places that a dotted path names; `*` is any key or element, a negative number counts from the end. */
export function places(value: Exact, path: string): Place[] {
  const dot = path.indexOf('.')
  const head = dot < 0 ? path : path.slice(0, dot)
  const found: Place[] = []
  for (const key of keysAt(value, head)) {
    const place = placeIn(value as Exact[] | ExactObject, key)
    if (dot < 0) found.push(place)
    else found.push(...places(place.read(), path.slice(dot + 1)))
  }
  return found
}

/** The first value that a path names; the empty path names the whole. */
export function lookup(value: Exact | undefined, path: string): Exact | undefined {
  if (value === undefined) return undefined
  return places(value, path)[0]?.read() ?? (path === '' ? value : undefined)
}

function keysAt(value: Exact, head: string): string[] {
  if (Array.isArray(value)) {
    if (head === '*') return value.map((_item, at) => String(at))
    if (!/^-*\d+$/.test(head)) return []
    const at = Number(head) < 0 ? value.length + Number(head) : Number(head)
    return at >= 0 && at < value.length ? [String(at)] : []
  }
  if (!isObject(value)) return []
  if (head === '*') return Object.keys(value)
  return Object.hasOwn(value, head) ? [head] : []
}

function placeIn(container: Exact[] | ExactObject, key: string): Place {
  const object = container as ExactObject
  return {
    read: () => object[key] as Exact,
    write: (value) => {
      object[key] = value
    },
    remove: () => {
      if (Array.isArray(container)) container.splice(Number(key), 1)
      else delete object[key]
    },
  }
}

const maskNames = new Set(['<object>', '<array>', '<string>', '<number>', '<bool>', '<null>'])

/** The type of a value, seeing through what masking and normalising have put in its place. */
export function kind(value: Exact): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number' || typeof value === 'bigint') return 'number'
  if (typeof value !== 'string') return Array.isArray(value) ? 'array' : 'object'
  if (value === '<int>' || value === '<n>' || value.startsWith('<index') || value.startsWith('<port:')) return 'number'
  return maskNames.has(value) ? value.slice(1, -1) : 'string'
}

/** Keys and types all the way down; the shapes of an array's elements are merged to a set. */
export function shape(value: Exact): Exact {
  if (isObject(value)) {
    const out: ExactObject = {}
    for (const key of sortedKeys(value)) out[key] = shape(value[key] as Exact)
    return out
  }
  if (!Array.isArray(value)) return kind(value)
  const seen = new Map(value.map(shape).map((item) => [canonical(item), item]))
  return [...seen.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((key) => seen.get(key) as Exact)
}
