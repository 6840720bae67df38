import type { Marks } from '../marks.ts'
import type { Report } from '../violation.ts'
import {
  type Chains,
  type ListedRoot,
  type MeshTime,
  momentText,
  type RootSet,
  type RotationStep,
  type SeenCertificate,
  type SeenLeaf,
  type Span,
  trueWallMs,
} from './mesh-facts.ts'
import { MeshRoots } from './mesh-roots.ts'
import { isAccepted, MeshRotation, type RotationFacts } from './mesh-rotation.ts'
import { MeshSecrets } from './mesh-secrets.ts'
import { MeshTrust } from './mesh-trust.ts'

/** Around the end of a certificate it is looked at what still holds: this long before and after. */
const edgeMs = 1_000
/** Configurations that are remembered, the latest of them. */
const configurationsMax = 64
/** Pairs of leaf and roots that are known to fit. */
const acceptedMax = 8192

/** A root as the replicated state has it: PEM. */
export interface RootText {
  readonly id: string
  readonly active: boolean
  readonly generation: number
  readonly certificate: string
  readonly intermediates: readonly string[]
}

/** What the authority is, right after a command that changed it. */
export interface MeshState {
  readonly roots: readonly RootText[]
  readonly rotations: readonly RotationFacts[]
  /** Private keys, PEM. */
  readonly signingKeys: readonly string[]
  /** Provider and options, secrets and all; undefined: it has not begun. */
  readonly configuration: AuthorityConfiguration | undefined
}

export interface AuthorityConfiguration {
  readonly provider: string
  readonly options: Readonly<Record<string, unknown>>
}

/** What happens to the authority that faults may wait for. */
export type MeshEvent =
  | 'rotation begun'
  | 'root requested'
  | 'root crossed'
  | 'root activated'
  | 'leaf recorded'
  | 'root removed'

const eventOf: Readonly<Partial<Record<RotationStep, MeshEvent>>> = {
  begun: 'rotation begun',
  requested: 'root requested',
  crossed: 'root crossed',
}

/** One end of a connection between proxies: the leaf that it presents, the roots that it trusts, and what its clock shows. */
export interface ConnectionEnd {
  readonly name: string
  readonly leaf: SeenLeaf
  readonly roots: ProxyRoots
  readonly wallMs: number
}

/** Roots as an agent tells them. */
export interface ProxyRoots {
  /** As of `RootSet`. */
  readonly key: string
  readonly certificates: readonly SeenCertificate[]
}

export interface MeshParts extends MeshTime {
  readonly chains: Chains
  readonly marks: Marks
  /** Keys of roots that were lost when a snapshot was restored: those of all datacenters share them. */
  readonly lostKeys: Set<string>
  /** Calls `then` after so much true time. */
  readonly after: (delayMs: number, then: () => void) => void
}

/** Every invariant of one mesh. Servers report the state to it; proxies report the leaves and roots they received and their connections. */
export class MeshLaws {
  readonly secrets: MeshSecrets
  readonly rotation: MeshRotation
  readonly #report: Report
  readonly #parts: MeshParts
  readonly #trust: MeshTrust
  readonly #roots: MeshRoots
  #listed: RootSet | undefined
  /** Ends of certificates around which all is looked at. */
  readonly #edges = new Set<number>()
  readonly #signing = new Set<string>()
  readonly #configurations: string[] = []
  /** By leaf and roots: when these accept that one. */
  readonly #accepted = new Map<string, Span>()
  #leaves = 0
  #connections = 0

  constructor(report: Report, parts: MeshParts) {
    this.#report = report
    this.#parts = parts
    this.secrets = new MeshSecrets(report)
    this.rotation = new MeshRotation(report)
    this.#trust = new MeshTrust(report, parts.chains, parts, parts.lostKeys)
    this.#roots = new MeshRoots(report, parts, parts.lostKeys)
  }

  get rootsListed(): number {
    return this.#listed?.roots.length ?? 0
  }

  /** Leaves that have come from agents. */
  get leavesSeen(): number {
    return this.#leaves
  }

  /** Handshakes that were made. */
  get connectionsMade(): number {
    return this.#connections
  }

