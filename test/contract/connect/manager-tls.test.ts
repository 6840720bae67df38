import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SecretsManager } from '../../../sim/secrets-manager/secrets-manager.ts'
import type { TlsOptions } from '../../../src/env/net.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import type { ProviderFailure } from '../../../src/features/connect/provider/provider.ts'
import { quietEnv } from '../host/quiet-env.ts'
import { makeTlsMaterial, opensslIsThere } from '../host/tls-material.ts'
import { managerOptions, managerToken, mesh, must } from './provider-world.ts'

const directory = mkdtempSync(join(tmpdir(), 'svc-manager-tls-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe.skipIf(!opensslIsThere())('TLS between the external provider and its secrets manager', () => {
  const material = makeTlsMaterial()
  const rootFile = join(directory, 'root.pem')
  writeFileSync(rootFile, material.rootPem)

  async function asked(more: ProviderOptions, listener: Partial<TlsOptions> = {}): Promise<ProviderFailure | 'done'> {
    const env = quietEnv()
    const manager = new SecretsManager(env)
    const mounts = ['mesh-root', 'mesh-intermediate']
    manager.tokens.add({ id: managerToken, ttl: 3_600, renewable: true, mounts, sudo: true })
    const tls = { ...material.server, trustedPems: [material.rootPem], ...listener }
    const { local } = must(await manager.serve({ host: '127.0.0.1', port: 0 }, tls))
    const provider = externalKind.open(env, managerOptions(`https://127.0.0.1:${local.port}`, more), mesh)
    const root = await provider.root(undefined, '1')
    provider.close()
    return root.ok ? 'done' : root.error
  }

  it('trusts the authorities of a file or of a PEM text', async () => {
    expect(await asked({ CAFile: rootFile })).toBe('done')
    expect(await asked({ CAFile: material.rootPem, TLSServerName: 'server.dc1.svc' })).toBe('done')
    expect(await asked({ TLSSkipVerify: true })).toBe('done')
  })

  it('trusts no other root, and no other name', async () => {
    for (const more of [
      { CAFile: material.strangerRootPem },
      {},
      { CAFile: rootFile, TLSServerName: 'vault.internal' },
    ]) {
      expect(await asked(more)).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('TLS') })
    }
  })

  it('shows a certificate of its own where one is asked for', async () => {
    const asking = { requirePeerCertificate: true }
    const shown = { CertFile: material.client.certificateChainPem, KeyFile: material.client.privateKeyPem }
    expect(await asked({ CAFile: rootFile, ...shown }, asking)).toBe('done')
    expect(await asked({ CAFile: rootFile }, asking)).toMatchObject({ kind: 'unavailable' })
  })

  it('says which file cannot be read', async () => {
    const missing = join(directory, 'missing.pem')
    const failure = await asked({ CAFile: missing })
    expect(failure).toMatchObject({ message: expect.stringContaining('CAFile cannot be opened: not-found') })
  })
})
