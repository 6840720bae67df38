import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'

export type Consistency = 'default' | 'consistent' | 'stale'

/** Options of every read. */
export interface ReadOptions {
  readonly consistency: Consistency
  /** Wait until the result's index is greater; 0 answers at once. */
  readonly minIndex: ModifyIndex
  /** Maximum wait; 0: the default. */
  readonly waitMs: number
  /** With `stale`: asks the leader instead if this server's state is older. 0: any age. */
  readonly maxStaleMs: number
  /** Another datacenter's name, or empty for the agent's own. */
  readonly datacenter: string
}

/** Metadata of every answer to a read. */
export interface ReadMeta {
  /** Index at which this result last changed; never 0. */
  readonly index: ModifyIndex
  readonly knownLeader: boolean
  /** Milliseconds since the answering server heard from the leader; 0 on the leader. */
  readonly lastContactMs: number
}

export interface Answer<T> {
  readonly value: T
  readonly meta: ReadMeta
  /** Present if other callers on this agent get the same value. */
  readonly forms?: ResultForms
  /** Absent if another agent has answered. */
  standing?(): Standing
}

/** Tells callers that cache derived data whether an answer is still current, without holding the answer. */
export interface Standing {
  /** The metadata of the same read now, if its value is certainly the same; undefined: it may differ. */
  now(): ReadMeta | undefined
}

/** Encoded forms of one value, each made once for all callers. */
export interface Forms {
  /** `form` names everything besides the value that determines the bytes, which must not be modified. */
  bytesOf(form: string, make: () => Uint8Array): Uint8Array
}

/**
 * The encoded forms of a whole result, and of the parts that callers select from it by filters. They are kept with the
 * result.
 */
export interface ResultForms extends Forms {
  /**
   * The part that `selection` names, together with its forms. `select` is called once for all callers that ask for the
   * part while it is kept or under way. A failure of `select` is returned to the callers that wait for it, and is not
   * kept.
   */
  selected(selection: string, select: () => Promise<Result<Positions, Failure>>): Promise<Result<SelectedPart, Failure>>
}

/** The positions of those items of a list that belong to a part of it, ascending. */
export type Positions = Uint32Array

export interface SelectedPart extends Forms {
  readonly positions: Positions
}

/** An answer that may come from the agent's cache: `hit` says so, and `ageMs` for how long it may be out of date. */
export interface CachedAnswer<T> {
  readonly answer: Answer<T>
  readonly hit: boolean
  readonly ageMs: number
}
