import type { Grant } from '../rights-of.ts'

/**
 * What a caller without any rights is told, and one with exactly the required rights. Reference:
 * access-control.md#effect-on-endpoints-without-rights.
 */
export interface Effect {
  readonly request: string
  readonly body?: object | string
  /** 403 `Permission denied` where nothing is said. */
  readonly denied?: Denied
  readonly grants: readonly Grant[]
  /** That of them without which the thing is hidden: then the answer is that of one that is not there, with 400. */
  readonly shows?: Grant
  /** 200 where nothing is said. */
  readonly allowed?: number
}

interface Denied {
  readonly status: number
  readonly body: string | RegExp
}

export const nothing = (body: string): Denied => ({ status: 200, body })
export const denied = (what: string): Denied => ({ status: 500, body: what })
export const absent = (status: number, body: string | RegExp): Denied => ({ status, body })
