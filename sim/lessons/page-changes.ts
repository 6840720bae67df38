import { isRecord } from '../../src/base/shape.ts'
import type { RunTask } from './lesson.ts'

/** Paths of what differs between two pages, as deep as both have the same keys. */
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

/** Whether a path is one of these parts of a page, or below one. */
export function isWithin(path: string, parts: readonly string[]): boolean {
  return parts.some((part) => path === part || path.startsWith(`${part}.`))
}

/**
 * A page with what a check adds to it: its steps follow those of the page, and its conditions and demands stand beside
 * them. The result is JSON, which is YAML, too.
 */
export function withAdded(page: unknown, { added }: Pick<RunTask, 'added'>): string {
  if (!isRecord(page) || added === undefined) return JSON.stringify(page)
  const { steps = [], ...others } = added
  const own = Array.isArray(page['steps']) ? page['steps'] : []
  const merged = Object.entries(others).map(([key, value]) => [key, joined(page[key], value)] as const)
  return JSON.stringify({ ...page, steps: [...own, ...steps], ...Object.fromEntries(merged) })
}

/** Lists are joined, and maps merged; what is added wins. */
function joined(own: unknown, added: unknown): unknown {
  if (own === undefined) return added
  if (Array.isArray(own) && Array.isArray(added)) return [...own, ...added]
  if (!isRecord(own) || !isRecord(added)) return added
  const keys = [...new Set([...Object.keys(own), ...Object.keys(added)])]
  return Object.fromEntries(keys.map((key) => [key, key in added ? joined(own[key], added[key]) : own[key]]))
}
