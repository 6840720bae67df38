/**
 * Whether a command has changed the replicated state, by the forms in which outcomes say that it has not. Each feature
 * has forms of its own in its `commands.ts`: a refusal in words, a kind, or for a registration of many offers a list with
 * `null` for each one that was accepted.
 */
export function changedState(outcome: unknown): boolean {
  if (typeof outcome !== 'object' || outcome === null) return outcome !== false
  if (Array.isArray(outcome)) return outcome.some((each) => each === null)
  if ('changedMeanwhile' in outcome) return false
  const { refusal = null, kind = '' } = outcome as { readonly refusal?: string | null; readonly kind?: string }
  return refusal === null && !withoutChange.has(kind)
}

const withoutChange: ReadonlySet<string> = new Set([
  'failed',
  'no-session',
  'held-by-another',
  'delayed',
  'other-index',
  'changed',
])
