import type { Undo } from './link-cuts.ts'

/**
 * Settings that faults lay over a node's own, several at once: the latest rules, and when one is over what is under it
 * comes back.
 */
export class Overrides<Setting> {
  readonly #layers = new Map<string, { readonly setting: Setting }[]>()
  readonly #apply: (node: string, setting: Setting | undefined) => void

  /** `apply` puts a setting into force; undefined: the node's own. */
  constructor(apply: (node: string, setting: Setting | undefined) => void) {
    this.#apply = apply
  }

  lay(node: string, setting: Setting): Undo {
    const layer = { setting }
    const layers = this.#layers.get(node) ?? []
    this.#layers.set(node, layers)
    layers.push(layer)
    this.#apply(node, setting)
    return () => {
      const at = layers.indexOf(layer)
      if (at < 0) return
      layers.splice(at, 1)
      this.#apply(node, layers.at(-1)?.setting)
    }
  }

  /** Whether something is laid over the node's own setting. */
  has(node: string): boolean {
    return (this.#layers.get(node)?.length ?? 0) > 0
  }

  /** Nothing is laid over anything. */
  get isEmpty(): boolean {
    for (const layers of this.#layers.values()) if (layers.length > 0) return false
    return true
  }

  /** The node goes back to its own setting. */
  clear(node: string): void {
    const layers = this.#layers.get(node)
    if (layers === undefined || layers.length === 0) return
    layers.length = 0
    this.#apply(node, undefined)
  }
}
