/** A release, by its number. */
export interface Release {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/**
 * One change of behaviour, by the release that introduced it. Texts are for people: docs/releases.md is generated from
 * them.
 */
export interface ReleaseChange {
  readonly since: Release
  /** The first release that no longer has it; absent: all later ones do. */
  readonly until?: Release
  /** Row of docs/reference/releases.md, or its section where no row has it. */
  readonly reference: string
  /** The behaviour before the change, and since. */
  readonly what: string
  /** The people or programs that notice the change. */
  readonly who: string
  /** How to see it: the name of a scenario, or in words what to do. */
  readonly see: { readonly scenario: string } | { readonly ask: string }
  readonly requirements: readonly string[]
}
