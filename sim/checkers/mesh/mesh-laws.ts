import { checker, type ExcusesOf, eventIn, type Judge } from '../checker.ts'
import { LeafLives } from './leaf-lives.ts'
import { type MeshDomains, meshDomains } from './mesh-domains.ts'
import {
  type ListedRoot,
  type MeshEvent,
  type MeshState,
  type ProxyRoots,
  type RootSet,
  type RootText,
  type RotationStep,
  type SeenCertificate,
  type SeenLeaf,
  trueWallMs,
} from './mesh-facts.ts'
import { MeshInForce } from './mesh-in-force.ts'
import { MeshMeetings, type MeshParts, meshMarks } from './mesh-meetings.ts'
import { type MeshRoots, meshRoots } from './mesh-roots.ts'
import { type MeshRotation, meshRotation } from './mesh-rotation.ts'
import { type MeshSecrets, meshSecrets } from './mesh-secrets.ts'
import { type MeshTrust, meshTrust } from './mesh-trust.ts'
import { SeenConfigurations } from './seen-configurations.ts'
import { ShownRoots } from './shown-roots.ts'

type MeshExcuses = ExcusesOf<
  typeof meshTrust | typeof meshRoots | typeof meshSecrets | typeof meshRotation | typeof meshDomains
>

/** This long before and after the end of a certificate, everything is judged again. */
const edgeMs = 1_000

const eventOf: Readonly<Partial<Record<RotationStep, MeshEvent>>> = {
  begun: 'rotation begun',
  requested: 'root requested',
  crossed: 'root crossed',
}

/**
 * Every invariant of one mesh. Servers report the state to it; proxies report the leaves and roots that they received,
 * and their connections.
 */
export class MeshLaws {
  readonly secrets: MeshSecrets
  readonly rotation: MeshRotation
  readonly inForce: MeshInForce
  readonly configurations = new SeenConfigurations()
  readonly #judge: Judge<MeshExcuses>
  readonly #parts: MeshParts
  readonly meetings: MeshMeetings
  readonly #trust: MeshTrust
  readonly #roots: MeshRoots
  readonly #lives: LeafLives
  readonly #domains: MeshDomains
  readonly #shown: ShownRoots
  #listed: RootSet | undefined
  /** Ends of certificates at which everything is judged again. */
  readonly #edges = new Set<number>()
  readonly #signing = new Set<string>()
  #leaves = 0

