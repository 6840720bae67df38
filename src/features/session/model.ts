import { z } from 'zod'
import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import type { StateEvent } from '../../store/types.ts'
import { indexValue, textList } from '../http/declared.ts'

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
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
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

const uuidLength = 36

/** The normalized ID of a session. The error is the text that clients of the field know. */
export function sessionIdOf(given: string): Result<string, string> {
  if (given === '') return err('Missing session')
  if (given.length !== uuidLength) return err('failed session lookup: index error: UUID must be 36 characters')
  return ok(lowerAscii(given))
}

/** The members of a session, in commands and in snapshots. */
export const sessionFields = {
  id: z.string().length(36),
  name: z.string(),
  node: z.string(),
  checks: z.array(z.string()).readonly(),
  behaviour: z.enum(['release', 'delete']),
  lockDelayNs: z.number().nonnegative(),
  ttl: z.string(),
  ttlMs: z.number().nonnegative(),
}
