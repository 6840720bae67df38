import type { Ask, Authorizer, Decision } from './authorizer.ts'

/** The result for one question: the accessor it was about, and the rule that refused it. Holds no secret. */
export interface Refusal {
  readonly accessor: string
  readonly ask: Ask
  readonly decision: Decision
}

/** Of one question: two answers that are not the same. */
export interface Difference {
  readonly accessor: string
  readonly ask: Ask
  /** The one that was followed. */
  readonly first: Decision
  readonly second: Decision
}

/**
 * Refuses nothing, and tells what it would have refused. What filters looks at each name, and so each that would be left
 * out is told. Meant for `acl.report_only`: the next step of a cluster that is to get rules.
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

/** What `dual` makes of a difference, and for how long it compares. */
export interface Comparing {
  differs(difference: Difference): void
  /** False: the first is all that counts, and the second is not asked any more. Asked with every question. */
  isOn(): boolean
}

/**
 * Follows the first of two authorizers, and tells where the second would have answered otherwise: old rules against new ones
 * while a cluster goes from one to the other.
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
    // Where the two differ, the names themselves are asked for.
    readsAll: (resource) => first.readsAll(resource) && (!comparing.isOn() || second.readsAll(resource)),
    writesTree(prefix) {
      const one = first.writesTree(prefix)
      const ask = { resource: 'key', name: prefix, right: 'write' } as const
      return comparing.isOn() ? compared(ask, one, second.writesTree(prefix)) : one
    },
    explain: (resource, name, right) => first.explain(resource, name, right),
  }
}
