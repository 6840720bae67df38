import type { NamedResource, ScalarResource } from './authorizer.ts'

/**
 * The level of a rule. Only `key` has `list`. Reference: access-control.md#resources,
 * access-control.md#evaluation-levels.
 */
export type Level = 'deny' | 'read' | 'list' | 'write'

/** Which language a text of rules is in. In the legacy one every label is a prefix, and there is no `acl`. */
export type Grammar = 'legacy' | 'new'

/** Resources that have blocks of their own; intentions are within those of services. */
export type LabelledResource = Exclude<NamedResource, 'intention'>

/** One block: what may be done where a name is the label, or begins with it. */
export interface Rule {
  readonly resource: LabelledResource
  readonly match: 'exact' | 'prefix'
  readonly label: string
  readonly level: Level
  /** Only for `service`. Absent: it follows from the level. */
  readonly intentions?: Level
}

/** A parsed text of rules. Rules of one label stay beside each other; the authorizer merges them. */
export interface RuleSet {
  readonly grammar: Grammar
  /** In the order of the text, those with exact labels first. */
  readonly rules: Readonly<Partial<Record<LabelledResource, readonly Rule[]>>>
  readonly scalars: Readonly<Partial<Record<ScalarResource, Level>>>
}

export const labelledResources = [
  'agent',
  'key',
  'node',
  'service',
  'session',
  'event',
  'query',
] as const satisfies readonly LabelledResource[]

export const scalarResources = ['acl', 'keyring', 'operator'] as const satisfies readonly ScalarResource[]

const ranks: Readonly<Record<Level, number>> = { deny: 0, read: 1, list: 2, write: 3 }

export function isLevel(text: string): text is Level {
  return Object.hasOwn(ranks, text)
}

/** Each level includes those below it. */
export function includes(level: Level, right: Level): boolean {
  return ranks[level] >= ranks[right]
}

/** Of two rules with the same label, deny takes precedence over write, write over list, list over read. */
export function outranks(level: Level, other: Level | undefined): boolean {
  if (other === undefined || level === other) return other === undefined
  return level === 'deny' || (other !== 'deny' && ranks[level] > ranks[other])
}

/** The rule as people write it, without what stands between its braces. */
export function writtenRule(rule: Rule, grammar: Grammar): string {
  return `${blockName(rule.resource, rule.match, grammar)} ${JSON.stringify(rule.label)}`
}

export function blockName(resource: LabelledResource, match: Rule['match'], grammar: Grammar): string {
  return grammar === 'new' && match === 'prefix' ? `${resource}_prefix` : resource
}
