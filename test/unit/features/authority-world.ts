import { unrestricted } from '../../../src/access/authorizer.ts'
import { textOf } from '../../../src/base/bytes.ts'
import { writeJson } from '../../../src/base/json.ts'
import { err, type Result } from '../../../src/base/result.ts'
import type { SigningKey } from '../../../src/env/crypto.ts'
import type { Env } from '../../../src/env/env.ts'
import { AuthorityDuty, authorityDuty } from '../../../src/features/connect/duty.ts'
import type { AuthorityForecast, IssuedLeaf, ProviderOptions, RootRow } from '../../../src/features/connect/model.ts'
import { builtInKindOf } from '../../../src/features/connect/provider/built-in.ts'
import type { ProviderKind } from '../../../src/features/connect/provider/provider.ts'
import { providerKinds } from '../../../src/features/connect/provider/providers.ts'
import * as views from '../../../src/features/connect/views.ts'
import type { WriteIdentity } from '../../../src/features/contract/command.ts'
import type { HttpMethod } from '../../../src/features/contract/route.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { failureStatus } from '../../../src/http/failure-status.ts'
import { type Failure, failureText } from '../../../src/model/failure.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { type Certificate, readCertificates } from '../../../src/pki/certificate.ts'
import { verifyChain } from '../../../src/pki/chain.ts'
import { makeRequest, requestPem } from '../../../src/pki/request.ts'
import { HandClock, settled } from './hand-clock.ts'
import { LoneServer } from './lone-server.ts'

export const clusterId = '11111111-2222-3333-4444-555555555555'
export const trustDomain = `${clusterId}.svc`
export const hourMs = 3_600_000

/** 2026-01-01: what certificates say is then in years of four digits. */
const epochMs = 1_767_225_600_000

/** One server with a mesh, whose leader can be lost after any command. */
export class AuthorityWorld {
  readonly clock = new HandClock()
  readonly server: LoneServer
  readonly metrics: string[] = []
  readonly logged: { readonly text: string; readonly fields: unknown }[] = []
  readonly committed: string[] = []
  /** The leader is lost when a command of this kind has committed, and another one takes over. */
  crashAfter: string | undefined
  /** Milliseconds by which the leader's wall clock is wrong. */
  wrongByMs = 0
  #leader: AuthorityDuty | undefined
  readonly #kinds: readonly ProviderKind[]
  readonly #key: SigningKey = hostCrypto.makeSigningKey()

  constructor(options: ProviderOptions = {}, kinds: readonly ProviderKind[] = providerKinds(svcNaming)) {
    this.#kinds = kinds
    this.server = new LoneServer(this.#env())
    const mesh = { enabled: true, provider: 'svc', options, clusterId, dnsDomain: 'SVC.' }
    this.server.mesh = { ...mesh, leavesPerSecond: 50 }
    const { propose } = this.server.context
    const crashing: typeof propose = async (command, body, identity) => {
      const done = await propose(command, body, identity)
      this.committed.push(command.kind)
      if (this.crashAfter !== command.kind) return done
      this.crashAfter = undefined
      this.change()
      return err({ kind: 'outcome-unknown', message: 'the leader was lost' })
    }
    Object.assign(this.server.context, { propose: crashing })
  }

  static async begun(...args: ConstructorParameters<typeof AuthorityWorld>): Promise<AuthorityWorld> {
    const world = new AuthorityWorld(...args)
    world.lead()
    await world.rest()
    return world
  }

  get nowMs(): number {
    return epochMs + this.clock.env.clock.monoMs()
  }

  get roots(): readonly RootRow[] {
    return [...views.rootsByAge(this.server.read())]
  }

  get active(): RootRow {
    const root = views.activeRoot(this.server.read())
    if (root === undefined) throw new Error('no root is active')
    return root
  }

  lead(): void {
    this.server.begin(authorityDuty, (server) => {
      this.#leader = new AuthorityDuty(server, this.#kinds)
      return this.#leader
    })
  }

  /** Another leader. */
  change(): void {
    this.server.resign()
    this.lead()
  }

  /** Until nothing moves any more at this time. */
  async rest(): Promise<void> {
    for (let quiet = 0, seen = -1; quiet < 3; ) {
      await settled()
      await this.clock.advance(0)
      quiet = seen === this.committed.length ? quiet + 1 : 0
      seen = this.committed.length
    }
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms)
    await this.rest()
  }

