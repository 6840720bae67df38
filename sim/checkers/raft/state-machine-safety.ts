import { type LogIndex, noIndex, type Term } from '../../../src/model/log-position.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import { checker, eventIn, type Judge } from '../checker.ts'
import { entryHash } from './entry-hash.ts'
import { stateDifference } from './state-difference.ts'

/**
 * Maximum number of remembered state digests: the newest ones. A server further behind is compared again when it has
 * caught up.
 */
const digestsMax = 8192

/** R5. Paper 5.4.3: only one entry is ever applied at each index, and the state after it is the same on all servers. */
export class StateMachineSafety {
  /**
   * By index, what the first server to apply it reported. Each part has an array of its own, because objects would take
   * three times as much memory.
   */
  readonly #hashes: number[] = []
  readonly #terms: Term[] = []
  readonly #firstNodes: string[] = []
  readonly #events: number[] = []
  readonly #digests = new Map<number, { readonly digest: string; readonly node: string; readonly event: number }>()
  /** The index that each server's running process has applied. */
  readonly #position = new Map<string, LogIndex>()
  /** For each running process, a function that takes a snapshot of its state. */
  readonly #snapshots = new Map<string, () => Uint8Array | undefined>()
  readonly #judge: Judge<{ R5: 'majority lost' }>

  constructor(judge: Judge<{ R5: 'majority lost' }>) {
    this.#judge = judge
  }

  /** Returns true for the first server to apply this index, whose report becomes the record. */
  applied(node: string, entry: Entry): boolean {
    const before = this.#position.get(node) ?? noIndex
    if (entry.index !== before + 1) {
      this.#judge.judged('R5')
      this.#judge.report('R5', `${node} applied entry ${entry.index} after entry ${before}`, [this.appliedIn(before)])
    }
    this.#position.set(node, entry.index)
    const hash = entryHash(entry)
    const { index } = entry
    const first = this.#hashes[index]
    if (first === undefined) {
      this.#hashes[index] = hash
      this.#terms[index] = entry.term
      this.#firstNodes[index] = node
      this.#events[index] = eventIn(this.#judge)
      return true
    }
    this.#judge.judged('R5')
    if (first !== hash) {
      const other = `${this.#firstNodes[index]} applied one of term ${this.#terms[index]} there`
      this.#judge.report('R5', `${node} applied an entry of term ${entry.term} at index ${index}: ${other}`, [
        this.appliedIn(index),
      ])
    }
    return false
  }

  /** The state was replaced by that of a snapshot. */
  restored(node: string, index: LogIndex): void {
    this.#position.set(node, index)
  }

  began(node: string, snapshot: (() => Uint8Array | undefined) | undefined): void {
    if (snapshot !== undefined) this.#snapshots.set(node, snapshot)
  }

  /** Its process has ended, and so has its state. */
  died(node: string): void {
    this.#position.set(node, noIndex)
    this.#snapshots.delete(node)
  }

  /** Applied entries from this index on were lost, and others may take their place. */
  forgetFrom(index: LogIndex): void {
    this.#judge.excused('R5', 'majority lost', Math.max(0, this.#hashes.length - index))
    for (const told of [this.#hashes, this.#terms, this.#firstNodes, this.#events]) {
      told.length = Math.min(told.length, index)
    }
    for (const known of [...this.#digests.keys()]) if (known >= index) this.#digests.delete(known)
  }

  /** Trace event in which the first server applied the entry; 0: no trace is recorded, or no server has applied it. */
  appliedIn(index: number): number {
    return this.#events[index] ?? 0
  }

  appliedIndex(node: string): LogIndex {
    return this.#position.get(node) ?? noIndex
  }

  /** The digest of a server's whole state at exactly `index`. */
  state(node: string, index: number, digest: string): void {
    const first = this.#digests.get(index)
    if (first === undefined) {
      this.#digests.set(index, { digest, node, event: eventIn(this.#judge) })
      if (this.#digests.size > digestsMax) this.#digests.delete(this.#digests.keys().next().value as number)
      return
    }
    this.#judge.judged('R5')
    if (first.digest !== digest) {
      const states = `${node} has ${digest}, ${first.node} has ${first.digest}`
      const where = this.#difference(node, first.node, index)
      this.#judge.report('R5', `state differs after entry ${index}: ${states}${where}`, [first.event])
    }
  }

  /**
   * All servers are at rest, each at `committed`. `groups`: servers of one release, whose states are written in one
   * form.
   */
  atRest(groups: readonly (readonly string[])[], committed: LogIndex): void {
    const servers = groups.flat()
    this.#judge.judged('R5', servers.length)
    for (const node of servers) {
      const position = this.#position.get(node) ?? noIndex
      if (position >= committed) continue
      this.#judge.report(
        'R5',
        `${node} is at rest, but has reported ${position} of ${committed} committed entries applied`,
      )
    }
    for (let index = 1; index <= committed; index++) {
      if (this.#hashes[index] !== undefined) continue
      this.#judge.report('R5', `entry ${index} of ${committed} is committed, but no server has reported it applied`)
      return
    }
    for (const [first, ...others] of groups)
      for (const node of others) this.#compareBytes(first as string, node, committed)
  }

  #compareBytes(first: string, node: string, index: LogIndex): void {
    const [own, theirs] = [this.#snapshots.get(node)?.(), this.#snapshots.get(first)?.()]
    if (own === undefined || theirs === undefined) return
    this.#judge.judged('R5')
    const where = stateDifference(own, theirs)
    if (where === undefined) return
    this.#judge.report('R5', `snapshots after entry ${index} differ, ${node} from ${first}: ${where}`)
  }

  /** How the states of two servers differ; the second may have gone on since that entry. */
  #difference(node: string, first: string, index: number): string {
    const [own, theirs] = [this.#snapshots.get(node)?.(), this.#snapshots.get(first)?.()]
    if (own === undefined || theirs === undefined) return ''
    const hasGoneOn = (this.#position.get(first) ?? noIndex) !== (this.#position.get(node) ?? noIndex)
    const where = stateDifference(theirs, own, hasGoneOn ? index : undefined)
    return where === undefined ? '' : `: ${first} in ${where}`
  }
}

export const stateMachineSafety = checker({
  codes: {
    R5: {
      text: 'state machine safety: all servers apply the same entry at an index, and have the same state after it',
      sources: ['Raft paper, section 5.4.3'],
      evidence: ['elections', 'entries', 'commits', 'snapshots', 'commands'],
      judges: ['entry or state compared', 'entries and states compared'],
      excuses: {
        'majority lost':
          'Entries that a scenario allows to be lost are no longer compared; until others are applied in their place.',
      },
    },
  },
  make: (judge) => new StateMachineSafety(judge),
  takes: {
    'process began': (it, { node, snapshot }) => it.began(node, snapshot),
    'process died': (it, { node }) => it.died(node),
    'entries lost': (it, { from }) => it.forgetFrom(from),
  },
})
