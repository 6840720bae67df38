import type { Undo } from './link-cuts.ts'

/**
 * Settings of faults that override a node's own, possibly several at once: the latest one is in effect, and when it
 * ends, the one below it is again.
 */
export class Overrides<Setting> {
  readonly #layers = new Map<string, { readonly setting: Setting }[]>()
  readonly #apply: (node: string, setting: Setting | undefined) => void

  /** `apply` puts a setting into effect; undefined: the node's own. */
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

  /** Whether the node's own setting is overridden. */
  has(node: string): boolean {
    return (this.#layers.get(node)?.length ?? 0) > 0
  }

  /** Whether no setting is overridden. */
  get isEmpty(): boolean {
    for (const layers of this.#layers.values()) if (layers.length > 0) return false
    return true
  }

  /** The node returns to its own setting. */
  clear(node: string): void {
    const layers = this.#layers.get(node)
    if (layers === undefined || layers.length === 0) return
    layers.length = 0
    this.#apply(node, undefined)
  }
}
