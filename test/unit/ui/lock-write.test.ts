import { describe, expect, it } from 'vitest'
import { exactJson } from '../../../src/http/ui/page/api/exact.ts'
import type { Answer } from '../../../src/http/ui/page/api/failure.ts'
import { lockAnswer, lockWrite } from '../../../src/http/ui/page/pages/keys/lock-write.ts'

const entry = { Key: 'a', Value: null, Flags: '18446744073709551615', CreateIndex: 1, ModifyIndex: 7, LockIndex: 0 }

/** As `/v1/txn` answers when the operation at that place did nothing. */
const undone = (OpIndex: number): Answer<unknown> => {
  const text = JSON.stringify({ Results: null, Errors: [{ OpIndex, What: 'because' }] })
  return { ok: false, failure: { kind: 'said', status: 409, text } }
}
const said = (answer: Answer<unknown>) => (!answer.ok && answer.failure.kind === 'said' ? answer.failure.text : '')

describe('the lock of a key', () => {
  it('is taken only upon the value that the page shows, with the flags to the last bit', () => {
    const { body, ...request } = lockWrite('lock', entry, 's1')
    expect(request).toEqual({ method: 'PUT', path: '/v1/txn' })
    expect(exactJson(body)).toBe(
      '[{"KV":{"Verb":"check-index","Key":"a","Index":7}},' +
        '{"KV":{"Verb":"lock","Key":"a","Value":"","Flags":18446744073709551615,"Session":"s1"}}]',
    )
  })

  it('says whether the key has changed or another session holds it', () => {
    expect(said(lockAnswer('lock', undone(0)))).toMatch(/^Somebody changed the key/)
    expect(said(lockAnswer('lock', undone(1)))).toMatch(/^Another session holds the key, or its lock delay/)
    expect(said(lockAnswer('unlock', undone(1)))).toMatch(/^Another session holds the key by now/)
    const refused: Answer<unknown> = { ok: false, failure: { kind: 'refused', text: '', withToken: true } }
    expect(lockAnswer('lock', refused)).toBe(refused)
  })
})
