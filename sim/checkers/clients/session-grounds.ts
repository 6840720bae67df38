import { checkOfNode, nodeByName } from '../../../src/features/catalog/views.ts'
import { holdsTable, kvTable } from '../../../src/features/kv/tables.ts'
import { sessionsTable } from '../../../src/features/session/tables.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { checker, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'

/** A session, with its node and its checks. */
export interface GroundedSession {
  readonly id: string
  readonly node: string
  readonly checks: readonly string[]
  readonly behaviour: 'release' | 'delete'
}

/** Sessions, keys and checks after one command. */
export interface SessionGround {
  readonly sessions: readonly GroundedSession[]
  /** The session that holds each key. */
  readonly holds: ReadonlyMap<string, string>
  hasKey(key: string): boolean
  hasNode(node: string): boolean
  /** Undefined: there is no such check. */
  statusOf(node: string, check: string): string | undefined
}

/**
 * S4. Whatever ends a session does so within one command. So no state has a session whose node is gone, or with a check
 * that is gone or critical, and no key is held by a session that has ended. The keys of an ended session are released,
 * or deleted if it was created with that behavior.
 */
export class SessionGrounds {
  readonly #judge: Judge<{ S4: 'restored' }>
  #before = new Map<string, GroundedSession>()
  /** The session that held each key. */
  #held: ReadonlyMap<string, string> = new Map()

  constructor(judge: Judge<{ S4: 'restored' }>) {
    this.#judge = judge
  }

  command(ground: SessionGround, isRestored = false): void {
    const sessions = new Map(ground.sessions.map((session) => [session.id, session]))
    for (const session of sessions.values()) this.#stands(session, ground)
    for (const [key, session] of ground.holds) {
      if (!sessions.has(session)) this.#broken(`key ${key} is held by session ${session}, which has ended`)
    }
    if (isRestored) this.#judge.excused('S4', 'restored', this.#held.size)
    else this.#freed(sessions, ground)
    this.#before = sessions
    this.#held = ground.holds
  }

  #stands({ id, node, checks }: GroundedSession, { hasNode, statusOf }: SessionGround): void {
    this.#judge.judged('S4')
    if (!hasNode(node)) return this.#broken(`session ${id} still exists, although its node ${node} is gone`)
    for (const check of checks) {
      const status = statusOf(node, check)
      if (status === undefined || status === 'critical') {
        return this.#broken(`session ${id} still exists, although its check ${check} of ${node} is ${status ?? 'gone'}`)
      }
    }
  }

  #freed(sessions: ReadonlyMap<string, GroundedSession>, { holds, hasKey }: SessionGround): void {
    for (const [key, id] of this.#held) {
      const over = sessions.has(id) ? undefined : this.#before.get(id)
      if (over === undefined || holds.has(key)) continue
      this.#judge.judged('S4')
      const isThere = hasKey(key)
      if (isThere === (over.behaviour === 'release')) continue
      const what = isThere ? 'stays' : 'is gone'
      this.#broken(`key ${key} ${what}, whose session ${id} has ended and must ${over.behaviour} it`)
    }
  }

  #broken(message: string): void {
    this.#judge.judged('S4')
    this.#judge.report('S4', message)
  }
}

/** Undefined: there are no sessions, and there were none before. */
function groundOf(tx: ReadTransaction): SessionGround | undefined {
  if (tx.lastChange(sessionsTable) === 0) return undefined
  return {
    sessions: [...tx.all(sessionsTable)],
    holds: new Map([...tx.all(holdsTable)].map(({ key, session }) => [key, session])),
    hasKey: (key) => tx.get(kvTable, key) !== undefined,
    hasNode: (node) => nodeByName(tx, node) !== undefined,
    statusOf: (node, check) => checkOfNode(tx, node, check)?.status,
  }
}

/** Other commands change neither sessions nor their nodes and checks, nor holders of keys. */
function concerns({ index, tx }: Facts['command took effect']): boolean {
  return tx.lastChange(sessionsTable) === index || tx.lastChange(holdsTable) === index
}

export const sessionGrounds = checker({
  codes: {
    S4: {
      text: 'grounds: a session ends with its node and its checks, and its locked keys are then released or deleted',
      sources: ['docs/reference/keys.md#end-of-a-session'],
      evidence: ['locks', 'catalog', 'requests', 'members'],
      judges: ['session or key looked at', 'sessions and keys looked at'],
      excuses: {
        restored: 'Sessions and locks are as a restored snapshot has them; the commands after it are judged.',
      },
    },
  },
  make: (judge) => new SessionGrounds(judge),
  takes: {
    'command took effect': (it, fact) => {
      if (!fact.command.kind.startsWith('catalog.') && !concerns(fact)) return
      const ground = groundOf(fact.tx)
      if (ground !== undefined) it.command(ground)
    },
    'state replaced': (it, { tx }) => {
      const ground = groundOf(tx)
      if (ground !== undefined) it.command(ground, true)
    },
  },
})
