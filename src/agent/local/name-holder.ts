import { done, err, type Result } from '../../base/result.ts'
import type { NodeFacts } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { NodeDump } from './parts.ts'

/**
 * Whether the catalog has this agent's name for another node. Entries of that node do not belong to this agent, so
 * until the name is free nothing is registered in the catalog, and nothing is removed from it.
 */
export class NameHolder {
  readonly #own: Pick<NodeFacts, 'id' | 'node'>
  /** ID of the other node as of the last comparison. */
  #id: string | undefined

  constructor(own: Pick<NodeFacts, 'id' | 'node'>) {
    this.#own = own
  }

  /** Why this agent is not ready; empty if no other node holds the name. */
  get troubles(): readonly string[] {
    if (this.#id === undefined) return []
    const held = `the catalog holds the name "${this.#own.node}" for another node (${this.#id})`
    return [`${held}: this agent takes the name over once the serfHealth check of that node is critical`]
  }

  /** Notes which node the catalog has under the name. Refused while that is another node. */
  compared(dump: NodeDump | null): Result<undefined, Failure> {
    const id = dump?.node?.id ?? ''
    this.#id = id === '' || id === this.#own.id ? undefined : id
    const [message] = this.troubles
    return message === undefined ? done : err({ kind: 'refused', message })
  }
}
