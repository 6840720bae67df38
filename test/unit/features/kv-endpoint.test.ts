import { describe, expect, it } from 'vitest'
import { readMeta } from '../../../src/features/contract/reply.ts'
import { kvReapTombstones } from '../../../src/features/kv/commands.ts'
import { getEndpoint, keysEndpoint, listEndpoint } from '../../../src/features/kv/endpoint.ts'
import {
  deleteCasEndpoint,
  deleteEndpoint,
  deleteTreeEndpoint,
  putCasEndpoint,
  putEndpoint,
} from '../../../src/features/kv/write-endpoints.ts'
import { LoneServer } from './lone-server.ts'

async function serverWith(...keys: readonly string[]): Promise<LoneServer> {
  const server = new LoneServer()
  for (const key of keys) await server.request('PUT', `/v1/kv/${key}`, key)
  return server
}

function get(server: LoneServer, key: string) {
  return getEndpoint.query(server.read(), { key })
}

function list(server: LoneServer, prefix: string) {
  const { index, value } = listEndpoint.query(server.read(), { prefix })
  return { index, keys: value.map((entry) => entry.key) }
}

describe('the index of a result', () => {
  it('of an existing key is its ModifyIndex, whatever else is written', async () => {
    const server = await serverWith('a', 'b', 'c')
    expect(get(server, 'a').index).toBe(1)
    await server.request('DELETE', '/v1/kv/b')
    expect(get(server, 'a').index).toBe(1)
  })

  it('of a missing key is the last change of keys and tombstones', async () => {
    const server = await serverWith('a', 'b')
    expect(get(server, 'none')).toEqual({ index: 2, value: null })
    await server.request('DELETE', '/v1/kv/b')
    expect(get(server, 'none').index).toBe(3)
    expect(get(server, 'b').index).toBe(3)
  })

  it('of a prefix is that of its newest key or tombstone, so that it rises when the newest key is deleted', async () => {
    const server = await serverWith('p/1', 'p/2', 'q')
    expect(list(server, 'p/')).toEqual({ index: 2, keys: ['p/1', 'p/2'] })
    await server.request('DELETE', '/v1/kv/p/2')
    expect(list(server, 'p/')).toEqual({ index: 4, keys: ['p/1'] })
    await server.request('PUT', '/v1/kv/q', 'again')
    expect(list(server, 'p/').index).toBe(4)
    await server.request('DELETE', '/v1/kv/p/?recurse')
    expect(list(server, 'p/')).toEqual({ index: 6, keys: [] })
    expect(list(server, 'p').index).toBe(6)
  })

  it('of a prefix does not fall when its tombstone is reaped', async () => {
    const server = await serverWith('p/1', 'p/2')
    await server.request('DELETE', '/v1/kv/p/2')
    const before = list(server, 'p/').index
    await server.context.propose(kvReapTombstones, { through: 3, limit: 10 })
    expect(before).toBe(3)
    expect(list(server, 'p/')).toEqual({ index: 3, keys: ['p/1'] })
  })

  it('of a prefix under which there never was anything is the last change of the table', async () => {
    const server = await serverWith('a', 'b')
    expect(list(server, 'zzz')).toEqual({ index: 2, keys: [] })
  })

  it('of a store that never held a key is 0, to be answered as 1', () => {
    expect(list(new LoneServer(), '').index).toBe(0)
  })
})

