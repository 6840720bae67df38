/** A release, by its number. */
export interface Release {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** One change of behaviour, by the release that brought it. Texts are for people: docs/releases.md is made of them. */
export interface ReleaseChange {
  readonly since: Release
  /** The first release that no longer has it; absent: all later ones do. */
  readonly until?: Release
  /** Row of docs/reference/releases.md, or its section where no row has it. */
  readonly reference: string
  /** How it was before, and how it is since. */
  readonly what: string
  /** The people or programs that notice the change. */
  readonly who: string
  /** How to see it: a scenario by its name, or in words what to ask. */
  readonly see: { readonly scenario: string } | { readonly ask: string }
  readonly requirements: readonly string[]
}
