import { X509Certificate } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { SecretsManager } from '../../sim/secrets-manager/secrets-manager.ts'
import type { Env } from '../../src/env/env.ts'
import { createHostEnv } from '../../src/host/env.ts'
import { managerOptions, managerToken } from '../contract/connect/provider-world.ts'
import { quietEnv } from '../contract/host/quiet-env.ts'
import { ask } from './ask.ts'
import type { Exact } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { startRealAgent } from './real-agent.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

const { crypto } = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const cluster = '11111111-2222-3333-4444-555555555555'

interface Started {
  readonly target: GoldenTarget
  stop(): Promise<void>
}

type Connect = (managerPort: number) => Record<string, Exact>

interface World {
  readonly name: string
  /** `withManager`: a secrets manager runs on the same machine. */
  start(connect: Connect, withManager: boolean): Promise<Started>
}

/** Serves on this port, or on any free one for 0, which is what comes back. */
async function managed(env: Env, port: number): Promise<number> {
  const manager = new SecretsManager(env)
  const mounts = ['mesh-root', 'mesh-intermediate']
  manager.tokens.add({ id: managerToken, ttl: 3_600, renewable: true, mounts, sudo: true })
  const served = await manager.serve({ host: '127.0.0.1', port })
  if (!served.ok) throw new Error(`the secrets manager has no port: ${served.error.kind}`)
  return served.value.local.port
}

const managerPort = 8200
/** No server listens at the address. */
const closedPort = 1

const worlds: readonly World[] = [
  {
    name: 'on real sockets',
    start: async (connect, withManager) => {
      const port = withManager ? await managed(quietEnv(), 0) : closedPort
      return startRealAgent({ more: { connect: connect(port) } })
    },
  },
  {
    name: 'in the simulator',
    start: (connect, withManager) => {
      if (!withManager) return startSimulatedAgent('default', { more: { connect: connect(closedPort) } })
      const beside = async (env: Env): Promise<void> => {
        await managed(env, managerPort)
      }
      return startSimulatedAgent('default', { more: { connect: connect(managerPort) }, beside })
    },
  },
]

interface Roots {
  readonly ActiveRootID: string | null
  readonly TrustDomain: string
  readonly Roots: readonly { readonly ID: string; readonly Name: string; readonly RootCert: string }[]
}

let stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

async function started(world: World, connect: Connect, withManager = false): Promise<Started> {
  const agent = await world.start(connect, withManager)
  stops = [...stops, agent.stop]
  return agent
}

async function roots(target: GoldenTarget): Promise<Roots> {
  for (;;) {
    const reply = await ask(target, 'GET /v1/connect/ca/roots')
    expect(reply.status, reply.text).toBe(200)
    const list = reply.json() as unknown as Roots
    if (list.Roots.length > 0) return list
    await target.pause(50)
  }
}

/** The leaf of a service, and what goes with it. */
async function leaf(target: GoldenTarget): Promise<readonly X509Certificate[]> {
  const reply = await ask(target, 'GET /v1/agent/connect/ca/leaf/web')
  expect(reply.status, reply.text).toBe(200)
  const { CertPEM } = reply.json() as unknown as { readonly CertPEM: string }
  return CertPEM.split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((pem) => pem.trim() !== '')
    .map((pem) => new X509Certificate(pem))
}

async function configuration(target: GoldenTarget): Promise<object> {
  return (await ask(target, 'GET /v1/connect/ca/configuration')).json() as unknown as object
}

describe.each(worlds)('[CFG-005] the authority as a file has it, $name', (world) => {
  it.each([[{ enabled: false }], [{}]])('is not there where the mesh is not enabled: %o', async (flag) => {
    const { target } = await started(world, () => ({ ...flag, ca_provider: 'svc' }))
    const reply = await ask(target, 'GET /v1/connect/ca/roots')
    expect([reply.status, reply.text]).toEqual([500, 'Connect must be enabled in order to use this endpoint'])
    expect((await ask(target, 'GET /v1/agent/connect/ca/leaf/web')).status).toBe(500)
  })

  it('is the service itself, with the key and the times that the file says', async () => {
    const key = await crypto.generateKey('ec-384')
    const { target } = await started(world, () => ({
      enabled: true,
      ca_provider: 'svc',
      ca_config: { cluster_id: cluster, private_key: key.privateKeyPem, leaf_cert_ttl: '2h', rotation_period: '500h' },
    }))
    const { TrustDomain, Roots: all } = await roots(target)
    expect(TrustDomain).toBe(`${cluster}.svc`)
    expect(all.map(({ Name }) => Name)).toEqual(['Svc CA Root Cert'])
    const root = new X509Certificate(all[0]?.RootCert ?? '')
    expect(root.publicKey.export({ type: 'spki', format: 'der' })).toEqual(Buffer.from(key.publicKey))
    expect(await configuration(target)).toMatchObject({
      Provider: 'svc',
      Config: { LeafCertTTL: '2h', RotationPeriod: '500h', PrivateKey: 'hidden' },
    })
    const [own] = await leaf(target)
    expect(own?.checkIssued(root) === true && own.verify(root.publicKey)).toBe(true)
    expect(Date.parse(own?.validTo ?? '') - Date.parse(own?.validFrom ?? '')).toBe(2 * 3_600_000)
  })

  it('is a secrets manager, which has the key of the root and signs every leaf', async () => {
    const external: Connect = (port) => ({
      enabled: true,
      ca_provider: 'vault',
      ca_config: { cluster_id: cluster, ...managerOptions(`http://127.0.0.1:${port}`), LeafCertTTL: '2h' } as Record<
        string,
        Exact
      >,
    })
    const { target } = await started(world, external, true)
    const { Roots: all } = await roots(target)
    expect(all.map(({ Name }) => Name)).toEqual(['Vault CA Root Cert'])
    const root = new X509Certificate(all[0]?.RootCert ?? '')
    expect(await configuration(target)).toMatchObject({
      Provider: 'vault',
      Config: { RootPKIPath: 'mesh-root', IntermediatePKIPath: 'mesh-intermediate', Token: 'hidden' },
    })
    const [own, between] = await leaf(target)
    expect(between?.checkIssued(root) === true && between.verify(root.publicKey)).toBe(true)
    expect(own !== undefined && between !== undefined && own.verify(between.publicKey)).toBe(true)
    expect(own?.subjectAltName).toBe(`URI:spiffe://${cluster}.svc/ns/default/dc/dc1/svc/web`)
  })

  it('is a secrets manager that cannot be reached: the agent leads and serves, and says that the mesh is not available', async () => {
    const external: Connect = (port) => ({
      enabled: true,
      ca_provider: 'vault',
      ca_config: managerOptions(`http://127.0.0.1:${port}`) as Record<string, Exact>,
    })
    const { target } = await started(world, external)
    expect((await ask(target, 'PUT /v1/kv/color', 'blue')).text).toBe('true')
    await target.pause(1_000)
    expect((await ask(target, 'GET /v1/kv/color?raw')).text).toBe('blue')
    const list = await ask(target, 'GET /v1/connect/ca/roots')
    expect(list.status === 200 ? (list.json() as unknown as Roots).Roots : list.text).toEqual([])
    const refused = await ask(target, 'GET /v1/agent/connect/ca/leaf/web')
    expect([refused.status, refused.text]).toEqual([500, 'the mesh has no certificate authority yet'])
  })
})
