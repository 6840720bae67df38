import { compareText, emptyBytes, textOf } from '../../base/bytes.ts'
import { done, err, type Result } from '../../base/result.ts'
import { queryAnswerBytesMax } from '../core/bounds.ts'
import type { Query } from '../core/messages.ts'
import { type Keyring, keyFrom } from '../keyring.ts'
import type { KeyAnswers, KeyRequest, Member, PoolAnswer, PoolAnswers, PoolQuestion } from '../pool.ts'
import {
  decodeKeyRequest,
  decodeKeyResponse,
  encodeConflictResponse,
  encodeKeyRequest,
  encodeKeyResponse,
  internalQuery,
  type KeyResponse,
} from '../wire/internal-queries.ts'

/**
 * A member answers a change when its disk has it, and a disk is no faster where gossip is: answers to a change are
 * waited for at least this long. Usually all have come long before.
 */
const changeTimeoutMinMs = 5_000

/** Asks every member to perform an operation on its keys, and counts the answers (serf `KeyManager`). */
export async function askForKeys(
  request: KeyRequest,
  { members, queryTimeoutMs }: { readonly members: number; readonly queryTimeoutMs: number },
  ask: (question: PoolQuestion) => Promise<PoolAnswers>,
): Promise<Result<KeyAnswers, string>> {
  let key: Uint8Array = emptyBytes
  if (request.action !== 'list') {
    const given = keyFrom(request.key)
    if (!given.ok) return given
    key = given.value
  }
  const { answers } = await ask({
    name: internalQuery[request.action],
    payload: encodeKeyRequest(key),
    relayFactor: request.relayFactor,
    timeoutMs: request.action === 'list' ? queryTimeoutMs : Math.max(queryTimeoutMs, changeTimeoutMinMs),
    enough: (heard) => heard.length >= members,
  })
  return { ok: true, value: counted(answers, members) }
}

function counted(answers: readonly PoolAnswer[], nodes: number): KeyAnswers {
  const keys = new Map<string, number>()
  const errors: [string, string][] = []
  for (const { from, payload } of answers) {
    const response = decodeKeyResponse(payload)
    if (response === undefined) errors.push([from, 'its answer cannot be read'])
    else if (!response.result) errors.push([from, response.message])
    else for (const key of response.keys) keys.set(key, (keys.get(key) ?? 0) + 1)
  }
  return {
    nodes,
    answered: answers.length,
    errors: errors.sort(([a], [b]) => compareText(a, b)),
    keys: [...keys].sort(([a], [b]) => compareText(a, b)),
  }
}

/** This agent's answer to a query that changes nothing; undefined: no answer is sent (serf `serfQueries`). */
export function internalAnswer(
  query: Query,
  own: { readonly keyring: Keyring | undefined; readonly name: string; member(name: string): Member | undefined },
): Uint8Array | undefined {
  switch (query.name) {
    case internalQuery.conflict: {
      const name = textOf(query.payload)
      return name === own.name ? undefined : encodeConflictResponse(own.member(name))
    }
    case internalQuery.list:
      return listed(own.keyring)
    default:
      return undefined
  }
}

/** Keys that do not fit into an answer are left out, and its message says so. */
function listed(keyring: Keyring | undefined): Uint8Array {
  if (keyring === undefined) {
    return encodeKeyResponse({ result: false, message: 'Keyring is empty (encryption not enabled)', keys: [] })
  }
  const keys = keyring.list()
  for (let shown = keys.length; ; shown--) {
    const message =
      shown < keys.length ? `Truncated key list response, showing first ${shown} of ${keys.length} keys` : ''
    const bytes = encodeKeyResponse({ result: true, message, keys: keys.slice(0, shown) })
    if (bytes.length <= queryAnswerBytesMax) return bytes
  }
}

const changesOfKeys: ReadonlySet<string> = new Set([internalQuery.install, internalQuery.use, internalQuery.remove])

export function changesKeys({ name }: Query): boolean {
  return changesOfKeys.has(name)
}

/**
 * This agent's answer to a query that changes its keys, as soon as they are stored: with keys that a restart does not
 * find, it could not join again. A member whose keys could not be stored has them nevertheless, and stores them when
 * the query is repeated (serf `handleInstallKey`).
 */
export async function answerToKeyChange(query: Query, keyring: Keyring | undefined): Promise<Uint8Array> {
  const failed = (message: string): KeyResponse => ({ result: false, message, keys: [] })
  const changed = keyring === undefined ? noKeyring : changeKeys(query, keyring)
  const stored = changed.ok ? ((await keyring?.stored()) ?? done) : changed
  return encodeKeyResponse(stored.ok ? { result: true, message: '', keys: [] } : failed(stored.error))
}

const noKeyring = err('No keyring to modify (encryption not enabled)')

function changeKeys({ name, payload }: Query, keyring: Keyring): Result<undefined, string> {
  const key = decodeKeyRequest(payload)
  return key === undefined ? err('the request cannot be read') : apply(name, keyring, key)
}

function apply(name: string, keyring: Keyring, key: Uint8Array): Result<undefined, string> {
  if (name === internalQuery.install) return keyring.install(key)
  if (name === internalQuery.use) return keyring.use(key)
  return name === internalQuery.remove ? keyring.remove(key) : err('unknown request')
}

/** Maximum size of an event's name and payload together. Source: serf, `UserEventSizeLimit`. */
const userEventBytesMax = 512

export function userEventFits(nameBytes: number, payloadBytes: number): Result<undefined, string> {
  if (nameBytes + payloadBytes <= userEventBytesMax) return done
  return err(`user event exceeds limit of ${userEventBytesMax} bytes`)
}
