import type { Judge } from '../checker.ts'
import { type Reach, rareStates } from '../rare-states.ts'
import { type ConnectionEnd, type MeshWorld, momentText, type Span, trueWallMs } from './mesh-facts.ts'
import type { MeshTrust, TrustExcuse } from './mesh-trust.ts'

export const meshMarks = rareStates({
  'three roots listed': 'three roots or more were trusted at once',
  'leader lost in a rotation': 'a leader crashed while the root of the mesh was being rotated',
  'met over a crossing': 'a proxy that did not know the root of a leaf accepted it for the crossing that came with it',
})

/** Maximum number of pairs of leaf and roots that are known to be accepted. */
const acceptedMax = 8192

export interface MeshParts extends MeshWorld {
  readonly nowUs: () => number
  readonly reach: Reach<keyof typeof meshMarks.marks>
}

/** The part of C1 that shows when proxies meet: each verifies what the other presents. */
export class MeshMeetings {
  readonly #judge: Judge<{ C1: TrustExcuse }>
  readonly #parts: MeshParts
  readonly #trust: MeshTrust
  /** By leaf and roots: the time in which these roots accept the leaf. */
  readonly #accepted = new Map<string, Span>()
  #connections = 0

  constructor(judge: Judge<{ C1: TrustExcuse }>, parts: MeshParts, trust: MeshTrust) {
    this.#judge = judge
    this.#parts = parts
    this.#trust = trust
  }

  /** Number of completed handshakes. */
  get connectionsMade(): number {
    return this.#connections
  }

  /**
   * Whether two proxies are now connected: each verified the other. If they must be able to and are not, C1 is
   * violated. The other may belong to another datacenter: they owe each other nothing until both belong to one mesh.
   */
  met(one: ConnectionEnd, other: ConnectionEnd, elsewhere: MeshMeetings = this): boolean {
    const problem = this.#refusal(one, other) ?? this.#refusal(other, one)
    if (problem === undefined) {
      this.#connections++
      this.#judge.judged('C1')
      return true
    }
    const isOwed = elsewhere === this || (knowsMeshOf(one, other) && knowsMeshOf(other, one))
    const excuse = isOwed ? (this.#excuseOf(one) ?? elsewhere.#excuseOf(other)) : 'not yet of one mesh'
    if (excuse !== undefined) this.#judge.excused('C1', excuse)
    else {
      this.#judge.judged('C1')
      this.#judge.report('C1', problem, [one.leaf.givenIn ?? 0, other.leaf.givenIn ?? 0])
    }
    return false
  }

  #refusal(verifier: ConnectionEnd, peer: ConnectionEnd): string | undefined {
    const { certificate, between } = peer.leaf
    const { wallMs, roots } = verifier
    const name = `${certificate.identity} ${roots.key}`
    const span = this.#accepted.get(name)
    if (span !== undefined && span.fromMs <= wallMs && wallMs <= span.toMs) return undefined
    const path = this.#parts.chains.path(certificate, between, roots.certificates, wallMs)
    const isCrossed = verifier.roots.certificates.every(({ keyId }) => keyId !== certificate.issuerKeyId)
    if (path.ok && isCrossed) this.#parts.reach('met over a crossing')
    if (path.ok) {
      if (this.#accepted.size >= acceptedMax) this.#accepted.clear()
      this.#accepted.set(name, path.value)
      return undefined
    }
    const at = momentText(wallMs, this.#parts)
    return `${verifier.name} does not accept ${peer.name}, leaf ${certificate.serial}, at ${at} by its clock: ${path.error}`
  }

  /**
   * Undefined if nothing excuses this end: its leaf is unexpired by every clock, its root was not lost, its roots are
   * ones that a verifier may have, and its clock is within the allowed skew.
   */
  #excuseOf({ leaf, roots, wallMs }: ConnectionEnd): TrustExcuse | undefined {
    const nowMs = trueWallMs(this.#parts)
    const halfMs = this.#parts.skewMs / 2
    if (Math.abs(wallMs - nowMs) > halfMs) return 'wrong clock'
    if (leaf.certificate.notAfterMs <= nowMs + halfMs) return 'expired leaf'
    return this.#trust.isLost(leaf) ? 'lost root' : this.#trust.excuseOf(roots.key)
  }
}

/** Whether one end has received a root of the trust domain of the other end's leaf. */
function knowsMeshOf({ roots }: ConnectionEnd, { leaf }: ConnectionEnd): boolean {
  const domains = leaf.certificate.uris.map(trustDomainIn)
  return roots.certificates.some(({ uris }) => uris.some((uri) => domains.includes(trustDomainIn(uri))))
}

function trustDomainIn(uri: string): string {
  return /^spiffe:\/\/([^/]+)/.exec(uri)?.[1] ?? ''
}
