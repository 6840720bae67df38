import { type DefinitionSource, definitionSources, withoutDefinitions } from '../definitions.ts'
import type { FileConfig } from '../schema.ts'
import type { ValidatedFile } from '../validate.ts'
import { valueAt } from '../waiting.ts'

/** The merged content of all sources, with the place of each value. */
interface Gathered {
  readonly config: FileConfig
  readonly definitions: readonly DefinitionSource[]
  /** `file:line:column` of the key, or the flag, that took effect; all of them for a list. `config` if none set it. */
  placeOf(path: readonly string[]): string
}

/** Merges sources, of which a later one overrides an earlier one. Definitions are collected, and not merged. */
export function gather(sources: readonly ValidatedFile[]): Gathered {
  const bare = sources.map(({ config }) => withoutDefinitions(config))
  const placeOf = (path: readonly string[]): string => {
    const saying = sources.filter((_, at) => valueAt(bare[at], path) !== undefined)
    const last = saying.at(-1)
    if (last === undefined || path.length === 0) return 'config'
    return Array.isArray(valueAt(last.config, path))
      ? saying.map((source) => source.placeOf(path)).join(', ')
      : last.placeOf(path)
  }
  return {
    config: bare.reduce(mergeConfig, {}),
    definitions: sources.flatMap((source) => definitionSources(source.config, source.placeOf)),
    placeOf,
  }
}

/**
 * Merges a later source into an earlier one: scalars are replaced, lists appended, maps and blocks merged key by key.
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
