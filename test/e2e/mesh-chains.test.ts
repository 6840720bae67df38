import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostCrypto } from '../../src/host/crypto.ts'
import { type Certificate, readCertificates } from '../../src/pki/certificate.ts'
import { verifyChain } from '../../src/pki/chain.ts'
import { opensslIsThere } from '../contract/host/tls-material.ts'
import { type End, handshakeProblem, opensslSays } from '../unit/pki/judges.ts'
import { eventually, freePorts, leads, makeWorkplace, RealAgent, type Workplace, writeConfig } from './real-agent.ts'

/** A leaf as an agent gave it, with what its proxy shows behind it. */
interface Given {
  readonly service: string
  readonly uri: string
  readonly certificate: Certificate
  readonly intermediates: readonly Certificate[]
  readonly key: { readonly privateKeyPem: string }
  /** Which of all roots has signed it, the oldest being 0. */
  readonly root: number
}

interface RootsAnswer {
  readonly ActiveRootID: string
  readonly TrustDomain: string
  readonly Roots: readonly {
    readonly ID: string
    readonly RootCert: string
    readonly IntermediateCerts: readonly string[] | null
    readonly Active: boolean
    readonly SerialNumber: number
  }[]
}

interface LeafAnswer {
  readonly CertPEM: string
  readonly PrivateKeyPEM: string
  readonly Service: string
  readonly ServiceURI: string
}

let workplace: Workplace
let agents: readonly RealAgent[] = []
/** What the roots were at first, after the first rotation, and after the second. */
const lists: RootsAnswer[] = []
/** The same roots as certificates, the oldest first. */
let roots: readonly Certificate[] = []
let given: readonly Given[] = []
/** How many of them came before, during and after the rotations. */
const counts = { before: 0, during: 0, after: 0 }

const read = (pem: string): readonly Certificate[] => {
  const certificates = readCertificates(pem)
  if (!certificates.ok) throw new Error(`${certificates.error}: ${pem}`)
  return certificates.value
}

async function start(name: string, more: object): Promise<RealAgent> {
  const ports = await freePorts()
  const config = { node_name: name, data_dir: join(workplace.path, name), bind_addr: '127.0.0.1', ports, ...more }
  const file = writeConfig(workplace.path, `${name}.json`, { ...config, performance: { raft_multiplier: 1 } })
  const agent = new RealAgent(`127.0.0.1:${ports.http}`, [`-config-file=${file}`])
  agents = [...agents, agent]
  pools.push(`127.0.0.1:${ports.serf_lan}`)
  return agent
}

/** Where each agent's pool is, in the order in which they were started. */
const pools: string[] = []

function rootsOf(agent: RealAgent): Promise<RootsAnswer> {
  return eventually('an active root', async () => {
    const answer = await agent.json<RootsAnswer>('/v1/connect/ca/roots')
    return answer === undefined || answer.ActiveRootID === '' ? undefined : answer
  })
}

const answers: LeafAnswer[] = []
let services = 0

/** A leaf that no agent has yet: it is signed now. */
async function takeLeaf(): Promise<void> {
  const service = `web-${services}`
  const agent = agents[services++ % agents.length] as RealAgent
  const answer = await eventually(`a leaf of ${service}`, () =>
    agent.json<LeafAnswer>(`/v1/agent/connect/ca/leaf/${service}`),
  )
  answers.push(answer)
}

async function rotate(server: RealAgent, config: object): Promise<void> {
  let isOver = false
  const asked = server
    .request('PUT', '/v1/connect/ca/configuration', JSON.stringify({ Provider: 'svc', Config: config }))
    .finally(() => {
      isOver = true
    })
  const before = answers.length
  while (!isOver) await takeLeaf()
  const response = await asked
  expect([response.status, await response.text()]).toEqual([200, ''])
  counts.during += answers.length - before
  lists.push(await rootsOf(server))
  await takeLeaf()
  await takeLeaf()
}

/** From curve to curve, and from a curve to RSA. */
beforeAll(async () => {
  workplace = makeWorkplace()
  const mesh = { connect: { enabled: true } }
  const server = await start('s1', { server: true, bootstrap_expect: 1, ...mesh })
  lists.push(await rootsOf(server))
  const client = await start('c1', { retry_join: pools.slice(0, 1), retry_interval: '200ms', ...mesh })
  await leads(client)
  for (let n = 0; n < 4; n++) await takeLeaf()
  counts.before = answers.length
  await rotate(server, { PrivateKeyType: 'ec', PrivateKeyBits: 384 })
  await rotate(server, { PrivateKeyType: 'rsa', PrivateKeyBits: 2048 })
  counts.after = answers.length - counts.before - counts.during
  const [, , last] = lists as [RootsAnswer, RootsAnswer, RootsAnswer]
  const order = lists.map(({ ActiveRootID }) => last.Roots.find(({ ID }) => ID === ActiveRootID)?.RootCert ?? '')
  roots = order.flatMap(read)
  given = answers.map(givenOf)
})

afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop('SIGKILL')))
  workplace.remove()
})

function givenOf({ CertPEM, PrivateKeyPEM, Service, ServiceURI }: LeafAnswer): Given {
  const [certificate, ...intermediates] = read(CertPEM)
  if (certificate === undefined) throw new Error('no leaf')
  const key = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex')
  const root = roots.findIndex(({ subjectKeyId }) => key(subjectKeyId) === key(certificate.authorityKeyId))
  return { service: Service, uri: ServiceURI, certificate, intermediates, key: { privateKeyPem: PrivateKeyPEM }, root }
}

