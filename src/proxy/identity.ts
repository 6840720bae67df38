import { z } from 'zod'
import { jsonOrUndefined } from '../base/json.ts'
import { lowerAscii } from '../base/letter-case.ts'
import { equalPlain } from '../base/shape.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { ListenerTls, PeerCertificate, TlsOptions } from '../env/net.ts'
import { readSpiffeId, type ServiceId } from '../pki/spiffe.ts'
import { isOfMesh, type TrustDomains, trustDomainsOf } from '../pki/trust-domains.ts'
import type { AgentClient } from './agent-client.ts'
import { Following, LeafExpiry } from './following.ts'

/** Maximum number of roots: there is one for each rotation within the life of a leaf. */
const rootsMax = 64

const rootsAnswer = z.object({
  TrustDomain: z.string().min(1),
  Roots: z
    .array(z.object({ RootCert: z.string(), ExternalTrustDomain: z.string().default('') }))
    .min(1)
    .max(rootsMax),
})

const leafAnswer = z.object({
  CertPEM: z.string().min(1),
  PrivateKeyPEM: z.string().min(1),
  SerialNumber: z.string(),
  ValidAfter: z.string().default(''),
  ValidBefore: z.string().default(''),
})

/** A proxy's own certificate, and the roots by which it verifies others. The same objects while nothing changes. */
export interface Identity {
  readonly domains: TrustDomains
  /** For incoming connections, whose peers must present a certificate. */
  readonly listening: ListenerTls
  /** For outgoing connections. Certificates of a mesh have no DNS names: the dialling proxy checks their URI. */
  readonly dialling: TlsOptions
}

/**
 * The leaf of a service and the trusted roots, as its agent has them. Both are followed: new ones apply to the
 * connections that begin from then on, and open ones stay.
 */
export class MeshIdentity implements Closable {
  readonly #env: Env
  readonly #following: readonly Closable[]
  readonly #service: string
  #leaf: z.infer<typeof leafAnswer> | undefined
  #roots: z.infer<typeof rootsAnswer> | undefined
  #current: Identity | undefined
  readonly #waiting = new Set<() => void>()
  #closed = false
  readonly #watchers = new Set<{ use(identity: Identity): void }>()
  readonly #expiry: LeafExpiry

  constructor(env: Env, api: AgentClient, service: string) {
    this.#env = env
    this.#service = service
    this.#expiry = new LeafExpiry(env, service)
    const leafPath = `/v1/agent/connect/ca/leaf/${encodeURIComponent(service)}`
    this.#following = [
      new Following(env, api, {
        path: '/v1/agent/connect/ca/roots',
        by: 'index',
        take: (body) => this.#rootsTold(rootsAnswer.safeParse(jsonOrUndefined(body)).data),
      }),
      new Following(env, api, {
        path: leafPath,
        by: 'index',
        take: (body) => this.#leafGiven(leafAnswer.safeParse(jsonOrUndefined(body)).data),
      }),
    ]
  }

  /** Undefined: there is no leaf or no root yet. */
  get current(): Identity | undefined {
    return this.#current
  }

  /** Settles when there is one; undefined: it was closed before, or none came within that time. */
  async ready(withinMs?: number): Promise<Identity | undefined> {
    if (this.#current !== undefined || this.#closed) return this.#current
    const { promise, resolve } = this.#env.deferred<void>()
    const end = (): void => resolve()
    const timer = withinMs === undefined ? undefined : this.#env.timers.after(withinMs, end)
    this.#waiting.add(end)
    await promise
    this.#waiting.delete(end)
    timer?.close()
    return this.#closed ? undefined : this.#current
  }

  onChange(use: (identity: Identity) => void): Closable {
    const watcher = { use }
    this.#watchers.add(watcher)
    return { close: () => void this.#watchers.delete(watcher) }
  }

  close(): void {
    this.#closed = true
    for (const one of this.#following) one.close()
    this.#expiry.close()
    for (const wake of [...this.#waiting]) wake()
  }

  #rootsTold(roots: z.infer<typeof rootsAnswer> | undefined): string | undefined {
    if (roots === undefined) return 'there are no roots in the answer yet'
    return this.#take(this.#leaf, roots)
  }

  #leafGiven(leaf: z.infer<typeof leafAnswer> | undefined): string | undefined {
    if (leaf === undefined) return 'there is no leaf in the answer'
    return this.#take(leaf, this.#roots)
  }

  /** Unusable data are not applied: the proxy continues with what it has. */
  #take(leaf = this.#leaf, roots = this.#roots): string | undefined {
    if (leaf === undefined || roots === undefined) {
      this.#leaf = leaf
      this.#roots = roots
      return undefined
    }
    // A blocking read whose time is up brings the same again.
    const isSame = this.#current !== undefined && equalPlain(this.#leaf, leaf) && equalPlain(this.#roots, roots)
    if (isSame) return undefined
    const tls: TlsOptions = {
      certificateChainPem: leaf.CertPEM,
      privateKeyPem: leaf.PrivateKeyPEM,
      trustedPems: roots.Roots.map(({ RootCert }) => RootCert),
    }
    const problem = this.#env.tcp.tlsProblem(tls)
    if (problem !== undefined) return `the answer of the agent cannot be used: ${problem}`
    const isNewLeaf = this.#leaf?.CertPEM !== leaf.CertPEM
    this.#leaf = leaf
    this.#roots = roots
    const clusterIds = roots.Roots.map(({ ExternalTrustDomain }) => ExternalTrustDomain)
    this.#current = {
      domains: trustDomainsOf(roots.TrustDomain, clusterIds),
      listening: { ...tls, requirePeerCertificate: true },
      dialling: { ...tls, anyName: true },
    }
    if (isNewLeaf) {
      const fields = { service: this.#service, serial: leaf.SerialNumber }
      this.#env.log.write('info', 'proxy', 'There is a new leaf certificate', fields)
      this.#expiry.follow(leaf)
    }
    for (const wake of [...this.#waiting]) wake()
    for (const { use } of [...this.#watchers]) use(this.#current)
    return undefined
  }
}

/** The service that a proxy must find at the other end. */
export interface Expected {
  readonly service: string
  readonly datacenter: string
}

/**
 * The one service of this mesh that a certificate is for; undefined: it is for none, for several, or for one of another
 * mesh.
 */
export function serviceOf(
  peer: PeerCertificate | undefined,
  domains: TrustDomains,
): { readonly uri: string; readonly id: ServiceId } | undefined {
  const [uri, ...others] = peer?.uris ?? []
  if (uri === undefined || others.length > 0) return undefined
  const id = readSpiffeId(uri)
  if (!id.ok || id.value.kind !== 'service' || !isOfMesh(domains, id.value.trustDomain)) return undefined
  return { uri, id: id.value }
}

/** Names are compared without case, as in the catalog. */
export function isSameName(a: string, b: string): boolean {
  return lowerAscii(a) === lowerAscii(b)
}

export function isExpected({ namespace, datacenter, service }: ServiceId, expected: Expected): boolean {
  if (namespace !== 'default') return false
  return isSameName(datacenter, expected.datacenter) && isSameName(service, expected.service)
}
