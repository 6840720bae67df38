import { z } from 'zod'
import type { StateEvent } from '../../store/types.ts'
import { indexValue, textList } from '../http/declared-answers.ts'

/** What becomes of the keys that a session holds when it ends: they are free again, or they go with it. */
export type SessionBehaviour = 'release' | 'delete'

/** A holder of locks, alive for as long as a node, its checks and the session's own time to live say so. */
export interface SessionRow {
  /** A UUID in lower case. */
  readonly id: string
  readonly name: string
  /** As the catalog spells it. */
  readonly node: string
  /** IDs of checks on that node, as they were given. */
  readonly checks: readonly string[]
  readonly behaviour: SessionBehaviour
  /** As it was given; what counts is cut to a maximum. */
  readonly lockDelayNs: number
  /** As it was given; empty for none. */
  readonly ttl: string
  /** 0: it does not expire. */
  readonly ttlMs: number
  readonly createIndex: number
  readonly modifyIndex: number
}

/** A session is no more, whatever the reason. Its row is gone when this is raised. */
export const sessionEnded: StateEvent<{
  readonly session: string
  readonly behaviour: SessionBehaviour
  /** For how long nobody can lock what it held. */
  readonly lockDelayMs: number
}> = { name: 'session.ended' }

/** Reference: keys.md#sessions. */
export const sessionShape = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    Node: z.string(),
    Checks: textList.nullable(),
    LockDelay: z.number().meta({ description: 'Nanoseconds.' }),
    Behavior: z.enum(['release', 'delete']),
    TTL: z.string(),
    CreateIndex: indexValue,
    ModifyIndex: indexValue,
  })
  .meta({ id: 'Session' })

export function sessionJson(session: SessionRow): z.infer<typeof sessionShape> {
  return {
    ID: session.id,
    Name: session.name,
    Node: session.node,
    Checks: session.checks.length === 0 ? null : session.checks,
    LockDelay: session.lockDelayNs,
    Behavior: session.behaviour,
    TTL: session.ttl,
    CreateIndex: session.createIndex,
    ModifyIndex: session.modifyIndex,
  }
}
