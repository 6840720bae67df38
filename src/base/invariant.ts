/**
 * Thrown when a promise that the code makes to itself is broken. The agent that meets one writes what it knows and
 * stops.
 */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation'
  readonly values: Readonly<Record<string, unknown>>

  constructor(message: string, values: Readonly<Record<string, unknown>>) {
    const shown = Object.entries(values).map(([key, value]) => `${key}=${String(value)}`)
    super(shown.length === 0 ? message : `${message} (${shown.join(', ')})`)
    this.values = values
  }
}

/** Stays on in production. State one condition, and give the values that a reader of the message will want. */
export function invariant(
  condition: boolean,
  message: string,
  values: Readonly<Record<string, unknown>> = {},
): asserts condition {
  if (!condition) throw new InvariantViolation(message, values)
}
