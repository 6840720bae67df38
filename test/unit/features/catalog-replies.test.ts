import { describe, expect, it } from 'vitest'
import { isCatalogCheck } from '../../../src/features/catalog/replies.ts'
import type { CatalogCheck } from '../../../src/model/catalog.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'

function checkWith(header: unknown): unknown {
  const definition: Record<string, unknown> = {
    ...{ http: 'http://10.0.0.1/', tlsSkipVerify: false, method: '', tcp: '' },
    ...{ intervalMs: 10_000, timeoutMs: 0, deregisterCriticalServiceAfterMs: 0 },
  }
  const check: Omit<CatalogCheck, 'definition'> = {
    ...{ node: 'a', checkId: 'c', name: 'c', status: 'passing', notes: '', output: '' },
    ...{ serviceId: '', serviceName: '', serviceTags: [] },
    ...{ createIndex: modifyIndexOf(2), modifyIndex: modifyIndexOf(3) },
  }
  return { ...check, definition: { ...definition, header } }
}

describe('a check in the answer of another agent', () => {
  it('has headers that are a name with its values', () => {
    expect(isCatalogCheck(checkWith([]))).toBe(true)
    expect(isCatalogCheck(checkWith([['accept', ['text/plain', '*/*']]]))).toBe(true)
  })

  it.each([[['accept']], [['accept', 'text/plain']], [['accept', [1]]], [[1, []]], [['a', [], []]], ['a'], [null]])(
    'is malformed where a header is %j',
    (header) => {
      expect(isCatalogCheck(checkWith([header]))).toBe(false)
    },
  )
})
