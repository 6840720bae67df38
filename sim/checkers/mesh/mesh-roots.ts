import { eventIn, type Judge, law } from '../checker.ts'
import { bearerOf, pathBetween, signerOf } from './crossings.ts'
import {
  type ListedRoot,
  type MeshTime,
  momentText,
  type RootSet,
  type SeenCertificate,
  type SeenLeaf,
  trueWallMs,
} from './mesh-facts.ts'
import { meshTrust } from './mesh-trust.ts'

/** Maximum number of remembered serial numbers: far more than any run issues. */
const serialsMax = 1_000_000

type RootExcuses = Readonly<Record<'C1' | 'C2' | 'C6', never>> & {
  readonly C3: 'lost root' | 'cut off for long' | 'restored'
}

/**
 * Judges roots and what they sign.
 * 1. C2: exactly one root is active, the newest. It carries the crossings back to the oldest listed root; others carry
 *    none.
 * 2. C3: a root is removed when all leaves that it has signed have expired, and not before. An issuer never issues a
 *    serial number twice.
 * 3. C6: no leaf outlives a certificate that is sent with it, or the root that signed it. All are back-dated so far
 *    that the slowest clock accepts them when the fastest has signed. A crossing is valid at least until the last leaf
 *    expires of the root that signed it.
 */
export class MeshRoots {
  readonly #judge: Judge<RootExcuses>
  readonly #time: MeshTime
  #listed: readonly ListedRoot[] = []
  /**
   * For every root that was ever listed, by its key and name: when the last leaf expires that it is known to have
   * signed.
   */
  readonly #lastLeafMs = new Map<string, number>()
  /** The trace event in which that leaf was delivered; empty if no trace is recorded. */
  readonly #lastLeafIn = new Map<string, number>()
  /** The certificate of each issuer and serial number. */
  readonly #serials = new Map<string, string>()
  /** The trace event in which it was first seen; empty if no trace is recorded. */
  readonly #numberedIn = new Map<string, number>()
  /** Roots and crossings that were judged. */
  readonly #known = new Set<string>()
  /** All roots that were ever listed, by key and name. */
  readonly #rootOf = new Map<string, SeenCertificate>()

  readonly #lostKeys: ReadonlySet<string>

  /**
   * `lostKeys`: keys of roots that were lost when a snapshot was restored; datacenters that followed drop them, too.
   */
  constructor(judge: Judge<RootExcuses>, time: MeshTime, lostKeys: ReadonlySet<string>) {
    this.#judge = judge
    this.#time = time
    this.#lostKeys = lostKeys
  }

  published({ roots }: RootSet): void {
    this.#judge.judged('C2')
    this.#oneIsActive(roots)
    for (const root of roots) this.#look(root)
    for (const before of this.#listed) {
      if (roots.some(({ id }) => id === before.id)) continue
      this.#removed(before)
    }
    this.#listed = roots
    for (const root of roots) if (root.active) this.#crossings(root, roots)
  }

  /**
   * Another state replaced the previous one: no root was removed. Serial numbers and leaves that were issued remain
   * issued.
   */
  replaced(back: readonly string[]): void {
    this.#judge.excused('C3', 'restored', this.#listed.filter(({ id }) => !back.includes(id)).length)
    this.#listed = []
  }