  /** A command changed the authority; what of that faults may wait for. */
  changed(state: MeshState): readonly MeshEvent[] {
    const before = this.rotation.step
    this.#secretsOf(state)
    this.#configured(state)
    this.rotation.changed(state.rotations, this.#listed?.roots.find((root) => root.active)?.id)
    const events: MeshEvent[] = []
    const { step } = this.rotation
    const event = step === undefined || step === before ? undefined : eventOf[step]
    if (event !== undefined) events.push(event)
    return [...events, ...this.#published(state.roots)]
  }

  /** Another state took the place of the one before. */
  replaced(state: MeshState): void {
    this.#secretsOf(state)
    this.#configured(state)
    this.rotation.replaced(state.rotations)
    this.#trust.replaced(state.roots.flatMap((text) => this.#rootOf(text) ?? []))
    this.#roots.replaced()
    this.#listed = undefined
    this.#published(state.roots)
  }

  /** Leaves of this root are about to be signed: true for the first of them. */
  recorded(rootId: string): boolean {
    if (this.#signing.has(rootId)) return false
    this.#signing.add(rootId)
    return true
  }

  /** A leaf as an agent gave it, PEM; undefined: it cannot be read, which is told. */
  given(holder: string, service: string, certificates: string, privateKey: string): SeenLeaf | undefined {
    this.secrets.leafKey(service, privateKey)
    const [certificate, ...between] = this.#parts.chains.read(certificates) ?? []
    if (certificate === undefined) {
      this.#report('C1', `${holder} was given a leaf that nobody can read`)
      return undefined
    }
    this.#isFor(service, holder, certificate)
    const leaf = { holder, certificate, between }
    this.#leaves++
    this.#roots.leaf(leaf)
    this.#trust.held(leaf)
    this.#edge(certificate.notAfterMs)
    return leaf
  }

  /** Roots as an agent told them: IDs and PEM. */
  told(
    agent: string,
    activeId: string,
    roots: readonly { readonly id: string; readonly active: boolean; readonly certificate: string }[],
  ): ProxyRoots {
    const active = roots.filter((root) => root.active).map(({ id }) => id)
    if (roots.length > 0 && (active.length !== 1 || active[0] !== activeId)) {
      this.#report(
        'C2',
        `${agent} tells of the active root ${activeId}, and lists as active: ${active.join(', ') || 'none'}`,
      )
    }
    const certificates = roots.flatMap(({ certificate }) => this.#parts.chains.read(certificate) ?? [])
    return { key: keyOf(roots), certificates }
  }

  /**
   * Whether two have come to be connected: each verifies the other. Where they must and cannot, C1 is broken. The other may be of
   * another datacenter: they owe each other nothing before both have come to be of one mesh.
   */
  met(one: ConnectionEnd, other: ConnectionEnd, elsewhere: MeshLaws = this): boolean {
    const problem = this.#refusal(one, other) ?? this.#refusal(other, one)
    if (problem === undefined) {
      this.#connections++
      return true
    }
    const isOwed = elsewhere === this || (knowsMeshOf(one, other) && knowsMeshOf(other, one))
    if (isOwed && this.#isLawful(one) && elsewhere.#isLawful(other)) this.#report('C1', problem)
    return false
  }

  /** Whether this is a leaf of the active root that has not expired, and these are the roots that are listed. */
  isCurrent(leaf: SeenLeaf, roots: ProxyRoots): boolean {
    const active = this.#listed?.roots.find((root) => root.active)
    const chain = [leaf.certificate, ...leaf.between]
    return (
      roots.key === this.#listed?.key &&
      leaf.certificate.notAfterMs > trueWallMs(this.#parts) &&
      chain.some(({ issuerKeyId }) => issuerKeyId === active?.certificate.keyId)
    )
  }

  /** Whether the configuration has ever been this, or a change to it was accepted, since it was the `from`-th. */
  wasConfigured(from: number, configuration: AuthorityConfiguration): boolean {
    return this.#configurations.slice(Math.max(0, from - 1)).includes(textOf(configuration))
  }

  get configurationCount(): number {
    return this.#configurations.length
  }

  /** It names the service that it was asked for, and nothing else. Reference: mesh.md#spiffe-service. */
  #isFor(service: string, holder: string, { serial, uris }: SeenCertificate): void {
    const [uri = '', ...more] = uris
    if (more.length === 0 && /^spiffe:\/\/[^/]+\/ns\/[^/]+\/dc\/[^/]+\/svc\/([^/]+)$/.exec(uri)?.[1] === service) return
    this.#report('C1', `${holder} was given leaf ${serial}, which is for ${uris.join(' and ') || 'nobody'}`)
  }

  #refusal(verifier: ConnectionEnd, peer: ConnectionEnd): string | undefined {
    const { certificate, between } = peer.leaf
    const { wallMs, roots } = verifier
    const name = `${certificate.identity} ${roots.key}`
    const span = this.#accepted.get(name)
    if (span !== undefined && span.fromMs <= wallMs && wallMs <= span.toMs) return undefined
    const path = this.#parts.chains.path(certificate, between, roots.certificates, wallMs)
    const isCrossed = verifier.roots.certificates.every(({ keyId }) => keyId !== certificate.issuerKeyId)
    if (path.ok && isCrossed) this.#parts.marks.reach('met over a crossing')
    if (path.ok) {
      if (this.#accepted.size >= acceptedMax) this.#accepted.clear()
      this.#accepted.set(name, path.value)
      return undefined
    }
    const at = momentText(wallMs, this.#parts)
    return `${verifier.name} does not accept ${peer.name}, leaf ${certificate.serial}, at ${at} by its clock: ${path.error}`
  }

  /** A leaf that lives by every clock, whose root was not lost, roots that one may have, and a clock that is as right as it must be. */
  #isLawful({ leaf, roots, wallMs }: ConnectionEnd): boolean {
    const nowMs = trueWallMs(this.#parts)
    const halfMs = this.#parts.skewMs / 2
    if (Math.abs(wallMs - nowMs) > halfMs) return false
    if (leaf.certificate.notAfterMs <= nowMs + halfMs || this.#trust.isLost(leaf)) return false
    return this.#trust.isLawful(roots.key)
  }

  #published(texts: readonly RootText[]): readonly MeshEvent[] {
    const before = this.#listed
    if (texts.length === 0 && before === undefined) return []
    const roots = texts.flatMap((text) => this.#rootOf(text) ?? [])
    const set: RootSet = {
      key: keyOf(roots),
      roots,
      certificates: roots.map(({ certificate }) => certificate),
      sinceUs: this.#parts.nowUs(),
    }
    if (roots.length >= 3) this.#parts.marks.reach('three roots listed')
    this.#roots.published(set)
    this.#listed = set
    this.#trust.published(set)
    for (const { certificate, between } of roots)
      for (const each of [certificate, ...between]) this.#edge(each.notAfterMs)
    return rootEvents(before, set)
  }

  #rootOf({ id, active, generation, certificate, intermediates }: RootText): ListedRoot | undefined {
    const [own] = this.#parts.chains.read(certificate) ?? []
    const between = intermediates.map((pem) => this.#parts.chains.read(pem))
    if (own !== undefined && between.every((read) => read !== undefined)) {
      return { id, active, generation, certificate: own, between: between.flat() }
    }
    this.#report('C2', `root ${generation} is listed with a certificate that nobody can read`)
    return undefined
  }

  /** Looks at everything a moment before and after. */
  #edge(endMs: number): void {
    if (this.#edges.has(endMs)) return
    this.#edges.add(endMs)
    const leftMs = endMs - trueWallMs(this.#parts)
    for (const delayMs of [leftMs - edgeMs, leftMs + edgeMs]) {
      if (delayMs > 0) this.#parts.after(delayMs, () => this.#trust.look())
    }
    this.#parts.after(Math.max(0, leftMs + edgeMs), () => void this.#edges.delete(endMs))
  }

  #secretsOf({ signingKeys }: MeshState): void {
    for (const key of signingKeys) this.secrets.authorityKey(key)
  }

  #configured({ configuration, rotations, roots }: MeshState): void {
    const accepted = rotations.filter((rotation) => isAccepted(rotation, roots.length))
    for (const { provider, options } of [...accepted, ...(configuration === undefined ? [] : [configuration])]) {
      if (provider !== undefined && options !== undefined) this.#hold(textOf({ provider, options }))
    }
  }

  #hold(text: string): void {
    if (this.#configurations.at(-1) === text) return
    this.#configurations.push(text)
    if (this.#configurations.length > configurationsMax) this.#configurations.shift()
  }
}

/** Whether one end has received a root of the trust domain of the other's leaf. */
function knowsMeshOf({ roots }: ConnectionEnd, { leaf }: ConnectionEnd): boolean {
  const domains = leaf.certificate.uris.map(trustDomainIn)
  return roots.certificates.some(({ uris }) => uris.some((uri) => domains.includes(trustDomainIn(uri))))
}

function trustDomainIn(uri: string): string {
  return /^spiffe:\/\/([^/]+)/.exec(uri)?.[1] ?? ''
}

function rootEvents(before: RootSet | undefined, { roots }: RootSet): readonly MeshEvent[] {
  if (before === undefined) return []
  const events: MeshEvent[] = []
  const active = roots.find((root) => root.active)?.id
  if (active !== before.roots.find((root) => root.active)?.id) events.push('root activated')
  if (before.roots.some(({ id }) => !roots.some((root) => root.id === id))) events.push('root removed')
  return events
}

function keyOf(roots: readonly { readonly id: string }[]): string {
  return roots
    .map(({ id }) => id)
    .sort((a, b) => (a < b ? -1 : 1))
    .join(' ')
}

/** Options in order of name. */
function textOf({ provider, options }: AuthorityConfiguration): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([provider, sorted])
}
