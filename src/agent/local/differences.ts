/** How the catalog's picture of this node differs from the agent's. */
export interface Comparison {
  /** Whether the node's own data are as they should be. */
  readonly node: boolean
  /** Of what is here, by `itemKey`: what the catalog has exactly so, and what it has at all. */
  readonly services: Presence
  readonly checks: Presence
  /** Tags that the catalog may keep, by ID. */
  readonly overriddenTags: ReadonlyMap<string, readonly string[]>
  /** What the catalog has and this agent does not hold. */
  readonly strangeServices: readonly string[]
  readonly strangeChecks: readonly { readonly checkId: string; readonly serviceId: string }[]
}

export interface Presence {
  readonly equal: ReadonlySet<string>
  readonly present: ReadonlySet<string>
  /** What the agent may not read, so that nobody knows whether it is there. */
  readonly unseen: ReadonlySet<string>
}
