import { textOf } from '../../../src/base/bytes.ts'
import type { HttpClientResponse } from '../../../src/env/http.ts'
import { sessionTtlMaxMs } from '../../../src/model/limits.ts'
import { headerSaid } from '../../../src/model/naming/names.ts'
import type { OwnSession, OwnTree } from '../../checkers/keys/own-tree.ts'
import type { Told } from '../../checkers/keys/own-words.ts'
import {
  type Asking,
  keyOf,
  type OwnOperation,
  type OwnRequest,
  oneOf,
  read,
  saying,
  toldBy,
  write,
  writtenOf,
} from './request.ts'
import { noSession } from './transaction.ts'

/** Maximum number of sessions, which contend for the keys of one client. */
const sessionsMax = 2
const longestTtl = `${sessionTtlMaxMs / 1000}s`
const delayS = 1

function createBody({ node, behaviour, hasDelay, ttl }: Omit<OwnSession, 'id'>): string {
  const LockDelay = hasDelay ? `${delayS}s` : '0s'
  return JSON.stringify({ Node: node, Checks: [], LockDelay, Behavior: behaviour, TTL: ttl })
}

/** A TTL outside the limits is refused by a text with both limits; another refusal says nothing about the session. */
function toldCreated({ status, body }: HttpClientResponse): Told | undefined {
  if (status === 200) return { said: 'created', rows: [], id: (JSON.parse(textOf(body)) as { ID: string }).ID }
  return /^Invalid Session TTL '\d+', must be between/.test(textOf(body)) ? { said: 'refused', rows: [] } : undefined
}

function creating(session: Omit<OwnSession, 'id'>, said: string, done: OwnRequest['done']): OwnRequest {
  const request = { method: 'PUT', target: '/v1/session/create', body: createBody(session) } as const
  // A session whose ID is unknown holds no key.
  return { ...request, expected: saying(said), told: toldCreated, done, isHarmless: true }
}

interface JsonSession {
  readonly ID: string
  readonly Node: string
  readonly Checks: readonly string[] | null
  readonly LockDelay: number
  readonly Behavior: string
  readonly TTL: string
}

function toldSession({ ID, Node, Checks, LockDelay, Behavior, TTL }: JsonSession): string {
  return `${ID} of ${Node}, checks ${Checks ?? 'none'}, delay ${LockDelay}, ${Behavior}, ttl '${TTL}'`
}

function sessionText({ id, node, hasDelay, behaviour, ttl }: OwnSession): string {
  const LockDelay = hasDelay ? delayS * 1e9 : 0
  return toldSession({ ID: id, Node: node, Checks: null, LockDelay, Behavior: behaviour, TTL: ttl })
}

function sessionsText(text: string): string {
  return ['sessions', ...(JSON.parse(text) as readonly JsonSession[]).map(toldSession)].join('; ')
}

const toldSessions = toldBy((text) => ({ said: sessionsText(text), rows: [] }))

/** A live session, the one that ended last, or a nonexistent one. */
function sessionOf({ tree, draws }: Asking): string {
  return oneOf(
    [...tree.sessions.map(({ id }) => id), ...tree.sessions.map(({ id }) => id), tree.ended ?? noSession],
    draws,
  )
}

function living(tree: OwnTree, id: string): OwnSession | undefined {
  return tree.sessions.find((session) => session.id === id)
}

const hasSession = ({ sessions }: OwnTree): boolean => sessions.length > 0

/** Tries to lock a key: only the answer tells whether the lock delay of the last holder has passed. */
function acquiring(asking: Asking): OwnRequest {
  const [key, written, session] = [keyOf(asking), writtenOf(asking), sessionOf(asking)] as const
  const target = `/v1/kv/${key}?acquire=${session}&fence&flags=${written.flags}`
  const after = asking.tree.copy()
  after.begin()
  const isDelayed = asking.tree.isDelayed(key) && (asking.tree.row(key)?.session ?? '') === ''
  const outcome = after.lock(key, written, session)
  const expected = saying(outcome === 'no session' ? outcome : outcome === 'held')
  return {
    method: 'PUT',
    target,
    body: written.value,
    expected,
    ...(isDelayed && outcome === 'held' ? { or: saying(false) } : {}),
    told: (answer) => {
      const text = textOf(answer.body)
      if (answer.status === 500 && text.startsWith('invalid session')) return { said: 'no session', rows: [] }
      if (answer.status !== 200) return undefined
      const lock = { key, session, fence: Number(headerSaid(answer.headers, 'fence') ?? 0) }
      return { said: text.trim(), rows: [], ...(text.trim() === 'true' ? { lock } : {}) }
    },
    done: ({ said }) => (said === 'true' ? after : asking.tree),
    isHarmless: false,
  }
}

