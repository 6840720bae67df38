import type { Authorizer, Decision, NamedResource, Resource, Right, ScalarResource } from './authorizer.ts'
import {
  includes,
  type LabelledResource,
  type Level,
  labelledResources,
  outranks,
  type RuleSet,
  scalarResources,
  writtenRule,
} from './rules.ts'
import { type Entry, intentionsOf, RuleTable, type Sourced } from './table.ts'

export interface PolicyAuthorizerOptions {
  /** The accessor ID, empty if there is none yet. Never a secret. */
  readonly accessor: string
  /** The rules of policies that are valid here, or of a legacy token, under a name for people. */
  readonly rulesets: readonly { readonly policy: string; readonly rules: RuleSet }[]
  readonly defaultPolicy: 'allow' | 'deny'
  /** Whether `list` of keys needs a rule. Off: it is never refused, and keys that may not be read are left out. */
  readonly keyListPolicy: boolean
}

/**
 * The rights that policies grant a token: the rule for exactly the name, otherwise the one for its longest prefix,
 * otherwise the default. A matching rule decides, even if it grants too little. Reference:
 * access-control.md#evaluation.
 *
 * Building it only stores the options: tables are made when a resource is first asked for.
 */
export function authorizerOf(options: PolicyAuthorizerOptions): Authorizer {
  return new PolicyAuthorizer(options)
}

interface Scalar {
  readonly level: Level
  readonly policy: string
}

class PolicyAuthorizer implements Authorizer {
  readonly accessor: string
  readonly #options: PolicyAuthorizerOptions
  readonly #tables = new Map<LabelledResource, RuleTable>()
  readonly #scalars: ReadonlyMap<ScalarResource, Scalar>
  readonly #readsAll = new Map<NamedResource, boolean>()
  #unrestricted: boolean | undefined

  constructor(options: PolicyAuthorizerOptions) {
    this.#options = options
    this.accessor = options.accessor
    this.#scalars = mergedScalars(options)
  }

  get unrestricted(): boolean {
    this.#unrestricted ??= this.#grantsAll()
    return this.#unrestricted
  }

  allows(resource: Resource, name: string, right: Right): boolean {
    if (isScalar(resource)) {
      const level = this.#scalars.get(resource)?.level
      return level === undefined ? this.#byDefault(resource) : includes(level, right)
    }
    if (resource === 'key' && right === 'list' && !this.#options.keyListPolicy) return true
    const entry = this.#table(resource).find(name)
    return entry === undefined ? this.#byDefault(resource) : includes(levelFor(resource, entry), right)
  }

  readsAll(resource: NamedResource): boolean {
    const known = this.#readsAll.get(resource)
    if (known !== undefined) return known
    const readsAll = this.#grantsEvery(resource, 'read')
    this.#readsAll.set(resource, readsAll)
    return readsAll
  }

  writesTree(prefix: string): boolean {
    const keys = this.#table('key')
    const covering = keys.covering(prefix)
    const isCovered = covering === undefined ? this.#byDefault('key') : covering.level === 'write'
    return isCovered && keys.lesserWithin(prefix, 'write') === undefined
  }

  explain(resource: Resource, name: string, right: Right): Decision {
    const allowed = this.allows(resource, name, right)
    if (isScalar(resource)) {
      const scalar = this.#scalars.get(resource)
      if (scalar === undefined) return { allowed, by: { kind: 'default', policy: this.#options.defaultPolicy } }
      return { allowed, by: { kind: 'rule', rule: resource, level: scalar.level, policy: scalar.policy } }
    }
    if (resource === 'key' && right === 'list' && !this.#options.keyListPolicy) {
      return { allowed, by: { kind: 'not-enforced' } }
    }
    const entry = this.#table(resource).find(name)
    if (entry === undefined) return { allowed, by: { kind: 'default', policy: this.#options.defaultPolicy } }
    const { rule, grammar, policy } = sourceFor(resource, entry)
    const level = levelFor(resource, entry)
    return { allowed, by: { kind: 'rule', rule: writtenRule(rule, grammar), level, policy } }
  }

  #table(resource: NamedResource): RuleTable {
    const labelled = resource === 'intention' ? 'service' : resource
    const known = this.#tables.get(labelled)
    if (known !== undefined) return known
    const table = new RuleTable(sourcedRules(this.#options, labelled))
    this.#tables.set(labelled, table)
    return table
  }

  /** Access control itself is never granted by default. */
  #byDefault(resource: Resource): boolean {
    return this.#options.defaultPolicy === 'allow' && resource !== 'acl'
  }

  /** Whether no name of a resource is refused a right. */
  #grantsEvery(resource: NamedResource, right: Level): boolean {
    const table = this.#table(resource)
    const passes = (entry: Entry): boolean => includes(levelFor(resource, entry), right)
    const others = table.covering('')
    return (others === undefined ? this.#byDefault(resource) : passes(others)) && table.every(passes)
  }

  #grantsAll(): boolean {
    const named: readonly NamedResource[] = ['intention', ...labelledResources]
    return (
      scalarResources.every((resource) => this.allows(resource, '', 'write')) &&
      named.every((resource) => this.#grantsEvery(resource, 'write'))
    )
  }
}

function isScalar(resource: Resource): resource is ScalarResource {
  return resource === 'acl' || resource === 'keyring' || resource === 'operator'
}

function levelFor(resource: NamedResource, entry: Entry): Level {
  return resource === 'intention' ? intentionsOf(entry) : entry.level
}

function sourceFor(resource: NamedResource, entry: Entry): Sourced {
  return resource === 'intention' && entry.intentions !== undefined ? entry.intentionsBy : entry.by
}

function sourcedRules({ rulesets }: PolicyAuthorizerOptions, resource: LabelledResource): readonly Sourced[] {
  const sourced: Sourced[] = []
  for (const { policy, rules } of rulesets) {
    for (const rule of rules.rules[resource] ?? []) sourced.push({ rule, grammar: rules.grammar, policy })
  }
  return sourced
}

function mergedScalars({ rulesets }: PolicyAuthorizerOptions): ReadonlyMap<ScalarResource, Scalar> {
  const merged = new Map<ScalarResource, Scalar>()
  for (const { policy, rules } of rulesets) {
    for (const resource of scalarResources) {
      const level = rules.scalars[resource]
      if (level !== undefined && outranks(level, merged.get(resource)?.level)) merged.set(resource, { level, policy })
    }
  }
  return merged
}
