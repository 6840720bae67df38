import type { AuthorityConfiguration, MeshState } from './mesh-facts.ts'
import { isAccepted } from './mesh-rotation.ts'

/** Configurations that are remembered, the latest of them. */
const configurationsMax = 64

/** The configurations that the authority has had, or that it has accepted a change to, in order. */
export class SeenConfigurations {
  readonly #texts: string[] = []

  changed({ configuration, rotations, roots }: Pick<MeshState, 'configuration' | 'rotations' | 'roots'>): void {
    const accepted = rotations.filter((rotation) => isAccepted(rotation, roots.length))
    for (const { provider, options } of [...accepted, ...(configuration === undefined ? [] : [configuration])]) {
      if (provider !== undefined && options !== undefined) this.#hold(textOf({ provider, options }))
    }
  }

  /** How many there are. */
  get count(): number {
    return this.#texts.length
  }

  /** Whether this is one of them, from the `from`-th on. */
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
