import { expect } from 'vitest'
import { textOf } from '../../../src/base/bytes.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { LoneServer } from './lone-server.ts'

export const told = { id: '1-1-1', index: 1, term: 1, configurationIndex: 1, servers: [] }

export const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

export async function withKeys(keys: Readonly<Record<string, string>>): Promise<LoneServer> {
  const server = new LoneServer(env)
  for (const [key, value] of Object.entries(keys)) await server.request('PUT', `/v1/kv/${key}`, value)
  return server
}

export async function saved(server: LoneServer): Promise<Uint8Array> {
  const response = await server.request('GET', '/v1/snapshot')
  if (response.kind !== 'bytes') throw new Error(JSON.stringify(response))
  expect(response).toMatchObject({
    contentType: 'application/x-gzip',
    meta: { index: server.index, knownLeader: true },
  })
  return response.bytes
}

export async function textAt(server: LoneServer, key: string): Promise<string | undefined> {
  const response = await server.request('GET', `/v1/kv/${key}?raw`)
  return response.kind === 'bytes' ? textOf(response.bytes) : undefined
}
