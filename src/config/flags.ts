import { err, ok, type Result } from '../base/result.ts'
import { agentFlags } from './agent-flags.ts'
import type { ConfigProblem } from './problem.ts'
import { type FileConfig, fileSchema } from './schema.ts'
import { valueAt } from './waiting.ts'

export interface FlagValues {
  /** List-valued flags: merged before the files. */
  readonly lists: FileConfig
  /** Scalar flags: merged after the files. */
  readonly scalars: FileConfig
}

/** Turns the values of given flags into configuration. */
export function configOfFlags(
  given: ReadonlyMap<string, boolean | string | readonly string[]>,
): Result<FlagValues, readonly ConfigProblem[]> {
  const lists: Record<string, unknown> = {}
  const scalars: Record<string, unknown> = {}
  const problems: ConfigProblem[] = []
  for (const flag of agentFlags) {
    const value = given.get(flag.name)
    if (value === undefined || flag.path === undefined) continue
    if (flag.kind === 'list') put(lists, flag.path, value)
    else if (flag.kind === 'pairs') put(scalars, flag.path, pairsOf(value as readonly string[]))
    else if (flag.kind === 'integer') {
      if (!/^[+-]?\d+$/.test(String(value))) {
        problems.push({
          place: `-${flag.name}`,
          message: `invalid value "${String(value)}"`,
          remedy: 'write a whole number',
        })
      } else put(scalars, flag.path, Number(value))
    } else put(scalars, flag.path, value)
  }
  problems.push(...[lists, scalars].flatMap(wrongValues))
  return problems.length > 0 ? err(problems) : ok({ lists: lists as FileConfig, scalars: scalars as FileConfig })
}

/** Values that no file may have. What is wrong with a port is reported with the other ports. */
function wrongValues(config: Record<string, unknown>): readonly ConfigProblem[] {
  const parsed = fileSchema.safeParse(config)
  const issues = parsed.success ? [] : parsed.error.issues.filter(({ path }) => path[0] !== 'ports')
  return issues.map(({ path, message: remedy }) => {
    const value = valueAt(config, path.map(String))
    return { place: flagAt(path), message: `invalid value ${JSON.stringify(value)}`, remedy }
  })
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path as [string, ...string[]]
  if (rest.length === 0) {
    into[head] = value
    return
  }
  const inner = (into[head] ?? {}) as Record<string, unknown>
  into[head] = inner
  put(inner, rest, value)
}

function pairsOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const colon = pair.indexOf(':')
      return colon < 0 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)]
    }),
  )
}

/** The flag that sets the value at this path. */
export function flagAt(path: readonly PropertyKey[]): string {
  const dotted = path.join('.')
  const flag = agentFlags.find((each) => each.path !== undefined && isWithin(each.path.join('.'), dotted))
  return flag === undefined ? 'config' : `-${flag.name}`
}

function isWithin(key: string, dotted: string): boolean {
  return dotted === key || dotted.startsWith(`${key}.`)
}
