import { expect, it } from 'vitest'
import type { WatchHandler } from '../../../src/agent/settings/watch-settings.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { runHandler } from '../../../src/program/watch-handlers.ts'

it('a handler that cannot be reached is named, with what is wrong', async () => {
  const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  const url = 'http://127.0.0.1:1/hook'
  const handler: WatchHandler = {
    kind: 'http',
    url,
    method: 'POST',
    headers: [],
    timeoutMs: 5_000,
    tlsSkipVerify: false,
  }
  expect(await runHandler(env, { naming: svcNaming, aliases: [] }, handler, { index: 1n, value: null })).toEqual({
    ok: false,
    error: '127.0.0.1:1: refused',
  })
  env.close()
})
