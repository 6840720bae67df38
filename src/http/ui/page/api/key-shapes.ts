export interface KeyEntry {
  readonly Key: string
  /** In base64; null for an empty value. */
  readonly Value: string | null
  /** A text where a number of JavaScript would not be exact. */
  readonly Flags: number | string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly LockIndex: number
  readonly Session?: string
}

export interface Session {
  readonly ID: string
  readonly Name: string
  readonly Node: string
  readonly Checks: readonly string[] | null
  /** In nanoseconds. */
  readonly LockDelay: number
  readonly Behavior: 'release' | 'delete'
  readonly TTL: string
  readonly CreateIndex: number
}
