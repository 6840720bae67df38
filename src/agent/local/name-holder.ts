import { done, err, type Result } from '../../base/result.ts'
import type { NodeFacts } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { NodeDump } from './parts.ts'

/**
 * Whether the catalog has this agent's name for another node. What is registered on that node is not this agent's, so until
 * the name is free nothing is told to the catalog, and nothing removed from it.
 */
export class NameHolder {
  readonly #own: Pick<NodeFacts, 'id' | 'node'>
  /** ID of the other node, as of the last comparison. */
  #id: string | undefined

  constructor(own: Pick<NodeFacts, 'id' | 'node'>) {
    this.#own = own
  }

  /** Why this agent is not ready; none: the name is its own, or nobody's. */
  get troubles(): readonly string[] {
    if (this.#id === undefined) return []
    const held = `the catalog has the name "${this.#own.node}" for another node (${this.#id})`
    return [`${held}: it is free when the serfHealth of that node is critical`]
  }

  /** Notes what the catalog has under the name. Refused while that is another node. */
  compared(dump: NodeDump | null): Result<undefined, Failure> {
    const id = dump?.node?.id ?? ''
    this.#id = id === '' || id === this.#own.id ? undefined : id
    const [message] = this.troubles
    return message === undefined ? done : err({ kind: 'refused', message })
  }
}
