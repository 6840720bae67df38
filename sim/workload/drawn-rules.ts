import type { Draws } from '../world/decisions/draws.ts'

/** Resources for which rules are drawn; those that most requests need are listed several times. */
const resources = [
  'key',
  'key',
  'key',
  'service',
  'service',
  'node',
  'node',
  'session',
  'event',
  'query',
  'agent',
] as const
const levels = ['deny', 'read', 'read', 'write', 'write', 'write'] as const
const linesMin = 5
const linesMax = 12

/**
 * A few rules for different resources: for a name, a prefix of it, or the empty prefix. In the legacy grammar every
 * label is a prefix.
 */
export function drawnRules(draws: Draws, names: readonly string[], grammar: 'legacy' | 'new'): string {
  const lines = linesMin + draws.below(linesMax - linesMin + 1)
  return Array.from({ length: lines }, () => drawnRule(draws, ['', ...names], grammar)).join('\n')
}

function drawnRule(draws: Draws, labels: readonly string[], grammar: 'legacy' | 'new'): string {
  const resource = resources[draws.below(resources.length)] ?? 'key'
  const isPrefix = draws.below(2) === 0
  const label = labels[draws.below(labels.length)] ?? ''
  const level = levels[draws.below(levels.length)] ?? 'read'
  const saysMore = resource === 'service' && draws.below(2) === 0
  const more = saysMore ? ` intentions = "${levels[draws.below(levels.length)] ?? 'read'}"` : ''
  // An exact rule for the empty name matches nothing.
  const isWide = grammar === 'new' && (isPrefix || label === '')
  return `${resource}${isWide ? '_prefix' : ''} "${label}" { policy = "${level}"${more} }`
}

/** Every resource but access control itself. */
export const allRules = [...new Set(resources)]
  .map(
    (resource) => `${resource}_prefix "" { policy = "write"${resource === 'service' ? ' intentions = "write"' : ''} }`,
  )
  .join('\n')