/** Operations on sessions that no other client uses, and on their locks. */
export const sessionOperations = {
  'session create': {
    weight: 3,
    about: 'creates a session that releases or deletes what it holds, with the longest time to live or none',
    isPossible: ({ sessions }) => sessions.length < sessionsMax,
    request: ({ tree, draws, node }) => {
      const behaviour = oneOf(['release', 'delete'] as const, draws)
      const session = { node, behaviour, hasDelay: draws.below(2) === 0, ttl: oneOf(['', longestTtl], draws) }
      return creating(session, 'created', ({ id = noSession }) => {
        const after = tree.copy()
        after.sessionBegan({ id, ...session })
        return after
      })
    },
  },
  'session limits': {
    weight: 1,
    about: 'asks for a time to live at a limit, or a millisecond beyond, which is refused; what it creates runs out',
    request: ({ tree, draws, node, ttlMinMs }) => {
      const [ttlMs, said] = oneOf(
        [
          [ttlMinMs, 'created'],
          [ttlMinMs - 1, 'refused'],
          [sessionTtlMaxMs + 1, 'refused'],
        ] as const,
        draws,
      )
      const session = { node, behaviour: 'release', hasDelay: false, ttl: `${ttlMs}ms` } as const
      return creating(session, said, () => tree)
    },
  },
  'session info': {
    weight: 2,
    about: 'reads a session',
    isPossible: (tree) => hasSession(tree) || tree.ended !== undefined,
    request: (asking) => {
      const id = sessionOf(asking)
      const session = living(asking.tree, id)
      const said = ['sessions', ...(session === undefined ? [] : [sessionText(session)])].join('; ')
      return read(asking, `/v1/session/info/${id}`, saying(said), toldSessions)
    },
  },
  'session renew': {
    weight: 2,
    about: 'renews a session',
    isPossible: (tree) => hasSession(tree) || tree.ended !== undefined,
    request: (asking) => {
      const id = sessionOf(asking)
      const session = living(asking.tree, id)
      const expected = saying(session === undefined ? 'gone' : `sessions; ${sessionText(session)}`)
      const told = ({ status, body }: HttpClientResponse): Told | undefined => {
        if (status === 404) return { said: 'gone', rows: [] }
        return status === 200 ? { said: sessionsText(textOf(body)), rows: [] } : undefined
      }
      const target = `/v1/session/renew/${id}`
      return { method: 'PUT', target, expected, told, done: () => asking.tree, isHarmless: true }
    },
  },
  'session list': {
    weight: 1,
    about: 'reads the sessions of a node, which have its own among them and none of another node',
    isPossible: hasSession,
    request: (asking) => {
      const session = oneOf(asking.tree.sessions, asking.draws)
      const isIt = ({ ID, Node }: JsonSession): boolean =>
        ID === session.id || ID === asking.tree.ended || Node !== session.node
      const told = toldBy((text) => {
        const own = (JSON.parse(text) as readonly JsonSession[]).filter(isIt)
        return { said: sessionsText(JSON.stringify(own)), rows: [] }
      })
      return read(asking, `/v1/session/node/${session.node}`, saying(`sessions; ${sessionText(session)}`), told)
    },
  },
  'session destroy': {
    weight: 1,
    about: 'ends a session, and with it its locks',
    isPossible: (tree) => hasSession(tree) || tree.ended !== undefined,
    request: (asking) => {
      const id = sessionOf(asking)
      return write(asking, { method: 'PUT', target: `/v1/session/destroy/${id}` }, (tree) => {
        tree.sessionEnded(id)
        return true
      })
    },
  },
  acquire: {
    weight: 4,
    about: 'locks a key with a session',
    isPossible: hasSession,
    request: acquiring,
  },
  release: {
    weight: 2,
    about: 'releases the lock of a key',
    isPossible: hasSession,
    request: (asking) => {
      const [key, written, session] = [keyOf(asking), writtenOf(asking), sessionOf(asking)] as const
      const target = `/v1/kv/${key}?release=${session}&flags=${written.flags}`
      const request = { method: 'PUT', target, body: written.value } as const
      return write(asking, request, (tree) => tree.unlock(key, written, session))
    },
  },
} as const satisfies Readonly<Record<string, OwnOperation>>