  /** Lets time pass, a little at a time, until it is there. */
  async #moved<T>(work: Promise<T>): Promise<T> {
    let isThere = false
    const done = work.then((value) => {
      isThere = true
      return value
    })
    for (let turns = 0; !isThere && turns < 2_000; turns++) {
      await settled()
      if (!isThere) await this.clock.advance(10)
    }
    return done
  }

  async request(line: string, body = ''): Promise<{ readonly status: number; readonly text: string }> {
    const [method = '', target = ''] = line.split(' ')
    const answer = await this.server.request(method as HttpMethod, target, body)
    switch (answer.kind) {
      case 'failure':
        return { status: failureStatus[answer.failure.kind], text: failureText(answer.failure) }
      case 'json':
        return { status: answer.status ?? 200, text: writeJson(answer.value) }
      case 'empty':
        return { status: answer.status, text: '' }
      default:
        return { status: 200, text: 'bytes' in answer ? textOf(answer.bytes as Uint8Array) : '' }
    }
  }

  /** A change of the configuration, tried again at the next leader as an agent does it. */
  async update(
    options: ProviderOptions,
    { provider = 'svc', onlyAt = null, identity }: UpdateWishes = {},
  ): Promise<Result<boolean, Failure>> {
    for (let attempt = 0; attempt < 12; attempt++) {
      if (this.#leader === undefined) throw new Error('nobody leads')
      const done = await this.#moved(this.#leader.update({ provider, options, onlyAt }, identity))
      const isLost = !done.ok && (done.error.kind === 'not-leader' || done.error.kind === 'outcome-unknown')
      if (!isLost) return done
      await settled()
    }
    throw new Error('twelve leaders were lost')
  }

  csr(uris: readonly string[], authority = false): string {
    return requestPem(makeRequest(this.#key, { commonName: 'whatever', uris, authority }))
  }

  sign(service: string): Promise<Result<IssuedLeaf, Failure>> {
    return this.signRequest(this.csr([`spiffe://${trustDomain}/ns/default/dc/dc1/svc/${service}`]))
  }

  async signRequest(pem: string): Promise<Result<IssuedLeaf, Failure>> {
    if (this.#leader === undefined) throw new Error('nobody leads')
    return this.#moved(this.#leader.sign(pem, unrestricted))
  }

  forecast(): AuthorityForecast {
    if (this.#leader === undefined) throw new Error('nobody leads')
    return this.#leader.forecast()
  }

  #env(): Env {
    return {
      ...this.clock.env,
      clock: { monoMs: this.clock.env.clock.monoMs, wallMs: () => this.nowMs + this.wrongByMs },
      // As quick as any other call: nothing is awaited but what the test moves.
      crypto: { ...hostCrypto, generateKey: async () => hostCrypto.makeSigningKey() },
      log: {
        ...this.clock.env.log,
        write: (_level, _topic, text, fields) => this.logged.push({ text, fields }),
        enabled: () => true,
      },
      metrics: {
        count: (name) => this.metrics.push(name),
        gauge: (name, value) => this.metrics.push(`${name} ${value}`),
        sample: () => {},
        snapshot: () => [],
      },
    }
  }
}

interface UpdateWishes {
  readonly provider?: string
  readonly onlyAt?: number | null
  readonly identity?: WriteIdentity
}

export function granted(leaf: Result<IssuedLeaf, Failure>): IssuedLeaf {
  if (!leaf.ok) throw new Error(failureText(leaf.error))
  return leaf.value
}

/** Why a client with these roots refuses the leaf; undefined: it is accepted. */
export function refusal(
  leaf: IssuedLeaf,
  roots: readonly RootRow[],
  atMs: number,
  domain: { readonly trustDomain?: string } = { trustDomain },
): string | undefined {
  const [certificate, ...between] = certificatesOf(leaf.certificates)
  if (certificate === undefined) return 'there is no certificate'
  const trusted = roots.flatMap((root) => certificatesOf(root.certificate))
  const chain = verifyChain(hostCrypto, certificate, between, trusted, { atMs, usage: 'server', ...domain })
  return chain.ok ? undefined : chain.error
}

export function certificatesOf(pem: string): readonly Certificate[] {
  const read = readCertificates(pem)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

export const anotherKey = (): string => hostCrypto.makeSigningKey().privateKeyPem

export const builtInKind = builtInKindOf(svcNaming)

export const minuteMs = 60_000
