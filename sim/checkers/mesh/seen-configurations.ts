import type { AuthorityConfiguration, MeshState } from './mesh-facts.ts'
import { isAccepted } from './mesh-rotation.ts'

/** Maximum number of remembered configurations: the latest ones. */
const configurationsMax = 64

/** The configurations of the certificate authority, including accepted changes, in order. */
export class SeenConfigurations {
  readonly #texts: string[] = []

  changed({ configuration, rotations, roots }: Pick<MeshState, 'configuration' | 'rotations' | 'roots'>): void {
    const accepted = rotations.filter((rotation) => isAccepted(rotation, roots.length))
    for (const { provider, options } of [...accepted, ...(configuration === undefined ? [] : [configuration])]) {
      if (provider !== undefined && options !== undefined) this.#hold(textOf({ provider, options }))
    }
  }

  /** Number of configurations so far. */
  get count(): number {
    return this.#texts.length
  }

  /** Whether this configuration is one of them, from the `from`-th on. */
  includes(from: number, configuration: AuthorityConfiguration): boolean {
    return this.#texts.slice(Math.max(0, from - 1)).includes(textOf(configuration))
  }

  #hold(text: string): void {
    if (this.#texts.at(-1) === text) return
    this.#texts.push(text)
    if (this.#texts.length > configurationsMax) this.#texts.shift()
  }
}

/** Options in order of name. */
function textOf({ provider, options }: AuthorityConfiguration): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([provider, sorted])
}
