import type { Chains, MeshEvent, MeshState, RootText, SeenCertificate } from '../../../sim/checkers/mesh/mesh-facts.ts'
import { MeshLaws } from '../../../sim/checkers/mesh/mesh-laws.ts'
import { err, ok } from '../../../src/base/result.ts'
import { recorder } from './reports.ts'

/** Certificates by hand: a line of JSON each, so that a test says what is in them and nothing more. */
export interface Card {
  readonly serial: string
  /** Whose key it has, and whose key signed it. */
  readonly key: string
  readonly by: string
  readonly fromS: number
  readonly toS: number
  /** What it says of them, where that is another. */
  readonly keyId?: string
  readonly issuerKeyId?: string
  /** Of a leaf. */
  readonly service?: string
  /** Its trust domain; `mesh.svc` if absent. */
  readonly domain?: string
}

export function pem(...cards: readonly Card[]): string {
  return cards.map((card) => JSON.stringify(card)).join('\n')
}

const startWallMs = 1_000_000_000

/** Follows names of keys and moments, as the real thing follows signatures. */
class CardChains implements Chains {
  readonly #read = new Map<string, readonly SeenCertificate[]>()
  readonly #cards = new Map<SeenCertificate, Card>()

  read(text: string): readonly SeenCertificate[] | undefined {
    if (text === 'junk') return undefined
    const known = this.#read.get(text)
    if (known !== undefined) return known
    const seen = text.split('\n').map((line) => this.#seen(JSON.parse(line) as Card, line))
    this.#read.set(text, seen)
    return seen
  }

  path(
    leaf: SeenCertificate,
    between: readonly SeenCertificate[],
    roots: readonly SeenCertificate[],
    atMs: number,
  ): ReturnType<Chains['path']> {
    let at = leaf
    const path = [leaf]
    for (let depth = 0; depth < 8; depth++) {
      const by = this.#cards.get(at)?.by
      const root = roots.find((each) => this.#cards.get(each)?.key === by)
      const next = root ?? between.find((each) => this.#cards.get(each)?.key === by && !path.includes(each))
      if (next === undefined) return err('nobody signed it')
      path.push(next)
      if (path.some(({ notBeforeMs, notAfterMs }) => atMs < notBeforeMs || atMs > notAfterMs)) return err('not now')
      if (root !== undefined) {
        return ok({
          fromMs: Math.max(...path.map(({ notBeforeMs }) => notBeforeMs)),
          toMs: Math.min(...path.map(({ notAfterMs }) => notAfterMs)),
        })
      }
      at = next
    }
    return err('too long')
  }

  #seen(card: Card, identity: string): SeenCertificate {
    const seen = {
      identity,
      serial: card.serial,
      subject: card.key,
      issuer: card.by,
      name: card.key,
      uris: [`spiffe://${card.domain ?? 'mesh.svc'}/ns/default/dc/dc1/svc/${card.service ?? ''}`],
      notBeforeMs: startWallMs + card.fromS * 1000,
      notAfterMs: startWallMs + card.toS * 1000,
      keyId: card.keyId ?? card.key,
      issuerKeyId: card.issuerKeyId ?? card.by,
    }
    this.#cards.set(seen, card)
    return seen
  }
}

/** A mesh whose clocks may be twenty seconds apart, with events by hand. */
export function meshWorld(lostKeys = new Set<string>()) {
  const { judge, lines, counts, now, causes } = recorder()
  const marks = new Set<string>()
  let nowUs = 0
  const due: { readonly atUs: number; readonly then: () => void }[] = []
  const laws = new MeshLaws(judge, {
    chains: new CardChains(),
    lostKeys,
    reach: (mark) => void marks.add(mark),
    startWallMs,
    skewMs: 20_000,
    lastMomentsMs: 60_000,
    nowUs: () => nowUs,
    after: (delayMs, then) => void due.push({ atUs: nowUs + delayMs * 1000, then }),
  })
  const until = (atS: number): void => {
    due.sort((a, b) => a.atUs - b.atUs)
    while ((due[0]?.atUs ?? Number.POSITIVE_INFINITY) <= atS * 1e6) {
      const next = due.shift()
      nowUs = Math.max(nowUs, next?.atUs ?? 0)
      next?.then()
      due.sort((a, b) => a.atUs - b.atUs)
    }
    nowUs = atS * 1e6
  }
  const state = (roots: readonly RootText[], rest: Partial<MeshState> = {}): readonly MeshEvent[] =>
    laws.changed({ rotations: [], signingKeys: [], configuration: undefined, roots, ...rest })
  return { laws, lines, counts, now, causes, marks, until, state, wallMs: () => startWallMs + nowUs / 1000 }
}

/** The `n`-th root, listed so. */
export function root(
  n: number,
  active: boolean,
  intermediates: readonly Card[] = [],
  given: Partial<Card> = {},
): RootText {
  const own = { serial: `${n}00`, key: `R${n}`, by: `R${n}`, fromS: -60, toS: 100_000, ...given }
  return {
    id: `r${n}`,
    active,
    generation: n,
    certificate: pem(own),
    intermediates: intermediates.map((card) => pem(card)),
  }
}

/** Root `n` as signed by the one before it. */
export function crossing(n: number, given: Partial<Card> = {}): Card {
  return { serial: `${n}50`, key: `R${n}`, by: `R${n - 1}`, fromS: -20, toS: 50_000, ...given }
}

export function leaf(serial: number, by: string, fromS: number, toS: number, given: Partial<Card> = {}): Card {
  return { serial: String(serial), key: `L${serial}`, by, fromS, toS, ...given }
}

/** One root, and a leaf of it that lives for an hour. */
export function begun() {
  const world = meshWorld()
  world.state([root(1, true)])
  const first = world.laws.given('web at c1', 'web', pem(leaf(1, 'R1', -20, 3_600, { service: 'web' })), 'key')
  return { ...world, first }
}

/** The second root is active, with its crossing. */
export const rotated = [root(1, false), root(2, true, [crossing(2)])]
