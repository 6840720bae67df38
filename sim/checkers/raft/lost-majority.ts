import { indexAfter, indexBefore, type LogIndex, lesser, type Term } from '../../../src/model/log-position.ts'
import { type CheckedRun, checker } from '../checker.ts'
import { appliedKeys } from '../keys/applied-keys.ts'
import { leaderCompleteness } from './leader-completeness.ts'
import { serverLogs } from './server-logs.ts'

/**
 * A server has an entry that no leader wrote: an operator forced a configuration on the remaining servers. If the
 * scenario names the excuse, committed entries that are not in that server's log are no longer owed (R4, R5, D1, K1,
 * K3, W1).
 */
class LostMajority {
  readonly #run: CheckedRun
  /** Entries of forced configurations, by index and term. */
  readonly #forced = new Set<string>()
  #keptBefore = Number.POSITIVE_INFINITY

  constructor(run: CheckedRun) {
    this.#run = run
  }

  forced(node: string, entry: { readonly index: LogIndex; readonly term: Term }): void {
    const name = `${entry.index} ${entry.term}`
    if (!this.#run.excusesLostMajority || this.#forced.has(name)) return
    this.#forced.add(name)
    const from = this.#firstLost(node, entry.index)
    this.#keptBefore = Math.min(this.#keptBefore, from)
    const before = this.#keptBefore
    const applied = this.#run.of(appliedKeys)
    this.#run.tell('entries lost', {
      from,
      recovery: {
        atUs: this.#run.nowUs(),
        heldOf: (key) => applied.versions(key).findLast((version) => version.index < before)?.value,
        isKept: (value) => (applied.indexOf(value) ?? before) < before,
      },
    })
  }

  /** First index from which a log that ends before `end` differs from the committed one. */
  #firstLost(node: string, end: LogIndex): LogIndex {
    const completeness = this.#run.of(leaderCompleteness)
    const log = this.#run.of(serverLogs).of(node)
    let index = lesser(end, indexAfter(completeness.committedIndex))
    const isAnother = (at: LogIndex): boolean => log.hashAt(at) !== completeness.committedHash(at)
    while (index > 1 && isAnother(indexBefore(index))) index = indexBefore(index)
    return index
  }
}

export const lostMajority = checker({
  codes: {},
  make: (run) => new LostMajority(run),
  takes: { 'configuration forced': (it, { node, entry }) => it.forced(node, entry) },
})