describe('KV.Keys', () => {
  const keys = (server: LoneServer, prefix: string, separator: string) =>
    keysEndpoint.query(server.read(), { prefix, separator }).value

  it('cuts keys after the first separator past the prefix and merges those that become equal', async () => {
    const server = await serverWith('dir/a/1', 'dir/a/2', 'dir/b', 'dir/c/1', 'dirt', 'x')
    expect(keys(server, 'dir/', '/')).toEqual(['dir/a/', 'dir/b', 'dir/c/'])
    expect(keys(server, 'dir', '/')).toEqual(['dir/', 'dirt'])
    expect(keys(server, '', '')).toEqual(['dir/a/1', 'dir/a/2', 'dir/b', 'dir/c/1', 'dirt', 'x'])
    expect(keys(server, 'dir/', 'a/')).toEqual(['dir/a/', 'dir/b', 'dir/c/1'])
  })

  it('has the index of the newest key under the prefix, cut or not', async () => {
    const server = await serverWith('d/a/1', 'd/a/2', 'e')
    expect(keysEndpoint.query(server.read(), { prefix: 'd/', separator: '/' }).index).toBe(2)
  })

  it('gives keys in the order of their bytes, not of UTF-16 units', async () => {
    const server = await serverWith('😀', '～', 'z')
    const { value } = keysEndpoint.query(server.read(), { prefix: '', separator: '' })
    expect(value.map((key) => Buffer.from(key, 'latin1').toString())).toEqual(['z', '～', '😀'])
  })
})

describe('what another agent sends', () => {
  const bytes = new Uint8Array([1])
  const put = { key: 'a', value: bytes, flags: 7 }
  /** The longest value, and so many bytes more. */
  const longest = (more: number) => new Uint8Array(524_288 + more)
  const meta = { index: 5, knownLeader: true, lastContactMs: 0 }

  it.each([
    ['KV.Get', getEndpoint.args, { key: 'a' }, { key: 'a' }],
    ['KV.List', listEndpoint.args, { prefix: '' }, { prefix: '' }],
    ['KV.Put', putEndpoint.args, put, { ...put, flags: 7n }],
    ['KV.Put', putEndpoint.args, { ...put, value: longest(0) }, { ...put, value: longest(0), flags: 7n }],
    ['KV.PutCas', putCasEndpoint.args, { ...put, index: 3, newer: 1 }, { ...put, flags: 7n, index: 3n }],
    ['KV.Delete', deleteEndpoint.args, { key: 'a' }, { key: 'a' }],
    ['KV.DeleteCas', deleteCasEndpoint.args, { key: 'a', index: 2n ** 60n }, { key: 'a', index: 2n ** 60n }],
    ['KV.DeleteTree', deleteTreeEndpoint.args, { prefix: 'a/' }, { prefix: 'a/' }],
    ['an answer', readMeta, { ...meta, newer: 1 }, meta],
    ['an answer', readMeta, { ...meta, index: 0 }, { ...meta, index: 1 }],
  ] as const)('is read as %s, without members that this release does not know', (_, schema, given, read) => {
    expect(schema.parse(given)).toEqual(read)
  })

  it.each([
    ['KV.Get', getEndpoint.args, [{}, { key: '' }, { key: 1 }, { key: '～' }, null, 'a', [], ['a']]],
    ['KV.Put', putEndpoint.args, [{ ...put, value: longest(1) }, { ...put, key: '' }, { ...put, value: 'a' }, null]],
    ['KV.List', listEndpoint.args, [{}, { prefix: 1 }, { prefix: '～' }, null, []]],
    ['KV.PutCas', putCasEndpoint.args, [put, { ...put, index: -1 }, { ...put, index: 1.5 }, { ...put, index: '3' }]],
    ['KV.PutCas', putCasEndpoint.args, [{ ...put, index: 3, key: '' }, { ...put, index: 3, value: 'a' }, null, []]],
    ['KV.Delete', deleteEndpoint.args, [{}, { key: '' }, { key: bytes }, undefined]],
    ['KV.DeleteCas', deleteCasEndpoint.args, [{ key: 'a' }, { key: '', index: 1 }, { key: 'a', index: 2n ** 64n }, 1]],
    ['KV.DeleteTree', deleteTreeEndpoint.args, [{ key: 'a' }, null]],
    [
      'an answer',
      readMeta,
      [{}, { ...meta, index: -1 }, { ...meta, knownLeader: 1 }, { ...meta, lastContactMs: Number.NaN }],
    ],
  ] as const)('is refused as %s where it is malformed', (_, schema, givens) => {
    for (const given of givens) expect(schema.safeParse(given).success).toBe(false)
  })
})
