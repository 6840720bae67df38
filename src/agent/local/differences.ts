/** How the catalog's picture of this node differs from the agent's. */
export interface Comparison {
  /** Whether the catalog's data about the node itself are right. */
  readonly node: boolean
  /** By `itemKey`: items that the catalog has exactly as they are here, and items that it has at all. */
  readonly services: Presence
  readonly checks: Presence
  /** Tags that the catalog may keep, by service ID. */
  readonly overriddenTags: ReadonlyMap<string, readonly string[]>
  /** Items that the catalog has and this agent does not. */
  readonly strangeServices: readonly string[]
  readonly strangeChecks: readonly { readonly checkId: string; readonly serviceId: string }[]
}

export interface Presence {
  readonly equal: ReadonlySet<string>
  readonly present: ReadonlySet<string>
  /** Items that the agent may not read, so that it cannot tell whether the catalog has them. */
  readonly unseen: ReadonlySet<string>
}
