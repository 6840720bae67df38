import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import { checker } from '../checker.ts'
import { ServerLog } from './server-log.ts'

/** The log of every server on its disk. */
class ServerLogs {
  readonly #logs = new Map<string, ServerLog>()
  /** The last index of any log that was lost with its machine. */
  readonly #lost = new Map<string, LogIndex>()

  of(node: string): ServerLog {
    const known = this.#logs.get(node)
    if (known !== undefined) return known
    const log = new ServerLog()
    this.#logs.set(node, log)
    return log
  }

  /**
   * A log whose entry at `index` is of this term, preferably the server's own: a committed entry is in a quorum of
   * logs.
   */
  holding(node: string, index: LogIndex, term: Term): ServerLog | undefined {
    const own = this.of(node)
    if (own.termAt(index) === term) return own
    for (const log of this.#logs.values()) if (log.termAt(index) === term) return log
    return own.lastIndex >= index ? own : undefined
  }

  /** A machine of this name that is lost had this entry, as far as is known. */
  hadBefore(node: string, index: LogIndex): boolean {
    const lost = this.#lost.get(node)
    return lost !== undefined && index <= lost
  }

  replaced(node: string): void {
    const { lastIndex } = this.of(node)
    if (!this.hadBefore(node, lastIndex)) this.#lost.set(node, lastIndex)
    this.#logs.delete(node)
  }
}

export const serverLogs = checker({
  codes: {},
  make: () => new ServerLogs(),
  takes: { 'machine replaced': (it, { node }) => it.replaced(node) },
})
