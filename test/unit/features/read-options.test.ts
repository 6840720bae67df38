import { describe, expect, it } from 'vitest'
import { parseReadOptions } from '../../../src/features/http/read-options.ts'
import { parseQuery } from '../../../src/http/query-parameters.ts'
import { LoneServer } from './lone-server.ts'

function parse(query: string) {
  const parameters = parseQuery(query)
  if (!parameters.ok) throw new Error(parameters.error)
  return parseReadOptions(new LoneServer().agent, parameters.value)
}

function options(query: string) {
  const parsed = parse(query)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value
}

function refusal(query: string) {
  const parsed = parse(query)
  return parsed.ok ? undefined : parsed.error
}

const plain = { consistency: 'default', minIndex: 0, waitMs: 0, maxStaleMs: 0, datacenter: '' }

describe('read options', () => {
  it('are a default read at once when nothing is asked, and when it is asked emptily', () => {
    expect(options('')).toEqual(plain)
    expect(options('index=&wait=&max_stale=&dc=&leader&cached')).toEqual(plain)
  })

  it('stale, consistent and max_stale choose the consistency', () => {
    expect(options('stale').consistency).toBe('stale')
    expect(options('consistent').consistency).toBe('consistent')
    expect(options('max_stale=10s')).toEqual({ ...plain, consistency: 'stale', maxStaleMs: 10_000 })
    expect(options('max_stale=0s').consistency).toBe('default')
    expect(options('max_stale=-5s')).toEqual(plain)
  })

  it('consistent conflicts with stale and with cached', () => {
    const stale = { kind: 'bad-request', message: 'Cannot specify ?stale with ?consistent, conflicting semantics.' }
    expect(refusal('stale&consistent')).toEqual(stale)
    expect(refusal('max_stale=1s&consistent')).toEqual(stale)
    expect(refusal('cached&consistent')).toEqual({
      kind: 'bad-request',
      message: 'Cannot specify ?cached with ?consistent, conflicting semantics.',
    })
  })

  it('index and wait make a blocking read, wait of at most ten minutes', () => {
    expect(options('index=5&wait=1m30s')).toMatchObject({ minIndex: 5, waitMs: 90_000 })
    expect(options('index=5&wait=11m').waitMs).toBe(600_000)
    expect(options('index=5&wait=0s').waitMs).toBe(0)
    expect(options('index=5&wait=-1s').waitMs).toBe(0)
  })

  it('an index that no log will reach waits, and is not an error', () => {
    expect(options('index=18446744073709551615').minIndex).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('refuses what is not an index, a wait or an age, in the words that clients know', () => {
    const invalid = (message: string) => ({ kind: 'bad-request', message })
    for (const bad of ['abc', '-1', '1.5', '18446744073709551616']) {
      expect(refusal(`index=${bad}`)).toEqual(invalid('Invalid index'))
    }
    for (const bad of ['abc', '10']) expect(refusal(`wait=${bad}`)).toEqual(invalid('Invalid wait time'))
    expect(refusal('max_stale=zzz')).toEqual(invalid('Invalid max_stale value "zzz"'))
  })

  it('name a datacenter only when it is another one', () => {
    expect(options('dc=dc1').datacenter).toBe('')
    expect(options('dc=dc2').datacenter).toBe('dc2')
  })
})
