import { describe, expect, it } from 'vitest'
import { byteStringOf, textOf } from '../../../src/base/bytes.ts'
import { writeJson } from '../../../src/base/json.ts'
import type { RouteResponse } from '../../../src/features/contract/route.ts'
import { LoneServer } from './lone-server.ts'

function jsonOf(response: RouteResponse): string {
  if (response.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(response)}`)
  return writeJson(response.value)
}

function failureOf(response: RouteResponse): string {
  if (response.kind !== 'failure') throw new Error(`not a failure: ${jsonOf(response)}`)
  return `${response.failure.kind}: ${'message' in response.failure ? response.failure.message : ''}`
}

describe('GET /v1/kv/KEY', () => {
  it('answers the entry as a list of one, with its members in order and without an empty session', async () => {
    const server = new LoneServer()
    await server.request('PUT', '/v1/kv/foo?flags=42', 'hello')
    const response = await server.request('GET', '/v1/kv/foo')
    expect(jsonOf(response)).toBe(
      '[{"LockIndex":0,"Key":"foo","Flags":42,"Value":"aGVsbG8=","CreateIndex":1,"ModifyIndex":1}]',
    )
    expect(response).toMatchObject({ meta: { index: 1, knownLeader: true, lastContactMs: 0 } })
  })

  it('a missing key is 404 without a body, with its index', async () => {
    const server = new LoneServer()
    await server.request('PUT', '/v1/kv/other', 'x')
    expect(await server.request('GET', '/v1/kv/none')).toEqual({
      kind: 'empty',
      status: 404,
      meta: { index: 1, knownLeader: true, lastContactMs: 0 },
    })
  })

  it('an empty value is null, and raw gives the bytes as they are', async () => {
    const server = new LoneServer()
    await server.request('PUT', '/v1/kv/empty')
    await server.request('PUT', '/v1/kv/bytes', new Uint8Array([0, 255, 10]))
    expect(jsonOf(await server.request('GET', '/v1/kv/empty'))).toContain('"Value":null')
    expect(await server.request('GET', '/v1/kv/bytes?raw')).toMatchObject({
      kind: 'bytes',
      bytes: new Uint8Array([0, 255, 10]),
      meta: { index: 2 },
    })
    expect(await server.request('GET', '/v1/kv/empty?raw')).toMatchObject({ kind: 'bytes', bytes: new Uint8Array(0) })
  })

  it('flags of 64 bits come back digit for digit', async () => {
    const server = new LoneServer()
    for (const flags of ['18446744073709551615', '9007199254740993', '0']) {
      await server.request('PUT', `/v1/kv/f?flags=${flags}`, 'x')
      expect(jsonOf(await server.request('GET', '/v1/kv/f'))).toContain(`"Flags":${flags},`)
    }
  })

  it('a key of any text comes back as that text', async () => {
    const server = new LoneServer()
    await server.request('PUT', '/v1/kv/a b/ümläut/😀', 'x')
    expect(jsonOf(await server.request('GET', '/v1/kv/?keys'))).toBe('["a b/ümläut/😀"]')
  })

  it('without a key asks for one, unless all keys are meant', async () => {
    const server = new LoneServer()
    expect(failureOf(await server.request('GET', '/v1/kv/'))).toBe('bad-request: Missing key name')
    expect(jsonOf(await server.request('GET', '/v1/kv/?keys'))).toBe('[]')
    expect(await server.request('GET', '/v1/kv/?recurse')).toMatchObject({ kind: 'empty', status: 404 })
  })
})

describe('GET with recurse or keys', () => {
  async function withDirectory(): Promise<LoneServer> {
    const server = new LoneServer()
    for (const key of ['dir/b', 'dir/a/1', 'dir/a/2', 'dirt']) await server.request('PUT', `/v1/kv/${key}`, key)
    return server
  }

  it('recurse lists entries by key, ignores raw, and is 404 when there is none', async () => {
    const server = await withDirectory()
    const listed = jsonOf(await server.request('GET', '/v1/kv/dir/?recurse&raw'))
    expect([...listed.matchAll(/"Key":"([^"]*)"/g)].map(([, key]) => key)).toEqual(['dir/a/1', 'dir/a/2', 'dir/b'])
    expect(await server.request('GET', '/v1/kv/nope?recurse')).toMatchObject({
      kind: 'empty',
      status: 404,
      meta: { index: 4 },
    })
  })

  it('keys lists names, cut at a separator in either spelling, of which the right one wins', async () => {
    const server = await withDirectory()
    expect(jsonOf(await server.request('GET', '/v1/kv/dir/?keys'))).toBe('["dir/a/1","dir/a/2","dir/b"]')
    expect(jsonOf(await server.request('GET', '/v1/kv/dir/?keys&separator=/'))).toBe('["dir/a/","dir/b"]')
    expect(jsonOf(await server.request('GET', '/v1/kv/dir/?keys&seperator=/'))).toBe('["dir/a/","dir/b"]')
    expect(jsonOf(await server.request('GET', '/v1/kv/dir/?keys&seperator=x&separator=/'))).toBe('["dir/a/","dir/b"]')
    expect(await server.request('GET', '/v1/kv/nope?keys')).toMatchObject({ kind: 'empty', status: 404 })
  })
})

describe('PUT /v1/kv/KEY', () => {
  it('takes the whole body as the value, up to 524288 bytes', async () => {
    const server = new LoneServer()
    const value = new Uint8Array(524_288).fill(7)
    expect(jsonOf(await server.request('PUT', '/v1/kv/big', value))).toBe('true')
    const raw = await server.request('GET', '/v1/kv/big?raw')
    expect(raw.kind === 'bytes' && byteStringOf(raw.bytes) === byteStringOf(value)).toBe(true)
    expect(failureOf(await server.request('PUT', '/v1/kv/big', new Uint8Array(524_289)))).toBe(
      'too-large: Value exceeds 524288 byte limit',
    )
  })

  it('without flags takes them back to 0', async () => {
    const server = new LoneServer()
    await server.request('PUT', '/v1/kv/a?flags=3', 'x')
    await server.request('PUT', '/v1/kv/a', 'x')
    expect(jsonOf(await server.request('GET', '/v1/kv/a'))).toContain('"Flags":0,')
  })

  it('cas writes only over the version named, and says whether it did', async () => {
    const server = new LoneServer()
    expect(jsonOf(await server.request('PUT', '/v1/kv/c?cas=0', 'first'))).toBe('true')
    expect(jsonOf(await server.request('PUT', '/v1/kv/c?cas=0', 'second'))).toBe('false')
    expect(jsonOf(await server.request('PUT', '/v1/kv/c?cas=1', 'third'))).toBe('true')
    expect(jsonOf(await server.request('PUT', '/v1/kv/c?cas=18446744073709551615', 'fourth'))).toBe('false')
    const raw = await server.request('GET', '/v1/kv/c?raw')
    expect(raw.kind === 'bytes' && textOf(raw.bytes)).toBe('third')
  })

  it('numbers that are none are the caller’s mistake, in the words that clients know', async () => {
    const server = new LoneServer()
    const put = async (query: string) => failureOf(await server.request('PUT', `/v1/kv/a?${query}`, 'x'))
    expect(await put('flags=x')).toBe('bad-request: strconv.ParseUint: parsing "x": invalid syntax')
    expect(await put('flags=-1')).toBe('bad-request: strconv.ParseUint: parsing "-1": invalid syntax')
    expect(await put('flags')).toBe('bad-request: strconv.ParseUint: parsing "": invalid syntax')
    expect(await put('cas=abc')).toBe('bad-request: strconv.ParseUint: parsing "abc": invalid syntax')
    expect(await put('cas=18446744073709551616')).toBe(
      'bad-request: strconv.ParseUint: parsing "18446744073709551616": value out of range',
    )
    expect(server.index).toBe(0)
  })

  it('without a key asks for one, and two conditions at once conflict', async () => {
    const server = new LoneServer()
    expect(failureOf(await server.request('PUT', '/v1/kv/', 'x'))).toBe('bad-request: Missing key name')
    expect(failureOf(await server.request('PUT', '/v1/kv/a?release=b&acquire=a', 'x'))).toBe(
      'bad-request: Conflicting flags: acquire=a&release=b',
    )
    expect(failureOf(await server.request('PUT', '/v1/kv/a?cas=1&acquire=a', 'x'))).toBe(
      'bad-request: Conflicting flags: acquire=a&cas=1',
    )
  })

  it('a failure of the cluster is passed on', async () => {
    const server = new LoneServer()
    server.failNext = { kind: 'no-leader' }
    expect(failureOf(await server.request('PUT', '/v1/kv/a', 'x'))).toBe('no-leader: ')
  })
})

describe('DELETE /v1/kv/KEY', () => {
  it('is true whether or not there was a key', async () => {
    const server = new LoneServer()
    await server.request('PUT', '/v1/kv/a', 'x')
    expect(jsonOf(await server.request('DELETE', '/v1/kv/a'))).toBe('true')
    expect(jsonOf(await server.request('DELETE', '/v1/kv/a'))).toBe('true')
    expect(await server.request('GET', '/v1/kv/a')).toMatchObject({ kind: 'empty', status: 404, meta: { index: 2 } })
  })

  it('recurse deletes a prefix, and the empty prefix everything', async () => {
    const server = new LoneServer()
    for (const key of ['d/1', 'd/2', 'e']) await server.request('PUT', `/v1/kv/${key}`, 'x')
    expect(jsonOf(await server.request('DELETE', '/v1/kv/d/?recurse'))).toBe('true')
    expect(jsonOf(await server.request('GET', '/v1/kv/?keys'))).toBe('["e"]')
    expect(jsonOf(await server.request('DELETE', '/v1/kv/?recurse'))).toBe('true')
    expect(jsonOf(await server.request('GET', '/v1/kv/?keys'))).toBe('[]')
  })

  it('cas deletes only the version named; a missing key counts as deleted', async () => {
    const server = new LoneServer()
    await server.request('PUT', '/v1/kv/a', 'x')
    expect(jsonOf(await server.request('DELETE', '/v1/kv/a?cas=0'))).toBe('false')
    expect(jsonOf(await server.request('DELETE', '/v1/kv/a?cas=1'))).toBe('true')
    expect(jsonOf(await server.request('DELETE', '/v1/kv/a?cas=9'))).toBe('true')
  })

  it('refuses a missing key, a bad number, and recurse together with cas', async () => {
    const server = new LoneServer()
    const remove = async (target: string) => failureOf(await server.request('DELETE', target))
    expect(await remove('/v1/kv/')).toBe('bad-request: Missing key name')
    expect(await remove('/v1/kv/a?cas=x')).toBe('bad-request: strconv.ParseUint: parsing "x": invalid syntax')
    expect(await remove('/v1/kv/a?recurse&cas=1')).toBe('bad-request: Conflicting flags: cas=1&recurse=')
  })
})

describe('datacenters and read options', () => {
  it('another datacenter than the agent’s own has no path, for reads and writes', async () => {
    const server = new LoneServer()
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      expect(await server.request(method, '/v1/kv/a?dc=nope')).toEqual({
        kind: 'failure',
        failure: { kind: 'unknown-datacenter', datacenter: 'nope' },
      })
    }
    expect(server.index).toBe(0)
    expect(jsonOf(await server.request('PUT', '/v1/kv/a?dc=dc1', 'x'))).toBe('true')
    expect((await server.request('GET', '/v1/kv/a?dc=dc1')).kind).toBe('json')
  })

  it('what the caller asks of the read reaches it', async () => {
    const server = new LoneServer()
    await server.request('GET', '/v1/kv/a?index=7&wait=10s&stale')
    expect(server.reads).toEqual([{ consistency: 'stale', minIndex: 7, waitMs: 10_000, maxStaleMs: 0, datacenter: '' }])
    expect(failureOf(await server.request('PUT', '/v1/kv/a?wait=10', 'x'))).toBe('bad-request: Invalid wait time')
  })
})
