/** The content of a page: plain data, in the form that people write. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value }

/** A page, or a part of it that has keys. */
export type Keyed = { readonly [key: string]: Value }

export function isKeyed(value: Value | undefined): value is Keyed {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listAt(page: Keyed, key: string): readonly Value[] {
  const value = page[key]
  return Array.isArray(value) ? value : []
}

export function keyedAt(page: Keyed, key: string): Keyed {
  const value = page[key]
  return isKeyed(value) ? value : {}
}

/** The rules of faults. */
export function rulesOf(page: Keyed): readonly Keyed[] {
  return listAt(page, 'faults').filter(isKeyed)
}

export function stepsOf(page: Keyed): readonly Keyed[] {
  return listAt(page, 'steps').filter(isKeyed)
}

export function without(page: Keyed, ...keys: readonly string[]): Keyed {
  return Object.fromEntries(Object.entries(page).filter(([key]) => !keys.includes(key)))
}

/** The page with another value for the key; an empty list or map, or undefined, removes the key. */
export function withKey(page: Keyed, key: string, value: Value | undefined): Keyed {
  const isEmpty = Array.isArray(value) ? value.length === 0 : isKeyed(value) && Object.keys(value).length === 0
  if (value === undefined || isEmpty) return without(page, key)
  return { ...page, [key]: value }
}

/** The same at a path of keys. */
export function withAt(page: Keyed, path: readonly string[], value: Value | undefined): Keyed {
  const [key, ...rest] = path
  if (key === undefined) return page
  return withKey(page, key, rest.length === 0 ? value : withAt(keyedAt(page, key), rest, value))
}

/** A time in a page, as precisely as the world counts: in microseconds. */
export function timeText(ms: number): string {
  const us = Math.round(ms * 1000)
  if (us % 1_000_000 === 0) return `${us / 1_000_000}s`
  return us >= 10_000_000 ? `${us / 1_000_000}s` : `${us / 1000}ms`
}
