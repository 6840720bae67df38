/** Which metrics are kept, by how their full names begin. Reference: telemetry.md#metrics-7. */
export interface MetricFilter {
  readonly allowed: readonly string[]
  readonly blocked: readonly string[]
  /** What becomes of a name that no rule speaks of. */
  readonly otherwise: boolean
}

/** The longest beginning that a rule names decides; of an equal one, that it is blocked. */
export function passes({ allowed, blocked, otherwise }: MetricFilter, name: string): boolean {
  const block = longest(blocked, name)
  const allow = longest(allowed, name)
  if (block < 0 && allow < 0) return otherwise
  return allow > block
}

/** The length of the longest of these that the name begins with; -1: of none. */
function longest(prefixes: readonly string[], name: string): number {
  let found = -1
  for (const prefix of prefixes) if (prefix.length > found && name.startsWith(prefix)) found = prefix.length
  return found
}
