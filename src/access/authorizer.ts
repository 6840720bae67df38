/** Resources that a rule names without a label. Reference: access-control.md#resources. */
export type ScalarResource = 'acl' | 'keyring' | 'operator'

/**
 * Resources whose rules carry a label, which is matched with a name. `intention` has rules within those of `service`.
 */
export type NamedResource = 'agent' | 'event' | 'intention' | 'key' | 'node' | 'query' | 'service' | 'session'

export type Resource = ScalarResource | NamedResource

/**
 * `list` exists only for keys; if the policy for listing keys is off, it is never refused: a list shows what may be
 * read.
 */
export type Right = 'read' | 'list' | 'write'

/** One question: may this be done at the resource of this name (empty at a scalar)? */
export interface Ask {
  readonly resource: Resource
  readonly name: string
  readonly right: Right
}

/** What decided a question, for people: for `explain`, and for the log of denials. It contains no secret. */
export interface Decision {
  readonly allowed: boolean
  readonly by: /** `rule` as it is written, such as `service_prefix "web"`, with the policy (or legacy token) that holds it. */
    | { readonly kind: 'rule'; readonly rule: string; readonly level: string; readonly policy: string }
    | { readonly kind: 'default'; readonly policy: 'allow' | 'deny' }
    /** Access control is off, or this is the agent itself. */
    | { readonly kind: 'unrestricted' }
    /** No authorizer decides this: the release or the settings do not enforce access control here. */
    | { readonly kind: 'not-enforced' }
}

/** The rights of one token as of when it was resolved. Every answer is pure, and as quick as a lookup in a table. */
export interface Authorizer {
  /** The token's accessor ID, empty if it has none (yet). Never a secret. */
  readonly accessor: string
  /** Nothing at all is refused, `acl` included: a filter need not look at rows. */
  readonly unrestricted: boolean
  allows(resource: Resource, name: string, right: Right): boolean
  /** Whether every name of a resource may be read, so that there is nothing to filter. */
  readsAll(resource: NamedResource): boolean
  /** All keys that begin so may be written: the rule that covers the prefix says so, and none below it says less. */
  writesTree(prefix: string): boolean
  explain(resource: Resource, name: string, right: Right): Decision
}

/** Used where access control is off, and for the agent's own operations. */
export const unrestricted: Authorizer = {
  accessor: '',
  unrestricted: true,
  allows: () => true,
  readsAll: () => true,
  writesTree: () => true,
  explain: () => ({ allowed: true, by: { kind: 'unrestricted' } }),
}

/** For a token that may do everything whatever its rules: legacy tokens of the type management. */
export function managementOf(accessor: string): Authorizer {
  return { ...unrestricted, accessor }
}

/** `refused by default policy deny`. */
export function decisionText(decision: Decision): string {
  return `${decision.allowed ? 'allowed' : 'refused'} by ${decidedBy(decision)}`
}

/** `service_prefix "web" read, p1`, or `default policy deny`. */
export function decidedBy({ by }: Decision): string {
  switch (by.kind) {
    case 'rule':
      return `${by.rule} ${by.level}, ${by.policy}`
    case 'default':
      return `default policy ${by.policy}`
    case 'unrestricted':
      return 'no restriction'
    case 'not-enforced':
      return 'nothing, for no rule is asked for it'
  }
}
