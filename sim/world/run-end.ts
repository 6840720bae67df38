/** Why a run ended as failed. Observers of a run may add kinds of their own. */
export interface RunFailure {
  readonly kind: 'node-error' | 'checker-error' | 'dead-process' | 'async-leak' | 'unhandled-rejection' | 'violation'
  readonly message: string
  readonly node?: string
  readonly error?: Error
}

/** How a call of `run` ended. */
export type RunEnd =
  | { readonly kind: 'time'; readonly message: string }
  | { readonly kind: 'predicate'; readonly message: string }
  | { readonly kind: 'stopped'; readonly message: string }
  | { readonly kind: 'limit'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly failure: RunFailure }

/** Limits of a run: each ends it with a reason that a reader understands. */
export interface RunLimits {
  /** Maximum number of delivered events. */
  readonly turns: number
  /** Maximum number of events delivered at one instant of true time: beyond it, time is assumed never to advance. */
  readonly turnsAtOneInstant: number
  /** Maximum number of waiting events. */
  readonly pending: number
}

export const defaultLimits: RunLimits = { turns: 1_000_000_000, turnsAtOneInstant: 1_000_000, pending: 1_000_000 }
