import { compareText } from '../../src/base/bytes.ts'
import type { TokenRow } from '../../src/features/acl/model.ts'
import { allPolicies, allTokens, isNewMode } from '../../src/features/acl/views.ts'
import { allChecks, allNodes, allServices } from '../../src/features/catalog/views.ts'
import { allCrossings, allRoots, openRotation } from '../../src/features/connect/views.ts'
import { allIntentions } from '../../src/features/intention/views.ts'
import { kvTable } from '../../src/features/kv/tables.ts'
import { allQueries } from '../../src/features/query/views.ts'
import { allSessions } from '../../src/features/session/views.ts'
import type { ReadTransaction } from '../../src/store/types.ts'

/** A server's replicated state in numbers and names; rows contain secrets, and these do not. */
export interface ReplicatedState {
  readonly index: number
  /** Equal on servers with equal states at this index; undefined: its server is starting. */
  readonly digest?: string
  readonly nodes: number
  readonly services: number
  /** Number of checks by status. */
  readonly checks: Readonly<Record<string, number>>
  readonly keys: number
  /** By the index of their creation, because their IDs may be secrets: `57 of c1, release, TTL 10s`. */
  readonly sessions: readonly string[]
  /** Locked keys: `key a by session 57`. */
  readonly locks: readonly string[]
  readonly access: {
    readonly mode: 'legacy' | 'new'
    readonly tokens: number
    readonly policies: number
    /** By the beginning of the accessor, or by the index of its creation: what each token is for. Never a secret. */
    readonly named: Readonly<Record<string, string>>
  }
  readonly queries: number
  readonly intentions: number
  readonly mesh: {
    /** The beginning of each root's fingerprint, oldest first; the active one is marked. */
    readonly roots: readonly string[]
    readonly crossings: number
    /** Step of the present rotation. */
    readonly rotation?: string
  }
}

export function replicatedState(
  tx: ReadTransaction,
  digest: { readonly index: number; readonly digest: string } | undefined,
): ReplicatedState {
  const sessions = [...allSessions(tx)].toSorted((a, b) => a.createIndex - b.createIndex)
  const number = new Map(sessions.map(({ id, createIndex }) => [id, createIndex]))
  const keys = [...tx.all(kvTable)]
  return {
    index: digest?.index ?? 0,
    ...(digest === undefined ? {} : { digest: digest.digest }),
    nodes: count(allNodes(tx)),
    services: count(allServices(tx)),
    checks: tally([...allChecks(tx)].map(({ status }) => status)),
    keys: keys.length,
    sessions: sessions.map(({ createIndex, node, behaviour, ttl }) => {
      return `${createIndex} of ${node}, ${behaviour}${ttl === '' ? '' : `, TTL ${ttl}`}`
    }),
    locks: keys.flatMap(({ key, session }) =>
      session === '' ? [] : [`key ${key} by session ${number.get(session) ?? 'that is gone'}`],
    ),
    access: {
      mode: isNewMode(tx) ? 'new' : 'legacy',
      tokens: count(allTokens(tx)),
      policies: count(allPolicies(tx)),
      named: namedTokens(tx),
    },
    queries: count(allQueries(tx)),
    intentions: allIntentions(tx).length,
    mesh: meshState(tx),
  }
}

/** Tokens that are named; of more there is their number alone. */
const namedTokensMax = 200

/** The oldest first: those that a cluster has from its beginning on are named in any case. */
function namedTokens(tx: ReadTransaction): ReplicatedState['access']['named'] {
  const oldest = [...allTokens(tx)].toSorted(
    (a, b) => a.createIndex - b.createIndex || compareText(a.accessor, b.accessor),
  )
  return Object.fromEntries(
    oldest
      .slice(0, namedTokensMax)
      .map((token) => [token.accessor.slice(0, 8) || `no. ${token.createIndex}`, aboutToken(token)]),
  )
}

function aboutToken({ description, type, policies, local }: TokenRow): string {
  const may = policies.length === 0 ? [] : [policies.length === 1 ? '1 policy' : `${policies.length} policies`]
  return [description, type === '' ? '' : `legacy ${type}`, ...may, local ? 'local' : '']
    .filter((word) => word !== '')
    .join(', ')
}

function meshState(tx: ReadTransaction): ReplicatedState['mesh'] {
  const rotation = openRotation(tx)
  return {
    roots: [...allRoots(tx)].map(
      ({ id, generation, active }) => `${id.slice(0, 11)}, root ${generation}${active ? ' (active)' : ''}`,
    ),
    crossings: count(allCrossings(tx)),
    ...(rotation === undefined ? {} : { rotation: rotation.step }),
  }
}

function count(rows: Iterable<unknown>): number {
  let found = 0
  for (const _ of rows) found++
  return found
}

function tally(words: readonly string[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const word of words.toSorted(compareText)) found[word] = (found[word] ?? 0) + 1
  return found
}