/**
 * The sets of roots that a leaf's verifiers may trust: a verifier that does not know its root yet trusts an older one;
 * one that trusts only younger roots comes later.
 */
function legalStores(of: Given): readonly (readonly Certificate[])[] {
  const sets = Array.from({ length: 2 ** roots.length - 1 }, (_, mask) => mask + 1)
  return sets
    .filter((set) => roots.some((_, at) => at <= of.root && ((set >> at) & 1) === 1))
    .map((set) => roots.filter((_, at) => ((set >> at) & 1) === 1))
}

describe('chains of a mesh whose root is changed twice', () => {
  it('were handed out before, during and after, under each of the three roots', () => {
    expect(roots).toHaveLength(3)
    expect(Math.min(counts.before, counts.during, counts.after)).toBeGreaterThan(0)
    expect(new Set(given.map(({ root }) => root))).toEqual(new Set([0, 1, 2]))
    expect(roots.map(({ keyKind, keyBits }) => `${keyKind} ${keyBits}`)).toEqual(['ec 256', 'ec 384', 'rsa 2048'])
  })

  it('[CA-001] lead to the roots of the cluster, whichever agent gave them', () => {
    const trustDomain = lists[0]?.TrustDomain ?? ''
    for (const each of given) {
      expect(each.uri).toBe(`spiffe://${trustDomain}/ns/default/dc/dc1/svc/${each.service}`)
      expect(each.certificate.uris).toEqual([each.uri])
      for (const store of legalStores(each)) {
        for (const usage of ['server', 'client'] as const) {
          const question = { atMs: Date.now(), usage, trustDomain }
          expect(verifyChain(hostCrypto, each.certificate, each.intermediates, store, question)).toMatchObject({
            ok: true,
          })
        }
      }
    }
  })

  it('[CA-029] [CA-030] are accepted by openssl with every store of roots that a verifier may have', (context) => {
    if (!opensslIsThere()) context.skip('the openssl command, which judges the chains, is not there')
    for (const root of [0, 1, 2]) {
      const group = given.filter((each) => each.root === root)
      // One file stands for what all of them have behind the leaf: it must be the same.
      const between = group[0]?.intermediates ?? []
      for (const each of group) expect(each.intermediates.map(({ pem }) => pem)).toEqual(between.map(({ pem }) => pem))
      for (const [at, store] of (group[0] === undefined ? [] : legalStores(group[0])).entries()) {
        const leaves = group.map(({ certificate }) => certificate)
        const purpose = at % 2 === 0 ? 'sslserver' : 'sslclient'
        expect(opensslSays(leaves, between, store, purpose)).toEqual(leaves.map(() => undefined))
      }
    }
  })

  it('[CA-023] [CA-027] are accepted on both sides of a mutual handshake, whatever either side has heard of', async () => {
    const ends = [0, 1, 2].flatMap((root) => given.filter((each) => each.root === root).slice(0, 2))
    const shown = (of: Given, trusted: readonly Certificate[]): End => ({
      leaf: of,
      intermediates: of.intermediates,
      roots: trusted,
    })
    let handshakes = 0
    for (const [at, listener] of ends.entries()) {
      const dialler = ends[(at + 2) % ends.length] as Given
      for (const store of legalStores(listener)) {
        // Each verifies the other: the store of one must be legal for the leaf of the other.
        const other = legalStores(dialler)[handshakes % legalStores(dialler).length] ?? []
        expect(await handshakeProblem(shown(listener, other), shown(dialler, store))).toBeUndefined()
        handshakes++
      }
    }
    expect(handshakes).toBeGreaterThan(20)
  })

  it('[CA-019] [CA-022] [CA-043] carry crossings, which the older roots have signed, from the first rotation on', () => {
    for (const { root, intermediates } of given) {
      expect(intermediates.map(({ commonName }) => commonName)).toEqual(
        roots
          .slice(1, root + 1)
          .toReversed()
          .map(({ commonName }) => commonName),
      )
      for (const [at, each] of intermediates.entries()) {
        const [own, older] = [roots[root - at], roots[root - at - 1]]
        expect(new X509Certificate(each.pem).verify(new X509Certificate(older?.pem ?? '').publicKey)).toBe(true)
        expect(each.publicKey).toEqual(own?.publicKey)
        expect(each.subject).toEqual(own?.subject)
      }
    }
    for (const [at, list] of lists.entries()) {
      const carried = list.Roots.filter(({ IntermediateCerts }) => IntermediateCerts !== null)
      const active = carried.find(({ Active }) => Active)
      expect(active?.IntermediateCerts ?? []).toHaveLength(at)
      expect(carried.filter(({ Active }) => !Active)).toEqual([])
    }
  })

  it('[CA-021] come from the new root as soon as the change has been answered', () => {
    const afterFirst = given.slice(counts.before).findIndex(({ root }) => root === 1)
    expect(afterFirst).toBeGreaterThanOrEqual(0)
    // Never back to a root that has been left.
    const order = given.map(({ root }) => root)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order.slice(-2)).toEqual([2, 2])
  })

  it('[CA-025] are verified against a list in which one root alone is active', () => {
    expect(lists.map(({ Roots }) => Roots.length)).toEqual([1, 2, 3])
    for (const { Roots, ActiveRootID } of lists) {
      expect(Roots.filter(({ Active }) => Active).map(({ ID }) => ID)).toEqual([ActiveRootID])
    }
  })
})
