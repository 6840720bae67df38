import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import { decodeConfiguration } from '../../../src/raft/core/configuration.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { Configuration } from '../../../src/raft/core/types.ts'

/**
 * The configurations that have arrived at each server and are not on its disk, until it writes one of their index or of a
 * later one. It goes by the newest in its memory, which is one of them unless it has refused them.
 */
export class ComingConfigurations {
  /** By node and index, the voters. */
  readonly #coming = new Map<string, Map<LogIndex, readonly string[]>>()
  readonly #isWritten: (node: string, index: LogIndex, term: Term) => boolean

  constructor(isWritten: (node: string, index: LogIndex, term: Term) => boolean) {
    this.#isWritten = isWritten
  }

  received(node: string, message: RaftMessage): void {
    if (message.kind === 'snapshot-chunk') {
      const { meta } = message
      if (!this.#isWritten(node, meta.index, meta.term)) this.#add(node, meta.configurationIndex, meta.configuration)
    } else if (message.kind === 'append-request') {
      for (const entry of message.entries) {
        if (entry.kind !== 'configuration' || this.#isWritten(node, entry.index, entry.term)) continue
        const configuration = decodeConfiguration(entry.payload)
        if (configuration.ok) this.#add(node, entry.index, configuration.value)
      }
    }
  }

  /** The server's disk has a configuration of this index, or a snapshot up to it. */
  written(node: string, index: LogIndex): void {
    const coming = this.#coming.get(node)
    for (const each of coming?.keys() ?? []) if (each <= index) coming?.delete(each)
  }

  forget(node: string): void {
    this.#coming.delete(node)
  }

  votersAt(node: string): readonly (readonly string[])[] {
    return [...(this.#coming.get(node)?.values() ?? [])]
  }

  #add(node: string, index: LogIndex, { servers }: Configuration): void {
    const coming = this.#coming.get(node) ?? new Map<LogIndex, readonly string[]>()
    this.#coming.set(node, coming)
    coming.set(
      index,
      servers.flatMap(({ id, suffrage }) => (suffrage === 'voter' ? [id] : [])),
    )
  }
}
