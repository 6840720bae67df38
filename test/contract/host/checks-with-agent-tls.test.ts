import { afterEach, describe, expect, it } from 'vitest'
import { checkTls } from '../../../src/agent/boot/tls-material.ts'
import { type HttpProbe, probeHttp } from '../../../src/agent/local/probes/http-probe.ts'
import { defaultTls, type TlsMaterial } from '../../../src/agent/settings/tls-settings.ts'
import { createHostEnv, type HostEnv } from '../../../src/host/env.ts'
import { makeTlsMaterial, opensslIsThere } from './tls-material.ts'

const openssl = opensslIsThere()
const made = openssl ? makeTlsMaterial() : undefined

const open: HostEnv[] = []
afterEach(() => {
  for (const env of open.splice(0)) env.close()
})

describe.skipIf(!openssl)('a check over HTTPS', () => {
  it('shows the agent’s certificate and trusts its authorities where it is to, and neither otherwise', async () => {
    if (made === undefined) throw new Error('there is no openssl')
    const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
    open.push(env)
    const { rootPem, server, client, stranger, strangerRootPem } = made
    const served = await env.http.serve(
      { host: '127.0.0.1', port: 0 },
      async () => ({ status: 200, headers: [], body: 'well' }),
      { ...server, trustedPems: [rootPem], requirePeerCertificate: true },
    )
    if (!served.ok) throw new Error(served.error.kind)
    const probe: HttpProbe = {
      kind: 'http',
      url: `https://127.0.0.1:${served.value.local.port}/`,
      method: '',
      header: [],
      tlsSkipVerify: false,
      intervalMs: 1_000,
      timeoutMs: 5_000,
    }
    const own = (identity: TlsMaterial['identity'], trusted: string, serverName?: string) =>
      checkTls({ settings: { ...defaultTls, domain: 'svc', serverName }, identity, trustedPems: [trusted] })
    const found = async (tls?: ReturnType<typeof own>, changes: Partial<HttpProbe> = {}): Promise<string> =>
      (await probeHttp(env, { ...probe, ...changes }, tls)).status

    expect(await found(own(client, rootPem))).toBe('passing')
    expect(await found(own(client, rootPem, 'server.dc1.svc'))).toBe('passing')
    expect(await found(own(client, strangerRootPem), { tlsSkipVerify: true })).toBe('passing')
    expect(await found()).toBe('critical')
    expect(await found(undefined, { tlsSkipVerify: true })).toBe('critical')
    expect(await found(own(stranger, rootPem))).toBe('critical')
    expect(await found(own(client, strangerRootPem))).toBe('critical')
    expect(await found(own(client, rootPem, 'else.svc'))).toBe('critical')
  })

  it('trusts those of the machine where the agent has no authorities of its own', () => {
    expect(checkTls({ settings: { ...defaultTls, domain: 'svc' }, identity: undefined, trustedPems: [] })).toEqual({
      trustedPems: [],
      trust: 'system',
    })
  })
})
