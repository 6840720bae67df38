import { type LogIndex, logIndexOf, noIndex, type Term } from '../../../src/model/log-position.ts'
import type { RaftCore } from '../../../src/raft/core/state.ts'
import type { Configuration, Entry, ServerId } from '../../../src/raft/core/types.ts'

/** A law of consensus is broken: the message names it. */
export class Broken extends Error {}

function demand(condition: boolean, law: string, values: Record<string, unknown>): asserts condition {
  if (!condition) throw new Broken(`${law} ${JSON.stringify(values)}`)
}

function contentOf(entry: Entry): string {
  return `${entry.term}/${entry.kind}/${Array.from(entry.payload).join('.')}`
}

interface Committed {
  readonly term: Term
  readonly content: string
  readonly committedIn: Term
}

/** Sees all servers at once and remembers what must never change. Each law is O(1) per event, or per election. */
export class Laws {
  readonly #leaders = new Map<Term, ServerId>()
  readonly #votes = new Map<string, ServerId>()
  /** By `index/term`: the content, and the term of the entry before. Equal for all servers, which is log matching. */
  readonly #entries = new Map<string, string>()
  readonly #committed: (Committed | undefined)[] = []
  readonly #stateAt = new Map<LogIndex, number>()
  #acknowledged: LogIndex = noIndex
  elections = 0

  get acknowledgedIndex(): LogIndex {
    return this.#acknowledged
  }

  get committedIndex(): LogIndex {
    return logIndexOf(this.#committed.length - 1)
  }

  /** R1 and R4. */
  becameLeader(raft: RaftCore): void {
    this.elections++
    const { term, id, log } = raft
    const known = this.#leaders.get(term)
    demand(known === undefined || known === id, 'R1: one leader in each term', { term, known, id })
    this.#leaders.set(term, id)
    for (let index = Math.max(1, log.baseIndex); index < this.#committed.length; index++) {
      const committed = this.#committed[index]
      if (committed === undefined || committed.committedIn >= term) continue
      demand(
        log.termAt(logIndexOf(index)) === committed.term,
        'R4: a leader holds what was committed before its term',
        {
          id,
          term,
          index,
          committed: committed.term,
          own: log.termAt(logIndexOf(index)),
        },
      )
    }
  }

  /** R6, at the moment a vote is spoken. */
  voted(voter: ServerId, term: Term, candidate: ServerId): void {
    const key = `${voter}/${term}`
    const known = this.#votes.get(key) ?? candidate
    demand(known === candidate, 'R6: one vote in each term', { voter, term, known, candidate })
    this.#votes.set(key, candidate)
  }

  /** R3, by induction over entries. */
  appended(id: ServerId, entry: Entry, termBefore: Term | undefined): void {
    const key = `${entry.index}/${entry.term}`
    const content = `${contentOf(entry)} after ${termBefore}`
    const known = this.#entries.get(key) ?? content
    demand(known === content, 'R3: equal index and term, equal logs before', { id, key, known, content })
    this.#entries.set(key, content)
  }

  /** R5. Returns the hash of the state after it. */
  applied(raft: RaftCore, entry: Entry, stateBefore: number): number {
    const { id, term } = raft
    const content = contentOf(entry)
    const known = this.#committed[entry.index]
    demand(known === undefined || known.content === content, 'R5: one entry applied at each index', {
      id,
      index: entry.index,
      known: known?.content,
      content,
    })
    if (known === undefined) this.#committed[entry.index] = { term: entry.term, content, committedIn: term }
    let state = stateBefore
    for (let i = 0; i < content.length; i++) state = (Math.imul(state, 31) + content.charCodeAt(i)) | 0
    this.stateAt(id, entry.index, state)
    return state
  }

  /** R5, for states that came by snapshot too. */
  stateAt(id: ServerId, index: LogIndex, state: number): void {
    const known = this.#stateAt.get(index) ?? state
    demand(known === state, 'R5: one state at each index', { id, index, known, state })
    this.#stateAt.set(index, state)
  }

  /** R7: asked of a leader that has just put a change into its log. */
  changed(raft: RaftCore, before: Configuration, beforeIndex: LogIndex, commit: LogIndex): void {
    const { id, term, configurations } = raft
    const votersOf = (configuration: Configuration): Set<ServerId> =>
      new Set(configuration.servers.filter((server) => server.suffrage === 'voter').map((server) => server.id))
    const old = votersOf(before)
    const now = votersOf(configurations.latest.configuration)
    const differing = [...old].filter((v) => !now.has(v)).length + [...now].filter((v) => !old.has(v)).length
    demand(differing <= 1, 'R7: neighbouring configurations share a quorum', { id, old: [...old], now: [...now] })
    demand(beforeIndex <= commit, 'R7: no change before the last one is committed', { id, beforeIndex, commit })
    demand(raft.log.termAt(commit) === term, 'R7: no change before an entry of the own term is committed', {
      id,
      commit,
      term,
    })
  }

  /** A client was told that the entry took effect. */
  acknowledged(index: LogIndex): void {
    this.#acknowledged = logIndexOf(Math.max(this.#acknowledged, index))
  }

  read(id: ServerId, mode: string, index: LogIndex, floor: LogIndex): void {
    demand(index >= floor, 'K1: a read sees every write acknowledged before it began', { id, mode, index, floor })
  }

  holds(condition: boolean, law: string, values: Record<string, unknown>): void {
    demand(condition, law, values)
  }
}
