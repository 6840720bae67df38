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

/** At most one lock operation per key: the state between two of them is visible to no client. */
function verbsOf(asking: Asking): readonly OwnVerb[] {
  const { draws, tree } = asking
  const locked = new Set<string>()
  return Array.from({ length: 1 + draws.below(operationsMax) }, (_, at): OwnVerb => {
    const drawn = oneOf(verbs, draws)
    const key = drawn.endsWith('-tree') ? prefixOf(asking) : keyOf(asking)
    const isOfLock = drawn === 'lock' || drawn === 'unlock'
    const verb = isOfLock && (locked.has(key) || tree.isDelayed(key)) ? 'get' : drawn
    if (isOfLock) locked.add(key)
    const session = tree.sessions[0]?.id ?? tree.ended ?? noSession
    const written = writtenOf({ draws, value: `${asking.value}.${at}` })
    return { verb, key, ...written, index: indexOf(asking, key), session }
  })
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
