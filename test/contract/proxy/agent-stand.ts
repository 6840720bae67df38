import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { KeyKind } from '../../../src/env/crypto.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpRequest, HttpResponse } from '../../../src/env/http.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { type Certificate, readCertificate } from '../../../src/pki/certificate.ts'
import { signCrossing, signLeaf, signRoot } from '../../../src/pki/mesh-certificates.ts'
import { certificatePem } from '../../../src/pki/pem.ts'
import { serviceUri, signingUri } from '../../../src/pki/spiffe.ts'
import type { Issuer } from '../../../src/pki/tls-certificate.ts'
import { got } from '../env/observed.ts'

const trustDomain = '11111111-0000-4000-8000-000000000000.svc'
const hourMs = 3_600_000

interface Told {
  index: number
  json: unknown
}

/** What a proxy asks of the agent beside it, and an authority behind it; all that it tells can be changed. */
export class AgentStand {
  readonly #env: Env
  readonly #told = new Map<string, Told>()
  #waiting: (() => void)[] = []
  #serial = 0n
  #roots: { readonly issuer: Issuer; readonly pem: string; readonly crossings: readonly string[] }[] = []
  /** May connect to which; by default all may. */
  readonly denied = new Set<string>()
  /** What was asked of it, by method and path. */
  readonly asked: string[] = []
  /** Answers 500 from now on. */
  broken = false
  at: Endpoint = { host: '', port: 0 }

  constructor(env: Env) {
    this.#env = env
  }

  static async open(env: Env, host: string): Promise<AgentStand> {
    const stand = new AgentStand(env)
    await stand.rotate('ec-256')
    stand.at = (await got(env.http.serve({ host, port: 0 }, (request) => stand.#answer(request)))).local
    return stand
  }

  /** A root of that kind takes over, certified by the one before. What is there already follows in its own time. */
  async rotate(kind: KeyKind): Promise<void> {
    const { crypto } = this.#env
    const key = await crypto.generateKey(kind)
    const wishes = { ...this.#term(1_000), commonName: `Svc CA ${this.#serial}`, uri: signingUri(trustDomain) }
    const certificate = parsed(signRoot(crypto, key, wishes))
    const before = this.#roots.at(-1)
    const crossings =
      before === undefined
        ? []
        : [certificatePem(signCrossing(crypto, before.issuer, certificate, this.#term(100))), ...before.crossings]
    this.#roots.push({ issuer: { certificate, key }, pem: certificatePem(certificate.der), crossings })
  }

  /** What of the authority proxies are told now: `roots` how many of the newest they trust. */
  tellRoots(): void {
    const Roots = this.#roots.map(({ pem }) => ({ RootCert: pem }))
    this.tell('/v1/agent/connect/ca/roots', { TrustDomain: trustDomain, Roots })
  }

  async tellLeaf(service: string, uri = this.uriOf(service)): Promise<void> {
    this.tell(`/v1/agent/connect/ca/leaf/${service}`, await this.leaf(uri))
  }

  uriOf(service: string): string {
    return serviceUri({ trustDomain, namespace: 'default', datacenter: 'dc1', service })
  }

  async leaf(uri: string) {
    const { crypto } = this.#env
    const root = this.#roots.at(-1)
    if (root === undefined) throw new Error('there is no root')
    const key = await crypto.generateKey('ec-256')
    const wishes = { ...this.#term(72), publicKey: key.publicKey, keyKind: 'ec' as const, commonName: 'leaf', uri }
    const leaf = certificatePem(signLeaf(crypto, root.issuer, wishes))
    return {
      SerialNumber: String(this.#serial),
      CertPEM: [leaf, ...root.crossings].join(''),
      PrivateKeyPEM: key.privateKeyPem,
    }
  }

  tellInstances(service: string, instances: readonly { readonly at: Endpoint; readonly service?: string }[]): void {
    const entries = instances.map(({ at, service: destination = service }) => ({
      Node: { Address: at.host, Datacenter: 'dc1' },
      Service: {
        Kind: 'connect-proxy',
        Service: `${destination}-proxy`,
        Address: '',
        Port: at.port,
        Proxy: { DestinationServiceName: destination },
      },
    }))
    this.tell(`/v1/health/connect/${service}`, entries)
    this.tell(`/v1/query/${service}/execute`, { Nodes: entries })
  }

  tell(path: string, json: unknown): void {
    const before = this.#told.get(path)
    this.#told.set(path, { index: (before?.index ?? 1) + 1, json })
    for (const wake of this.#waiting.splice(0)) wake()
  }

  #term(hours: number) {
    this.#serial++
    const nowMs = this.#env.clock.wallMs()
    return { serial: this.#serial, notBeforeMs: nowMs - hourMs, notAfterMs: nowMs + hours * hourMs }
  }

  async #answer({ method, target, body }: HttpRequest): Promise<HttpResponse> {
    const [path = '', query = ''] = target.split('?')
    this.asked.push(`${method} ${path}`)
    if (this.broken) return { status: 500, headers: [], body: 'broken' }
    if (path === '/v1/agent/connect/authorize') return json(this.#authorized(body as Uint8Array))
    const index = Number(/(?:^|&)(?:index|hash)=(\d+)/.exec(query)?.[1] ?? 0)
    while (index > 0 && this.#told.get(path)?.index === index) await this.#changed()
    const told = this.#told.get(path)
    if (told === undefined) return { status: method === 'PUT' ? 200 : 404, headers: [], body: '' }
    return json(told.json, told.index)
  }

  #authorized(body: Uint8Array): object {
    const { ClientCertURI } = JSON.parse(textOf(body)) as { ClientCertURI: string }
    const Authorized = ![...this.denied].some((service) => ClientCertURI === this.uriOf(service))
    return { Authorized, Reason: Authorized ? 'allowed' : 'denied' }
  }

  #changed(): Promise<void> {
    const { promise, resolve } = this.#env.deferred<void>()
    this.#waiting.push(() => resolve())
    return promise
  }
}

function json(value: unknown, index = 0): HttpResponse {
  const headers =
    index === 0 ? [] : [['X-Svc-Index', String(index)] as const, ['X-Svc-Contenthash', String(index)] as const]
  return { status: 200, headers, body: utf8(JSON.stringify(value)) }
}

function parsed(der: Uint8Array): Certificate {
  const read = readCertificate(der)
  if (!read.ok) throw new Error(read.error)
  return read.value
}
