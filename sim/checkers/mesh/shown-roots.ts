import type { RootText } from './mesh-facts.ts'

/** Intermediates of a root as one text. Agents may end a certificate with a line break or not. */
function textOf(intermediates: readonly string[]): string {
  return intermediates.map((pem) => pem.trim()).join('\n')
}

/**
 * What agents show of roots beside them: a proxy that verifies an older leaf needs the crossings, so a root is shown with
 * the intermediates that it had at some time. An agent may lag behind, so any earlier version will do.
 */
export class ShownRoots {
  /** By root, each version of its intermediates. A rotation adds one. */
  readonly #versions = new Map<string, Set<string>>()

  published(roots: readonly RootText[]): void {
    for (const { id, intermediates } of roots) {
      const versions = this.#versions.get(id) ?? new Set()
      this.#versions.set(id, versions.add(textOf(intermediates)))
    }
  }

  /** The first of the shown roots with intermediates that it never had; undefined: there is none. */
  fault(shown: readonly Pick<RootText, 'id' | 'intermediates'>[]): string | undefined {
    const wrong = shown.find(({ id, intermediates }) => this.#versions.get(id)?.has(textOf(intermediates)) === false)
    if (wrong === undefined) return undefined
    return `shows root ${wrong.id} with ${wrong.intermediates.length} intermediates, which it never had`
  }
}