  constructor(judge: Judge<MeshExcuses>, parts: MeshParts) {
    this.#judge = judge
    this.#parts = parts
    this.secrets = meshSecrets.by(judge)
    this.rotation = meshRotation.by(judge)
    this.inForce = new MeshInForce(judge)
    this.#trust = meshTrust.by(judge, parts.chains, parts, parts.lostKeys)
    this.meetings = new MeshMeetings(judge, parts, this.#trust)
    this.#roots = meshRoots.by(judge, parts, parts.lostKeys)
    this.#lives = new LeafLives(judge)
    this.#domains = meshDomains.by(judge)
    this.#shown = new ShownRoots(judge)
  }

  leaderEnded(node: string, crashed: boolean): void {
    this.inForce.leaderEnded(node)
    if (crashed && this.rotation.step !== undefined) this.#parts.reach('leader lost in a rotation')
  }

  get rootsListed(): number {
    return this.#listed?.roots.length ?? 0
  }

  /** Leaves that agents delivered. */
  get leavesSeen(): number {
    return this.#leaves
  }

  /** A command changed the certificate authority. Returns the events that faults may wait for. */
  changed(state: MeshState): readonly MeshEvent[] {
    const before = this.rotation.step
    this.#secretsOf(state)
    this.configurations.changed(state)
    this.#lives.configured(state)
    this.inForce.changed(state)
    this.rotation.changed(state.rotations, this.#listed?.roots.find((root) => root.active)?.id)
    const events: MeshEvent[] = []
    const { step } = this.rotation
    const event = step === undefined || step === before ? undefined : eventOf[step]
    if (event !== undefined) events.push(event)
    return [...events, ...this.#published(state.roots)]
  }

  /** Another state replaced the previous one. */
  replaced(state: MeshState): void {
    this.#secretsOf(state)
    this.configurations.changed(state)
    this.#lives.configured(state)
    this.inForce.replaced(state)
    this.rotation.replaced(state.rotations)
    this.#trust.replaced(state.roots.flatMap((text) => this.#rootOf(text) ?? []))
    this.#roots.replaced(state.roots.map(({ id }) => id))
    this.#listed = undefined
    this.#published(state.roots)
  }

  /** Leaves of this root are about to be signed; true for the first of them. */
  recorded(rootId: string): boolean {
    if (this.#signing.has(rootId)) return false
    this.#signing.add(rootId)
    return true
  }

  /** A leaf as an agent delivered it, PEM; undefined: it is malformed, which is reported. */
  given(holder: string, service: string, certificates: string, privateKey: string): SeenLeaf | undefined {
    this.secrets.leafKey(service, privateKey)
    const [certificate, ...between] = this.#parts.chains.read(certificates) ?? []
    if (certificate === undefined) {
      this.#judge.judged('C1')
      this.#judge.report('C1', `${holder} was given a leaf that cannot be read`)
      return undefined
    }
    this.#isFor(service, holder, certificate)
    const leaf = { holder, certificate, between, givenIn: eventIn(this.#judge) }
    this.#leaves++
    this.#roots.leaf(leaf)
    this.#lives.given(leaf)
    this.#domains.given(leaf, this.#roots.rootAbove(certificate, between))
    this.#trust.held(leaf)
    this.#edge(certificate.notAfterMs)
    return leaf
  }

  /** Roots as an agent listed them. */
  told(agent: string, activeId: string, roots: readonly Omit<RootText, 'generation'>[]): ProxyRoots {
    this.#shown.shown(agent, activeId, roots)
    const certificates = roots.flatMap(({ certificate }) => this.#parts.chains.read(certificate) ?? [])
    return { key: keyOf(roots), certificates }
  }

  /** Whether the leaf belongs to the active root and has not expired, and these roots are the listed ones. */
  isCurrent(leaf: SeenLeaf, roots: ProxyRoots): boolean {
    const active = this.#listed?.roots.find((root) => root.active)
    const chain = [leaf.certificate, ...leaf.between]
    return (
      roots.key === this.#listed?.key &&
      leaf.certificate.notAfterMs > trueWallMs(this.#parts) &&
      chain.some(({ issuerKeyId }) => issuerKeyId === active?.certificate.keyId)
    )
  }

  /** The leaf names the service that was requested, and nothing else. Reference: mesh.md#spiffe-service. */
  #isFor(service: string, holder: string, { serial, uris }: SeenCertificate): void {
    this.#judge.judged('C1')
    const [uri = '', ...more] = uris
    if (more.length === 0 && /^spiffe:\/\/[^/]+\/ns\/[^/]+\/dc\/[^/]+\/svc\/([^/]+)$/.exec(uri)?.[1] === service) return
    this.#judge.report('C1', `${holder} was given leaf ${serial}, which is for ${uris.join(' and ') || 'nobody'}`)
  }

  #published(texts: readonly RootText[]): readonly MeshEvent[] {
    this.#shown.published(texts)
    const before = this.#listed
    if (texts.length === 0 && before === undefined) return []
    const roots = texts.flatMap((text) => this.#rootOf(text) ?? [])
    const set: RootSet = {
      key: keyOf(roots),
      roots,
      certificates: roots.map(({ certificate }) => certificate),
      sinceUs: this.#parts.nowUs(),
    }
    if (roots.length >= 3) this.#parts.reach('three roots listed')
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
    this.#judge.judged('C2')
    this.#judge.report('C2', `root ${generation} is listed with a certificate that cannot be read`)
    return undefined
  }

  /** Judges everything a moment before and a moment after the end. */
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

export const meshLaws = checker({
  codes: {},
  also: [meshTrust, meshRoots, meshSecrets, meshRotation, meshDomains],
  make: (run) => run.mesh && new MeshLaws(run, { ...run.mesh, nowUs: run.nowUs, reach: run.of(meshMarks) }),
  takes: {
    'text shown': (it, said) => it?.secrets.said(said),
    'leader ended': (it, { node, crashed }) => it?.leaderEnded(node, crashed),
    'process told': (it, { node, what }) => it?.inForce.told(node, what),
  },
})
