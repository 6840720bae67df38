import type { Judge } from '../checker.ts'
import type { RootText } from './mesh-facts.ts'

type ShownRoot = Omit<RootText, 'generation'>

/**
 * C2 for the roots that an agent shows to its proxies. Exactly one is active, and it is the one that the agent names as
 * active. Each root comes with intermediates that it has had: a proxy needs the crossings to verify an older leaf. An
 * agent may lag behind, so any version of them will do.
 */
export class ShownRoots {
  readonly #judge: Judge<Readonly<Record<'C2', never>>>
  /** By root, each version of its intermediates. A rotation adds one. */
  readonly #versions = new Map<string, Set<string>>()

  constructor(judge: Judge<Readonly<Record<'C2', never>>>) {
    this.#judge = judge
  }

  /** The roots of the replicated state, whenever they change. */
  published(roots: readonly RootText[]): void {
    for (const { id, intermediates } of roots) {
      const versions = this.#versions.get(id) ?? new Set()
      this.#versions.set(id, versions.add(textOf(intermediates)))
    }
  }

  shown(agent: string, activeId: string, roots: readonly ShownRoot[]): void {
    this.#judge.judged('C2')
    const wrong = roots.find(({ id, intermediates }) => this.#versions.get(id)?.has(textOf(intermediates)) === false)
    if (wrong !== undefined) {
      const count = wrong.intermediates.length
      this.#judge.report('C2', `${agent} shows root ${wrong.id} with ${count} intermediates, which it never had`)
    }
    const active = roots.filter((root) => root.active).map(({ id }) => id)
    if (roots.length === 0 || (active.length === 1 && active[0] === activeId)) return
    const listed = active.join(', ') || 'none'
    this.#judge.report('C2', `${agent} names ${activeId} as the active root, and lists as active: ${listed}`)
  }
}

/** Intermediates of a root as one text. Agents may end a certificate with a line break or not. */
function textOf(intermediates: readonly string[]): string {
  return intermediates.map((pem) => pem.trim()).join('\n')
}
