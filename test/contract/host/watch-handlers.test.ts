import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import type { WatchHandler } from '../../../src/agent/settings/watch-settings.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { runHandler } from '../../../src/program/watch-handlers.ts'

const names = { naming: svcNaming, aliases: [] }
const change = { index: 1n, value: null }

function handlerAt(url: string, headers: readonly (readonly [string, string])[] = []): WatchHandler {
  return { kind: 'http', url, method: 'POST', headers, timeoutMs: 5_000, tlsSkipVerify: false }
}

it('a handler that cannot be reached is named, with what is wrong', async () => {
  const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  expect(await runHandler(env, names, handlerAt('http://127.0.0.1:1/hook'), change)).toEqual({
    ok: false,
    error: '127.0.0.1:1: refused',
  })
  env.close()
})

it('a handler is told the user in its URL, unless it has credentials of its own', async () => {
  const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://user:p@127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  for (const handler of [handlerAt(url), handlerAt(url, [['authorization', 'own']])]) {
    expect(await runHandler(env, names, handler, change)).toMatchObject({ ok: true })
  }
  expect(asked).toEqual(['Basic dXNlcjpw', 'own'])
  env.close()
  server.close()
})
