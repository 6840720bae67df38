import { eventIn, type Judge, law } from '../checker.ts'
import {
  type Chains,
  type ListedRoot,
  type MeshTime,
  momentText,
  type RootSet,
  type SeenCertificate,
  type SeenLeaf,
  type Span,
  trueWallMs,
} from './mesh-facts.ts'

/** Why no verifier need accept a leaf. */
export type TrustExcuse =
  | 'last moments'
  | 'lost root'
  | 'cut off for long'
  | 'expired leaf'
  | 'wrong clock'
  | 'not yet of one mesh'

/** A set of roots that a verifier may still have. */
interface KnownSet {
  readonly set: RootSet
  /**
   * When the last of the leaves expires that had been issued when another set replaced this one; undefined: it is the
   * newest set.
   */
  lastLeafMs: number | undefined
  /** Trace event in which it was published; 0: no trace is recorded. */
  readonly event: number
}

/** An issued leaf, and for each set of roots the time in which that set is known to accept it. */
interface Held {
  readonly leaf: SeenLeaf
  readonly accepted: Map<string, Span>
  /** Sets of roots with which it was counted. */
  readonly counted: Set<string>
}

/**
 * C1: at every instant, every unexpired leaf is accepted by every verifier whose clock is within the allowed skew, and
 * whose set of roots was published by the cluster and may lawfully still be in use.
 *
 * 1. A verifier can still have a superseded set if it has been cut off since. To connect at all it needs an unexpired
 *    leaf, and it has received none since. So a superseded set counts for as long as one of the leaves lives that had
 *    been issued when the next set was published. In the last moments of all its roots, a set no longer counts.
 * 2. When a snapshot is restored, newer roots are lost. A verifier that knows only lost roots is not judged from then
 *    on, and of the leaves of lost roots, only those are judged that lead to a root which is listed again.
 * 3. A leaf that is accepted at one moment is accepted while the certificates of its path are valid. So each pair of
 *    leaf and set is verified once, and again only for moments outside of that time. It suffices to judge when a set is
 *    published, when a leaf is issued, and around the end of every certificate: between these, nothing changes.
 */
export class MeshTrust {
  readonly #judge: Judge<{ C1: TrustExcuse }>
  readonly #chains: Chains
  readonly #time: MeshTime
  #known: KnownSet[] = []
  #held: Held[] = []
  readonly #lostKeys: Set<string>

  /**
   * `lostKeys`: keys of roots that were lost when a snapshot was restored, here or in the datacenter that this one
   * follows.
   */
  constructor(judge: Judge<{ C1: TrustExcuse }>, chains: Chains, time: MeshTime, lostKeys: Set<string>) {
    this.#judge = judge
    this.#chains = chains
    this.#time = time
    this.#lostKeys = lostKeys
  }

  published(set: RootSet): void {
    const newest = this.#known.at(-1)
    if (newest?.set.key === set.key) return
    if (newest !== undefined) newest.lastLeafMs ??= this.#lastLeafMs()
    const before = newest?.set.certificates.map(({ keyId }) => keyId) ?? []
    // A root that is listed anew was delivered again, or this datacenter follows one where it was never lost.
    for (const { keyId } of set.certificates) if (!before.includes(keyId)) this.#lostKeys.delete(keyId)
    this.#known.push({ set, lastLeafMs: undefined, event: eventIn(this.#judge) })
    this.look()
  }

