/** Which metrics are kept, by prefixes of their full names. Reference: telemetry.md#metrics-7. */
export interface MetricFilter {
  readonly allowed: readonly string[]
  readonly blocked: readonly string[]
  /** Whether a name without a matching rule is kept. */
  readonly otherwise: boolean
}

/** The rule with the longest matching prefix decides; of two equal prefixes, the blocking rule wins. */
export function passes({ allowed, blocked, otherwise }: MetricFilter, name: string): boolean {
  const block = longest(blocked, name)
  const allow = longest(allowed, name)
  if (block < 0 && allow < 0) return otherwise
  return allow > block
}

/** Length of the longest matching prefix; -1 if none matches. */
function longest(prefixes: readonly string[], name: string): number {
  let found = -1
  for (const prefix of prefixes) if (prefix.length > found && name.startsWith(prefix)) found = prefix.length
  return found
}
