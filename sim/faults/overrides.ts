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

  /** Every node goes back to its own setting. */
  clear(): void {
    for (const [node, layers] of this.#layers) {
      if (layers.length === 0) continue
      layers.length = 0
      this.#apply(node, undefined)
    }
  }
}
