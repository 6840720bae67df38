import { z } from 'zod'
import type { StateEvent } from '../../store/types.ts'
import { indexValue, textList } from '../http/declared-answers.ts'

/** What happens to a session's keys when it ends: they are released, or deleted. */
export type SessionBehaviour = 'release' | 'delete'

/** A holder of locks, which lives as long as its node, its checks and its own TTL allow. */
export interface SessionRow {
  /** A UUID in lower case. */
  readonly id: string
  readonly name: string
  /** In the catalog's spelling. */
  readonly node: string
  /** IDs of checks on that node, in their given spelling. */
  readonly checks: readonly string[]
  readonly behaviour: SessionBehaviour
  /** As given; the effective value is limited to a maximum. */
  readonly lockDelayNs: number
  /** In its given spelling; empty for none. */
  readonly ttl: string
  /** 0: it does not expire. */
  readonly ttlMs: number
  readonly createIndex: number
  readonly modifyIndex: number
}

/** A session has ended, for whatever reason. Its row is already removed when this is raised. */
export const sessionEnded: StateEvent<{
  readonly session: string
  readonly behaviour: SessionBehaviour
  /** How long its keys cannot be locked again. */
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
