import type { Env } from '../../env/env.ts'

/** The freshness that a caller demands of a cached answer. Reference: http-reads.md#cache-control. */
export interface Freshness {
  /** Asks anew, whatever is cached. */
  readonly revalidate: boolean
  readonly maxAgeMs?: number
  /** Maximum age of a cached answer if asking anew fails. */
  readonly staleIfErrorMs?: number
}

export interface CallOptions {
  /** The secret of the call's token; empty or absent: the agent's default token, otherwise the anonymous one. */
  readonly token?: string
  /** The client's address, unless this agent itself is the caller: requests are limited for each client. */
  readonly client?: string
  /** The datacenter of a write, if it is another one; a read has it among its options. */
  readonly datacenter?: string
  /** Calls `use` when the call is to end early because the client disconnected. */
  onAbort?(use: () => void): void
}

/** Ends a call that takes longer than `limitMs`: it returns as cancelled. */
export async function withinTime<T>(
  env: Pick<Env, 'timers'>,
  limitMs: number,
  ask: (until: Pick<CallOptions, 'onAbort'>) => Promise<T>,
): Promise<T> {
  let abort: (() => void) | undefined
  const timer = env.timers.after(limitMs, () => abort?.())
  try {
    return await ask({
      onAbort: (use) => {
        abort = use
      },
    })
  } finally {
    timer.close()
  }
}
