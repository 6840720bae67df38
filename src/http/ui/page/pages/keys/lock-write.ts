import type { Asked } from '../../api/client.ts'
import type { Answer } from '../../api/failure.ts'
import type { KeyEntry } from '../../api/key-shapes.ts'
import { keyWords as words } from '../../words/key-words.ts'

/**
 * Takes or releases a lock. Both write a value as well, so they are a transaction with a check of the index: a value that
 * was changed meanwhile is not written over with the one that the page shows.
 */
export function lockWrite(
  verb: 'lock' | 'unlock',
  { Key, Value, Flags, ModifyIndex }: KeyEntry,
  Session: string,
): Asked {
  const check = { KV: { Verb: 'check-index', Key, Index: ModifyIndex } }
  const change = { KV: { Verb: verb, Key, Value: Value ?? '', Flags, Session } }
  return { method: 'PUT', path: '/v1/txn', body: [check, change] }
}

/** The answer with the reason why the transaction did nothing, if it did nothing. */
export function lockAnswer<T>(verb: 'lock' | 'unlock', answer: Answer<T>): Answer<T> {
  if (answer.ok || answer.failure.kind !== 'said' || answer.failure.status !== 409) return answer
  const { Errors }: { readonly Errors?: readonly { readonly OpIndex: number }[] | null } = JSON.parse(
    answer.failure.text,
  )
  const isChanged = (Errors ?? []).some(({ OpIndex }) => OpIndex === 0)
  const held = verb === 'lock' ? words.notAcquired : words.notReleased
  return { ok: false, failure: { kind: 'said', status: 409, text: isChanged ? words.changedBeforeLock : held } }
}
