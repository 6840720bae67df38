import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { SecretsManager } from '../../../sim/secrets-manager/secrets-manager.ts'
import type { Env } from '../../../src/env/env.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { readCertificates } from '../../../src/pki/certificate.ts'
import { verifyChain } from '../../../src/pki/chain.ts'
import { must } from '../../contract/connect/provider-world.ts'
import { ask, type Reply } from '../ask.ts'
import type { Exact } from '../golden/exact-json.ts'
import { type SimulatedAgent, startSimulatedAgent } from '../simulated-agent.ts'

const clusterId = '11111111-2222-3333-4444-555555555555'
const trustDomain = `${clusterId}.svc`
const token = 's.MARKER-of-the-secrets-manager'
const numbers = [1, 2, 3, 4]

const vault = (number: number, more: Record<string, string> = {}) => ({
  Provider: 'vault',
  Config: {
    Address: 'http://127.0.0.1:8200',
    Token: token,
    RootPKIPath: `root-${number}`,
    IntermediatePKIPath: `intermediate-${number}`,
    ...more,
  },
})

interface Mesh {
  readonly agent: SimulatedAgent
  readonly manager: () => SecretsManager
}

const running: SimulatedAgent[] = []
afterEach(async () => {
  for (const agent of running.splice(0)) await agent.stop()
})

/** One server with a mesh, and a secrets manager beside it. */
async function meshWith(connect: Record<string, Exact>): Promise<Mesh> {
  let manager: SecretsManager | undefined
  const beside = async (env: Env): Promise<void> => {
    manager = new SecretsManager(env)
    const mounts = numbers.flatMap((number) => [`root-${number}`, `intermediate-${number}`])
    manager.tokens.add({ id: token, ttl: 3_600, period: 3_600, renewable: true, mounts, sudo: true })
    must(await manager.serve({ host: '127.0.0.1', port: 8200 }))
  }
  const agent = await startSimulatedAgent('default', { more: { connect }, beside })
  running.push(agent)
  const there = (): SecretsManager => {
    if (manager === undefined) throw new Error('the secrets manager is not there')
    return manager
  }
  const mesh = { agent, manager: there }
  while ((await rootsOf(mesh)).Roots.length === 0) await agent.target.pause(100)
  return mesh
}

interface Roots {
  readonly ActiveRootID: string
  readonly Roots: readonly {
    readonly ID: string
    readonly Name: string
    readonly RootCert: string
    readonly Active: boolean
    readonly IntermediateCerts: readonly string[] | null
  }[]
}

async function rootsOf({ agent }: Mesh): Promise<Roots> {
  return JSON.parse(
    (await ask(agent.target, 'GET /v1/connect/ca/roots')).text.replace(/"SerialNumber":\d+/g, '"SerialNumber":0'),
  )
}

async function configure({ agent }: Mesh, body: unknown): Promise<Reply> {
  return ask(agent.target, 'PUT /v1/connect/ca/configuration', JSON.stringify(body))
}

/** A new leaf, with its whole chain: it must be valid for verifiers that trust any one of the listed roots. */
async function leafHoldsUnderEveryRoot(mesh: Mesh, service: string): Promise<void> {
  const { target } = mesh.agent
  const { CertPEM } = JSON.parse((await ask(target, `GET /v1/agent/connect/ca/leaf/${service}`)).text) as {
    readonly CertPEM: string
  }
  const [leaf, ...behind] = must(readCertificates(CertPEM))
  if (leaf === undefined) throw new Error('there is no leaf')
  const { Roots } = await rootsOf(mesh)
  const question = { atMs: leaf.notBeforeMs + 120_000, usage: 'server', trustDomain } as const
  for (const { RootCert } of Roots) {
    const chain = must(verifyChain(hostCrypto, leaf, behind, must(readCertificates(RootCert)), question))
    expect(chain.length).toBeGreaterThanOrEqual(2)
  }
}

/** A root that the secrets manager has just made is used once it has been valid for as long as clocks may be apart. */
async function activated(mesh: Mesh, before: Roots): Promise<Roots> {
  for (;;) {
    const after = await rootsOf(mesh)
    if (after.ActiveRootID !== before.ActiveRootID) return after
    await mesh.agent.target.pause(1_000)
  }
}

const active = ({ Roots }: Roots) => Roots.filter((root) => root.Active)

