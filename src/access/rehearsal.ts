import type { Ask, Authorizer, Decision } from './authorizer.ts'

/** The result for one question: the accessor it was about, and the rule that refused it. Holds no secret. */
export interface Refusal {
  readonly accessor: string
  readonly ask: Ask
  readonly decision: Decision
}

/** Two different answers to one question. */
export interface Difference {
  readonly accessor: string
  readonly ask: Ask
  /** The one that was followed. */
  readonly first: Decision
  readonly second: Decision
}

/**
 * Refuses nothing, and reports what it would have refused. Filters ask about each name, so each one that would be left
 * out is reported. Meant for `acl.report_only`: the last step of a cluster before rules are enforced.
 */
export function reportOnly(authorizer: Authorizer, report: (refusal: Refusal) => void): Authorizer {
  const { accessor } = authorizer
  const refused = (ask: Ask): void => {
    const { by } = authorizer.explain(ask.resource, ask.name, ask.right)
    report({ accessor, ask, decision: { allowed: false, by } })
  }
  return {
    accessor,
    get unrestricted() {
      return authorizer.unrestricted
    },
    allows(resource, name, right) {
      if (!authorizer.allows(resource, name, right)) refused({ resource, name, right })
      return true
    },
    readsAll: (resource) => authorizer.readsAll(resource),
    writesTree(prefix) {
      if (!authorizer.writesTree(prefix)) refused({ resource: 'key', name: prefix, right: 'write' })
      return true
    },
    explain: (resource, name, right) => ({ ...authorizer.explain(resource, name, right), allowed: true }),
  }
}

/** Receives differences from `dual`, and says for how long to compare. */
export interface Comparing {
  differs(difference: Difference): void
  /** False: only the first authorizer counts, and the second is no longer asked. Called for every question. */
  isOn(): boolean
}

/**
 * Follows the first of two authorizers, and reports where the second would have answered differently: old rules against
 * new ones while a cluster migrates.
 */
export function dual(first: Authorizer, second: Authorizer, comparing: Comparing): Authorizer {
  const { accessor } = first
  const compared = (ask: Ask, one: boolean, other: boolean): boolean => {
    if (one === other) return one
    const { resource, name, right } = ask
    comparing.differs({
      accessor,
      ask,
      first: { allowed: one, by: first.explain(resource, name, right).by },
      second: { allowed: other, by: second.explain(resource, name, right).by },
    })
    return one
  }
  return {
    accessor,
    get unrestricted() {
      return first.unrestricted && (!comparing.isOn() || second.unrestricted)
    },
    allows(resource, name, right) {
      const one = first.allows(resource, name, right)
      return comparing.isOn() ? compared({ resource, name, right }, one, second.allows(resource, name, right)) : one
    },
    // If the two differ, the names themselves are checked.
    readsAll: (resource) => first.readsAll(resource) && (!comparing.isOn() || second.readsAll(resource)),
    writesTree(prefix) {
      const one = first.writesTree(prefix)
      const ask = { resource: 'key', name: prefix, right: 'write' } as const
      return comparing.isOn() ? compared(ask, one, second.writesTree(prefix)) : one
    },
    explain: (resource, name, right) => first.explain(resource, name, right),
  }
}
