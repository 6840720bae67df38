import type { FileConfig } from '../schema.ts'

/**
 * Puts a later source over an earlier one: scalars are replaced, lists appended, maps and blocks merged key by key.
 * Reference: configuration.md#fact-2.
 */
export function mergeConfig(earlier: FileConfig, later: FileConfig): FileConfig {
  return merged(earlier, later) as FileConfig
}

function merged(earlier: unknown, later: unknown): unknown {
  if (later === undefined) return earlier
  if (Array.isArray(earlier) && Array.isArray(later)) return [...(earlier as unknown[]), ...(later as unknown[])]
  if (!isObject(earlier) || !isObject(later)) return later
  const out: Record<string, unknown> = { ...earlier }
  for (const [key, value] of Object.entries(later)) out[key] = merged(out[key], value)
  return out
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