describe('a mesh whose root an external secrets manager holds', () => {
  it('[CA-016] rotates from the built-in provider to it, to another root of it, between kinds of keys, and back', async () => {
    const mesh = await meshWith({ enabled: true, ca_config: { cluster_id: clusterId } })
    const ways: readonly (readonly [unknown, RegExp])[] = [
      [vault(1), /^Vault CA Root Cert$/],
      [vault(2), /^Vault CA Root Cert$/],
      [vault(3, { PrivateKeyType: 'rsa' }), /^Vault CA Root Cert$/],
      [vault(4), /^Vault CA Root Cert$/],
      [{ Provider: 'svc', Config: {} }, /^Svc CA Root Cert$/],
    ]
    await leafHoldsUnderEveryRoot(mesh, 'web')
    let before = await rootsOf(mesh)
    for (const [number, [body, name]] of ways.entries()) {
      const answer = await configure(mesh, body)
      expect([answer.status, answer.text]).toEqual([200, ''])
      const after = await activated(mesh, before)
      expect(active(after).map(({ Name }) => Name)).toEqual([expect.stringMatching(name)])
      expect(after.Roots).toHaveLength(number + 2)
      await leafHoldsUnderEveryRoot(mesh, `web-${number}`)
      await leafHoldsUnderEveryRoot(mesh, 'web')
      before = after
    }
  })

  it('[CA-002] [CA-005] keeps no private key of its own, shows no token, and asks it for every leaf', async () => {
    const { Provider, Config } = vault(1)
    const mesh = await meshWith({
      enabled: true,
      ca_provider: Provider,
      ca_config: {
        cluster_id: clusterId,
        address: Config.Address,
        token,
        root_pki_path: Config.RootPKIPath,
        intermediate_pki_path: Config.IntermediatePKIPath,
      },
    })
    const { target } = mesh.agent
    const [root] = active(await rootsOf(mesh))
    expect(root?.RootCert.trim()).toBe(mesh.manager().mountAt('root-1')?.own.shown)
    expect(root?.IntermediateCerts?.map((pem) => pem.trim())).toEqual([
      mesh.manager().mountAt('intermediate-1')?.own.shown,
    ])
    await leafHoldsUnderEveryRoot(mesh, 'web')
    expect(mesh.manager().calls).toContain('PUT intermediate-1/sign/leaf-cert')

    const { text } = await ask(target, 'GET /v1/connect/ca/configuration')
    expect(JSON.parse(text)).toMatchObject({ Provider: 'vault', Config: { Token: 'hidden', RootPKIPath: 'root-1' } })
    expect(text).not.toContain(token)
    // Written back as it was read, it is the stored token that counts, and nothing rotates.
    expect(
      (await configure(mesh, { ...JSON.parse(text), Config: { ...JSON.parse(text).Config, LeafCertTTL: '24h' } }))
        .status,
    ).toBe(200)
    expect(active(await rootsOf(mesh))[0]?.ID).toBe(root?.ID)
    await leafHoldsUnderEveryRoot(mesh, 'db')

    const archive = await target.until(
      target.begin({
        method: 'GET',
        target: '/v1/snapshot',
        headers: [],
        body: undefined,
        timeoutMs: 60_000,
        stream: false,
      }),
    )
    if (archive.kind !== 'answer') throw new Error('there is no snapshot')
    const state = gunzipSync(archive.body).toString('latin1')
    expect(state).toContain('root-1')
    expect(state).not.toContain('PRIVATE KEY')
  })

  it('[CA-006] takes no provider that it does not know, and says so', async () => {
    const mesh = await meshWith({ enabled: true, ca_config: { cluster_id: clusterId } })
    const before = await rootsOf(mesh)
    const answer = await configure(mesh, { Provider: 'plugin', Config: { Path: '/usr/local/bin/ca' } })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('unknown CA provider "plugin"')])
    expect(await rootsOf(mesh)).toEqual(before)
  })

  it('keeps to the old root when a new provider does not answer, and takes the new one when it does', async () => {
    const mesh = await meshWith({ enabled: true, ca_config: { cluster_id: clusterId } })
    const before = await rootsOf(mesh)
    mesh.manager().state = 'sealed'
    const answer = await configure(mesh, vault(1))
    expect(answer.status).toBe(500)
    expect(answer.text).toContain('nothing was changed')
    expect(answer.text).toContain('sealed')
    expect(await rootsOf(mesh)).toEqual(before)
    await leafHoldsUnderEveryRoot(mesh, 'web')
    mesh.manager().state = 'active'
    expect((await configure(mesh, vault(1))).status).toBe(200)
    await activated(mesh, before)
    await leafHoldsUnderEveryRoot(mesh, 'web')
  })

  it('refuses a new provider that refuses, and keeps to the old root', async () => {
    const mesh = await meshWith({ enabled: true, ca_config: { cluster_id: clusterId } })
    const before = await rootsOf(mesh)
    const answer = await configure(mesh, vault(1, { Token: 's.unknown' }))
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('permission denied')])
    expect(answer.text).not.toContain('s.unknown')
    expect(await rootsOf(mesh)).toEqual(before)
    await leafHoldsUnderEveryRoot(mesh, 'web')
  })

  it('signs on when it was sealed for a while, and keys of services are as they were', async () => {
    const mesh = await meshWith({ enabled: true, ca_config: { cluster_id: clusterId } })
    const before = await rootsOf(mesh)
    expect((await configure(mesh, vault(1))).status).toBe(200)
    await activated(mesh, before)
    await leafHoldsUnderEveryRoot(mesh, 'web')
    const roots = await rootsOf(mesh)
    mesh.manager().state = 'sealed'
    const refused = await ask(mesh.agent.target, 'GET /v1/agent/connect/ca/leaf/late')
    expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('sealed')])
    await leafHoldsUnderEveryRoot(mesh, 'web')
    expect(await rootsOf(mesh)).toEqual(roots)
    mesh.manager().state = 'active'
    await leafHoldsUnderEveryRoot(mesh, 'late')
  })

  it('says of another root in its place that it is one, and continues with the one that the mesh trusts', async () => {
    const mesh = await meshWith({ enabled: true, ca_config: { cluster_id: clusterId } })
    const before = await rootsOf(mesh)
    expect((await configure(mesh, vault(1))).status).toBe(200)
    await activated(mesh, before)
    const roots = await rootsOf(mesh)
    expect(await problemOf(mesh)).toBe('')
    mesh.manager().unmount('root-1')
    await mesh.agent.target.pause(400_000)
    expect(await problemOf(mesh)).toContain('root-1 has no root')
    expect(await rootsOf(mesh)).toEqual(roots)
    await leafHoldsUnderEveryRoot(mesh, 'web')
  })
})

async function problemOf({ agent }: Mesh): Promise<unknown> {
  return JSON.parse((await ask(agent.target, 'GET /v1/connect/ca/forecast')).text).Problem
}