  /** An expired leaf is not judged: a proxy that was cut off for long has received no other. */
  held(leaf: SeenLeaf): void {
    if (leaf.certificate.notAfterMs <= trueWallMs(this.#time)) return this.#judge.excused('C1', 'expired leaf')
    if (this.isLost(leaf)) return this.#judge.excused('C1', 'lost root')
    const held = { leaf, accepted: new Map<string, Span>(), counted: new Set<string>() }
    this.#held.push(held)
    this.#forget()
    for (const known of this.#known) this.#meets(held, known)
  }

  /** Another state, with these roots, replaced the previous one. */
  replaced(roots: readonly ListedRoot[]): void {
    const back = new Set(roots.map(({ id }) => id))
    const before = this.#known.flatMap(({ set }) => set.roots)
    for (const { id, certificate } of before) if (!back.has(id)) this.#lostKeys.add(certificate.keyId)
    const lastLeafMs = this.#lastLeafMs()
    for (const known of this.#known) known.lastLeafMs ??= lastLeafMs
    this.#known = this.#known.filter(({ set }) => set.roots.some(({ id }) => back.has(id)))
    const certificates = roots.map(({ certificate }) => certificate)
    const left = this.#held.filter(({ leaf }) => !this.#isLostTo(certificates, leaf))
    this.#judge.excused('C1', 'lost root', this.#held.length - left.length)
    this.#held = left
  }

  /** Whether the root of a leaf was lost, and no crossing leads from it to a listed root. */
  isLost(leaf: SeenLeaf): boolean {
    return this.#isLostTo(this.#known.at(-1)?.set.certificates ?? [], leaf)
  }

  #isLostTo(roots: readonly SeenCertificate[], { certificate, between }: SeenLeaf): boolean {
    const signers = [certificate, ...between].map(({ issuerKeyId }) => issuerKeyId)
    if (!signers.some((keyId) => this.#lostKeys.has(keyId))) return false
    const left = roots.filter(({ keyId }) => !this.#lostKeys.has(keyId))
    return !this.#chains.path(certificate, between, left, trueWallMs(this.#time)).ok
  }

  /** Judges every leaf with every set. */
  look(): void {
    this.#forget()
    for (const held of this.#held) for (const known of this.#known) this.#meets(held, known)
  }

  /** Why a verifier with these roots is not judged now; undefined: it can lawfully have them. */
  excuseOf(key: string): TrustExcuse | undefined {
    this.#forget()
    const nowMs = trueWallMs(this.#time)
    const excuses = this.#known.flatMap(({ set }) => (set.key === key ? [this.#excuseOf(set, nowMs)] : []))
    if (excuses.length === 0) return 'cut off for long'
    return excuses.includes(undefined) ? undefined : excuses[0]
  }

  #isEnding({ certificates }: RootSet, nowMs: number): boolean {
    return certificates.every(({ notAfterMs }) => notAfterMs - nowMs < this.#time.lastMomentsMs)
  }

  #isAllLost({ certificates }: RootSet): boolean {
    return certificates.every(({ keyId }) => this.#lostKeys.has(keyId))
  }

  get setCount(): number {
    return this.#known.length
  }

  #lastLeafMs(): number {
    return this.#held.reduce((last, { leaf }) => Math.max(last, leaf.certificate.notAfterMs), 0)
  }

  /** Forgets expired leaves and sets that no verifier can have any more. */
  #forget(): void {
    const nowMs = trueWallMs(this.#time)
    if (this.#held.some(({ leaf }) => leaf.certificate.notAfterMs <= nowMs)) {
      this.#held = this.#held.filter(({ leaf }) => leaf.certificate.notAfterMs > nowMs)
    }
    const isOver = ({ lastLeafMs }: KnownSet): boolean => lastLeafMs !== undefined && lastLeafMs <= nowMs
    const over = this.#known.filter(isOver).length
    if (over === 0) return
    this.#known = this.#known.filter((known) => !isOver(known))
    this.#judge.excused('C1', 'cut off for long', over * this.#held.length)
  }

  /**
   * By the slowest clock and by the fastest. A verifier whose clock shows that the leaf has expired need not accept it.
   */
  #meets(held: Held, known: KnownSet): void {
    const { set } = known
    const { certificate } = held.leaf
    const nowMs = trueWallMs(this.#time)
    const halfMs = this.#time.skewMs / 2
    const excuse = this.#excuseOf(set, nowMs)
    this.#count(held, set, excuse)
    if (excuse !== undefined) return
    this.#judgeAt(held, known, nowMs - halfMs)
    this.#judgeAt(held, known, Math.min(nowMs + halfMs, certificate.notAfterMs))
  }

  /** Counts each leaf with each set once, however often they are judged. */
  #count({ counted }: Held, { key }: RootSet, excuse: TrustExcuse | undefined): void {
    const name = `${excuse ?? ''} ${key}`
    if (counted.has(name)) return
    counted.add(name)
    if (excuse === undefined) this.#judge.judged('C1')
    else this.#judge.excused('C1', excuse)
  }

  #excuseOf(set: RootSet, nowMs: number): TrustExcuse | undefined {
    if (this.#isEnding(set, nowMs)) return 'last moments'
    return this.#isAllLost(set) ? 'lost root' : undefined
  }

  #judgeAt({ leaf, accepted }: Held, { set, event }: KnownSet, atMs: number): void {
    const span = accepted.get(set.key)
    if (span !== undefined && span.fromMs <= atMs && atMs <= span.toMs) return
    const found = this.#chains.path(leaf.certificate, leaf.between, set.certificates, atMs)
    if (found.ok) {
      accepted.set(set.key, found.value)
      return
    }
    this.#judge.report('C1', this.#text(leaf.certificate, leaf, set, atMs, found.error), [leaf.givenIn ?? 0, event])
  }

  #text({ serial }: SeenCertificate, leaf: SeenLeaf, set: RootSet, atMs: number, why: string): string {
    const roots = set.roots.map(({ generation }) => generation).join(', ')
    const since = (set.sinceUs / 1e6).toFixed(3)
    return `an agent that has the roots of ${since}s (${roots}) does not accept leaf ${serial} of ${leaf.holder} at ${momentText(atMs, this.#time)}: ${why}`
  }
}

export const meshTrust = law(
  {
    C1: {
      text: 'chains: every leaf that has not expired is accepted with any list of roots that an agent may still have, by a clock within the skew',
      sources: ['docs/reference/mesh.md#initialization-and-rotation'],
      evidence: ['authority', 'requests', 'forwards'],
      judges: ['chain', 'chains'],
      excuses: {
        'last moments':
          'A list whose roots all expire within the shortest lifetime of a leaf plus the skew is not judged; until another root is listed.',
        'lost root':
          'A leaf or a verifier that knows only roots lost by a restored snapshot; until it has one that is listed.',
        'cut off for long':
          'A set of roots that another has replaced, once every leaf of that time has expired: an agent that still has it can have no connections; until it has the newest.',
        'expired leaf': 'A leaf that has expired by some clock within the skew; until its holder has another.',
        'wrong clock': 'A proxy whose clock is further from true time than half the skew; while it is.',
        'not yet of one mesh':
          'Proxies of two datacenters of which one has no root of the other yet need not accept each other; until both are of one mesh.',
      },
    },
  },
  (judge, chains: Chains, time: MeshTime, lostKeys: Set<string>) => new MeshTrust(judge, chains, time, lostKeys),
)