  /** The cluster delivered a leaf. */
  leaf({ holder, certificate, between, givenIn = 0 }: SeenLeaf): void {
    const { serial, notAfterMs } = certificate
    const isNew = this.#numbered(certificate, `leaf of ${holder}`)
    if (!isNew) return
    const text = `leaf ${serial} of ${holder}`
    this.#isBackDated(certificate, text)
    const root = this.rootAbove(certificate, between)
    if (root !== undefined) {
      const signer = bearerOf(root)
      const lastMs = this.#lastLeafMs.get(signer) ?? 0
      if (givenIn > 0 && notAfterMs > lastMs) this.#lastLeafIn.set(signer, givenIn)
      this.#lastLeafMs.set(signer, Math.max(lastMs, notAfterMs))
    } else if (!between.some(({ keyId }) => keyId === certificate.issuerKeyId)) {
      this.#judge.judged('C1')
      this.#judge.report('C1', `${text} names a signer key that no known certificate has`)
    }
    this.#judge.judged('C6')
    for (const above of root === undefined ? between : [...between, root]) {
      if (above.notAfterMs >= notAfterMs) continue
      this.#judge.report(
        'C6',
        `${text} outlives ${above.name}, serial ${above.serial}, which is sent with it: ${this.#ends(certificate, above)}`,
      )
    }
  }

  /** The root that signed a leaf, or signed the datacenter's intermediate authority that did. */
  rootAbove(leaf: SeenCertificate, between: readonly SeenCertificate[]): SeenCertificate | undefined {
    let at = leaf
    for (const _ of [leaf, ...between]) {
      const signer = signerOf(at)
      const root = this.#rootOf.get(signer)
      const next = between.find((each) => bearerOf(each) === signer)
      if (root !== undefined || next === undefined) return root
      at = next
    }
    return undefined
  }

  #ends(first: SeenCertificate, second: SeenCertificate): string {
    return `until ${momentText(first.notAfterMs, this.#time)}, and ${momentText(second.notAfterMs, this.#time)}`
  }

  #oneIsActive(roots: readonly ListedRoot[]): void {
    const active = roots.filter((root) => root.active)
    const names = active.map(({ generation }) => generation).join(', ') || 'none'
    if (active.length !== 1) this.#judge.report('C2', `of ${roots.length} roots these are active: ${names}`)
    const newest = roots.reduce((most, { generation }) => Math.max(most, generation), 0)
    if (active.length === 1 && active[0]?.generation !== newest) {
      this.#judge.report('C2', `root ${names} is active, and ${newest} is newer`)
    }
    for (const { active: isActive, between, generation } of roots) {
      if (!isActive && between.length > 0)
        this.#judge.report('C2', `root ${generation} is not active, but carries certificates that are sent with leaves`)
    }
  }

  /** From the active root to each older one, crossing by crossing; roots between them need not be listed any more. */
  #crossings(active: ListedRoot, roots: readonly ListedRoot[]): void {
    for (const older of roots) {
      if (older.generation >= active.generation) continue
      const text = `from root ${active.generation} to root ${older.generation}`
      const path = pathBetween(active, older)
      if (path === undefined) {
        this.#judge.report('C2', `the active root does not carry the crossings ${text}`)
        continue
      }
      this.#judge.judged('C6')
      const lastMs = Math.min(this.#lastLeafMs.get(bearerOf(older.certificate)) ?? 0, older.certificate.notAfterMs)
      const endMs = Math.min(...path.map(({ notAfterMs }) => notAfterMs))
      if (endMs >= lastMs) continue
      const end = momentText(endMs, this.#time)
      this.#judge.report('C6', `the crossings ${text} end at ${end}, before the last leaf of the older one`, [
        this.#lastLeafIn.get(bearerOf(older.certificate)) ?? 0,
      ])
    }
  }

  #look({ certificate, between, generation }: ListedRoot): void {
    this.#rootOf.set(bearerOf(certificate), certificate)
    for (const each of [certificate, ...between]) {
      if (this.#known.has(each.identity)) continue
      this.#known.add(each.identity)
      const text = `${each === certificate ? 'root' : 'the crossing of root'} ${generation}`
      this.#numbered(each, text)
      this.#isBackDated(each, text)
    }
  }

  #removed({ certificate, generation, active }: ListedRoot): void {
    if (this.#lostKeys.has(certificate.keyId)) return this.#judge.excused('C3', 'lost root')
    this.#judge.judged('C3')
    const lastMs = this.#lastLeafMs.get(bearerOf(certificate))
    // A datacenter that was cut off until all that it had signed expired finds the root of those leaves removed. It
    // gets another root at once (C2), and no leaf depends on the removed one. If no leaf is known to have been signed,
    // the root must be replaced first.
    const isOver = lastMs !== undefined && lastMs <= trueWallMs(this.#time)
    if (active && isOver) this.#judge.excused('C3', 'cut off for long')
    if (active && !isOver) this.#judge.report('C3', `root ${generation} was removed while it was active`)
    if ((lastMs ?? 0) <= trueWallMs(this.#time)) return
    this.#judge.report(
      'C3',
      `root ${generation} was removed, and a leaf of it lives until ${momentText(lastMs ?? 0, this.#time)}`,
      [this.#lastLeafIn.get(bearerOf(certificate)) ?? 0],
    )
  }

  /** False: the certificate was seen before. */
  #numbered({ issuer, issuerKeyId, serial, identity }: SeenCertificate, text: string): boolean {
    const name = `${issuer} ${issuerKeyId} ${serial}`
    const before = this.#serials.get(name)
    if (before === identity) return false
    this.#judge.judged('C3')
    if (before !== undefined)
      this.#judge.report('C3', `${text} has the serial number ${serial}, which another has from the same issuer`, [
        this.#numberedIn.get(name) ?? 0,
      ])
    if (this.#serials.size >= serialsMax) return true
    this.#serials.set(name, identity)
    const event = eventIn(this.#judge)
    if (event > 0) this.#numberedIn.set(name, event)
    return true
  }

  #isBackDated({ notBeforeMs }: SeenCertificate, text: string): void {
    this.#judge.judged('C6')
    const latestMs = trueWallMs(this.#time) - this.#time.skewMs / 2
    if (notBeforeMs <= latestMs) return
    this.#judge.report(
      'C6',
      `${text} is valid from ${momentText(notBeforeMs, this.#time)}: a slow clock does not accept it yet`,
    )
  }
}

export const meshRoots = law(
  {
    C2: {
      text: 'roots: exactly one is active, the newest, and it carries the cross-signed certificates back to the oldest listed root; agents show each root with its intermediates',
      sources: ['docs/reference/mesh.md#roots-list'],
      evidence: ['authority', 'requests', 'elections'],
      judges: ['list of roots', 'lists of roots'],
    },
    C3: {
      text: 'removal: a root is removed when all its leaves have expired, and not before; no issuer uses a serial number twice',
      sources: ['docs/reference/mesh.md#initialization-and-rotation'],
      evidence: ['authority', 'forwards', 'requests', 'restores'],
      judges: ['serial number or removal', 'serial numbers and removals'],
      excuses: {
        'lost root':
          'A root that was lost when a snapshot was restored may be dropped by agents that had it; until it is listed again.',
        'cut off for long':
          'The active root may go when all that it is known to have signed has expired: its datacenter was cut off; another is active at once.',
        restored:
          'Roots that a restored snapshot does not have are gone without a removal; those that it has are judged.',
      },
    },
    C6: {
      text: 'times: no leaf outlives a certificate of its chain or lives longer than the configuration allows, all are back-dated by the skew, a cross-signed certificate outlives the leaves that need it',
      sources: ['docs/reference/mesh.md#certificate-profile'],
      evidence: ['authority', 'forwards', 'requests'],
      judges: ['certificate', 'certificates'],
    },
  },
  (judge, time: MeshTime, lostKeys: ReadonlySet<string>) => new MeshRoots(judge, time, lostKeys),
  [meshTrust],
)
