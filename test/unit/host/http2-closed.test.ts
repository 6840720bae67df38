import { expect, it } from 'vitest'
import { err } from '../../../src/base/result.ts'
import { createHostEnv } from '../../../src/host/env.ts'

it('ends an exchange over HTTP/2 when the world closes, though its code is still being loaded', async () => {
  const env = createHostEnv({ logSink: () => {}, logLevel: 'error' })
  const to = { host: '127.0.0.1', port: 1 }
  const asked = env.http.requestHttp2(to, {
    authority: 'web',
    method: 'POST',
    target: '/grpc.health.v1.Health/Check',
    headers: [],
    body: new Uint8Array(),
    timeoutMs: 60_000,
    bodyBytesMax: 1024,
  })
  env.close()
  expect(await asked).toEqual(err({ kind: 'io', to, message: 'shutting down' }))
})
