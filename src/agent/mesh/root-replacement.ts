import type { Env } from '../../env/env.ts'
import type { LeafSource } from './leaf-source.ts'
import { type DatedLeaf, drawSpread, type Now } from './renewal.ts'
import type { RootsWatch, Standing } from './roots-watch.ts'

/** Time to wait for a root that is not listed: the server that answered may not know it yet. */
const unheardRootMs = 60_000

export interface RootReplacementParts {
  readonly env: Env
  readonly source: LeafSource
  readonly roots: Pick<RootsWatch, 'standingOf'>
  readonly service: string
}

/** When the leaf of one service is replaced because of its root or its trust domain. */
export class RootReplacement {
  readonly #parts: RootReplacementParts
  /** On the monotonic clock. */
  #due: { readonly standing: Standing; readonly atMs: number } | undefined
  /**
   * A root that is not listed yet although the servers signed with it once more: the agent waits for it without a
   * limit.
   */
  #awaitedRoot: string | undefined

  constructor(parts: RootReplacementParts) {
    this.#parts = parts
  }

  /**
   * The moment is drawn when the leaf's root is first seen not to be the signing one, and again if less is known about
   * the root.
   */
  inMs({ leaf }: DatedLeaf, { monoMs }: Now): number {
    const { env, source, roots, service } = this.#parts
    const standing = roots.standingOf(leaf)
    if (standing === 'current' || (standing === 'unheard' && this.#awaitedRoot === leaf.rootId)) {
      this.#due = undefined
      return Number.POSITIVE_INFINITY
    }
    const { atMs: beforeMs = Number.POSITIVE_INFINITY, standing: before } = this.#due ?? {}
    if (before === standing) return beforeMs - monoMs
    const spreadMs = drawSpread(env.random.draws('mesh.rotation', service, leaf.rootId), source.memberCount())
    const atMs = Math.min(beforeMs, monoMs + spreadMs + (standing === 'unheard' ? unheardRootMs : 0))
    this.#due = { standing, atMs }
    return atMs - monoMs
  }

  /** A leaf of this root takes the place of the one before. */
  replaced(rootId: string, rootBefore: string | undefined): void {
    this.#awaitedRoot = this.#due?.standing === 'unheard' && rootBefore === rootId ? rootId : undefined
    this.#due = undefined
  }
}
