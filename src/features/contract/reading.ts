export type Consistency = 'default' | 'consistent' | 'stale'

/** What a caller may ask of any read. */
export interface ReadOptions {
  readonly consistency: Consistency
  /** Wait until the result's index is greater; 0 answers at once. */
  readonly minIndex: number
  /** How long at most; 0 takes the default. */
  readonly waitMs: number
  /** With `stale`: ask the leader instead when this server's knowledge is older. 0: any age. */
  readonly maxStaleMs: number
  /** Another datacenter's name, or empty for the agent's own. */
  readonly datacenter: string
}

/** What every answer to a read carries besides its value. */
export interface ReadMeta {
  /** Index at which this result last changed; never 0. */
  readonly index: number
  readonly knownLeader: boolean
  /** Milliseconds since the answering server heard from the leader; 0 on the leader. */
  readonly lastContactMs: number
}

export interface Answer<T> {
  readonly value: T
  readonly meta: ReadMeta
  /** Where others on this agent get the same value. */
  readonly forms?: ResultForms
  /** Absent where another agent has answered. */
  standing?(): Standing
}

/** For callers that keep what they made of an answer. It holds nothing of the answer itself. */
export interface Standing {
  /** What the same question is told now, where that is the same value for certain; undefined: it may be another. */
  now(): ReadMeta | undefined
}

/** Encoded forms of one value, each made once for all callers and kept for as long as the value is. */
export interface ResultForms {
  /** `form` names everything on which the bytes depend besides the value. They must not be changed. */
  bytesOf(form: string, make: () => Uint8Array): Uint8Array
}

/** An answer that the agent may have kept: `hit` says so, and `ageMs` for how long it may have been out of date. */
export interface CachedAnswer<T> {
  readonly answer: Answer<T>
  readonly hit: boolean
  readonly ageMs: number
}
