import { base64, textOf, utf8 } from '../../../src/base/bytes.ts'
import type { HttpClientResponse } from '../../../src/env/http.ts'
import { type OwnVerb, ownTransaction, ownVerbs } from '../../checkers/keys/own-transactions.ts'
import type { OwnTree } from '../../checkers/keys/own-tree.ts'
import { type JsonRow, learnAll, parseRows, type Told, toldRow } from '../../checkers/keys/own-words.ts'
import { type Asking, indexOf, keyOf, type OwnRequest, oneOf, prefixOf, writtenOf } from './request.ts'

const verbs = Object.keys(ownVerbs)
const operationsMax = 5

/** Has the form of an ID, and belongs to no session. */
export const noSession = '00000000-0000-4000-8000-000000000000'

/** Any session of the client, so that a transaction may pass a lock on. Without one, a session that has ended. */
function sessionIn({ draws, tree }: Asking): string {
  return tree.sessions.length === 0 ? (tree.ended ?? noSession) : oneOf(tree.sessions, draws).id
}

function verbsOf(asking: Asking): readonly OwnVerb[] {
  const { draws, tree } = asking
  const drawn = Array.from({ length: 1 + draws.below(operationsMax) }, (_, at): OwnVerb => {
    const drawn = oneOf(verbs, draws)
    const key = drawn.endsWith('-tree') ? prefixOf(asking) : keyOf(asking)
    const isOfLock = drawn === 'lock' || drawn === 'unlock'
    const verb = isOfLock && tree.isDelayed(key) ? 'get' : drawn
    return verbOf(asking, { verb, key, session: sessionIn(asking) }, at)
  })
  return draws.below(4) > 0 ? drawn : [...drawn, ...passedOn(asking, drawn.length)]
}

/** A held key is released or deleted, and locked for any of the client's sessions. */
function passedOn(asking: Asking, from: number): readonly OwnVerb[] {
  const { draws, tree, prefix } = asking
  const held = tree.under(prefix).filter(([, { session }]) => session !== '')
  if (held.length === 0) return []
  const [key, { session }] = oneOf(held, draws)
  const freed = { verb: oneOf(['unlock', 'delete'], draws), key, session }
  return [verbOf(asking, freed, from), verbOf(asking, { verb: 'lock', key, session: sessionIn(asking) }, from + 1)]
}

function verbOf(asking: Asking, of: Pick<OwnVerb, 'verb' | 'key' | 'session'>, at: number): OwnVerb {
  const { draws, value } = asking
  return { ...of, ...writtenOf({ draws, value: `${value}.${at}` }), index: indexOf(asking, of.key) }
}

function bodyOf(operations: readonly OwnVerb[]): string {
  const items = operations.map(({ verb, key, value, flags, index, session }) => ({
    KV: { Verb: verb, Key: key, Value: base64(utf8(value)), Flags: flags, Index: index, Session: session },
  }))
  return JSON.stringify(items).replaceAll(/"Flags":"(\d+)"/g, '"Flags":$1')
}

interface JsonOutcome {
  readonly Results: readonly { readonly KV: JsonRow }[] | null
  readonly Errors: readonly { readonly OpIndex: number }[] | null
}

function told({ status, body }: HttpClientResponse): Told | undefined {
  if (status !== 200 && status !== 409) return undefined
  const { Results, Errors } = parseRows<JsonOutcome>(textOf(body))
  const failed = (Errors ?? []).map(({ OpIndex }) => OpIndex)
  const said = status === 200 && failed.length === 0 ? 'done' : `refused for ${failed.join(', ')}`
  return { said, rows: (Results ?? []).map(({ KV }) => toldRow(KV)) }
}

export function transaction(asking: Asking): OwnRequest {
  const operations = verbsOf(asking)
  const { expected, tree } = ownTransaction(asking.tree, operations)
  const done = (answer: Told): OwnTree => {
    learnAll(tree, expected, answer)
    return tree
  }
  return { method: 'PUT', target: '/v1/txn', body: bodyOf(operations), expected, told, done, isHarmless: false }
}
