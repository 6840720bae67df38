import { isRecord } from '../../src/base/shape.ts'
import type { RunTask } from './lesson.ts'

/** The paths at which two pages differ. The comparison descends where both pages have a map, or both have a list. */
export function changedPaths(before: unknown, now: unknown, path: readonly string[] = []): readonly string[] {
  if (isRecord(before) && isRecord(now)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    return keys.flatMap((key) => changedPaths(before[key], now[key], [...path, key]))
  }
  if (Array.isArray(before) && Array.isArray(now)) {
    const length = Math.max(before.length, now.length)
    return Array.from({ length }, (_, at) => changedPaths(before[at], now[at], [...path, String(at + 1)])).flat()
  }
  return JSON.stringify(before) === JSON.stringify(now) ? [] : [path.join('.')]
}

/** The value at a path of a page, such as `steps.3.wait`; undefined if there is none. */
export function valueAt(page: unknown, path: string): unknown {
  let value = page
  for (const key of path.split('.')) {
    if (Array.isArray(value)) value = value[Number(key) - 1]
    else value = isRecord(value) ? value[key] : undefined
  }
  return value
}

/** The page with other values at these paths, each of which ends at a key of a map that the page has. */
export function withValues(page: unknown, values: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(values).reduce((before, [path, value]) => withValue(before, path.split('.'), value), page)
}

function withValue(page: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(page)) return page.map((each, at) => (at === Number(key) - 1 ? withValue(each, rest, value) : each))
  if (!isRecord(page)) throw new Error(`a lesson changes what its page lacks: '${key}' of ${String(page)}`)
  return { ...page, [key]: withValue(page[key], rest, value) }
}

/** Whether a path is one of these parts of a page, or below one. */
export function isWithin(path: string, parts: readonly string[]): boolean {
  return parts.some((part) => path === part || path.startsWith(`${part}.`))
}

/**
 * A page together with the parts that a check adds: the added steps follow the steps of the page, and the added
 * conditions and demands are merged with its own. The result is JSON, which is also YAML.
 */
export function withAdded(page: unknown, { added }: Pick<RunTask, 'added'>): string {
  if (!isRecord(page) || added === undefined) return JSON.stringify(page)
  const { steps = [], ...others } = added
  const own = Array.isArray(page['steps']) ? page['steps'] : []
  const merged = Object.entries(others).map(([key, value]) => [key, joined(page[key], value)] as const)
  return JSON.stringify({ ...page, steps: [...own, ...steps], ...Object.fromEntries(merged) })
}

/** Joins lists and merges maps; where values conflict, the added one wins. */
function joined(own: unknown, added: unknown): unknown {
  if (own === undefined) return added
  if (Array.isArray(own) && Array.isArray(added)) return [...own, ...added]
  if (!isRecord(own) || !isRecord(added)) return added
  const keys = [...new Set([...Object.keys(own), ...Object.keys(added)])]
  return Object.fromEntries(keys.map((key) => [key, key in added ? joined(own[key], added[key]) : own[key]]))
}
