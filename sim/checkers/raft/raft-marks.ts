import type { Term } from '../../../src/model/log-position.ts'
import type { RaftMessage, VoteRequest } from '../../../src/raft/core/messages.ts'
import { type CheckedRun, checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type Reach, rareStates, toldStates } from '../rare-states.ts'
import { leaderCompleteness } from './leader-completeness.ts'
import { leadership } from './leadership.ts'
import { serverLogs } from './server-logs.ts'

export const messageMarks = rareStates({
  'vote refused for the log': 'a candidate asked for the vote of a server whose log was ahead of its own',
  'pre-vote refused for the log': 'a server asked whether it could win, and the log of the server it asked was ahead',
  'pre-vote lost': 'a server that asked whether it could win an election was told that it could not',
  'vote kept over a restart': 'a server that had voted and started again was asked for another vote in the same term',
  'leadership transferred': 'a server won an election because the previous leader had asked it to stand',
  'deposed leader still wrote': 'entries or a heartbeat of an earlier term reached a server of a later one',
  'logs differed': 'a follower refused entries, because it lacked the one before them',
  'leader learned of a later term': 'a follower told a leader of a term later than its own',
  'snapshot sent anew': 'a follower that had part of a snapshot was sent the first part of one again',
  'began with uncommitted entries': 'a leader began with entries in its log that no server knew to be committed',
  'leader slept through an election': 'a leader continued after a pause of its process, and another server led by then',
  'servers named in two ways': 'a configuration named some servers by ID and others by address',
  'server joined without a vote': 'a leader added a server that has no vote yet',
  'configuration forced': 'a server began with a configuration that an operator had forced on it',
})

export const raftTold = toldStates({
  'acknowledged entries lost': [
    'raft.replication.lostLog',
    'a leader noticed that a follower no longer has entries that it had acknowledged',
  ],
  'stepped down without a quorum': [
    'raft: no quorum answers: stepping down',
    'a leader stepped down because no quorum answered it',
  ],
  'older protocol not listened to': [
    'raft: messages of a server are ignored: its Raft protocol does not fit',
    'a server ignored another one because their Raft protocols do not work together',
  ],
  'leader process gone': [
    'raft: the process of the leader is gone',
    'a follower learned from its connection that the process of the leader had ended',
  ],
})

const nodeId = /^[0-9a-f-]{36}$/

/** Observes rare states in the messages among servers, and around them. */
class RaftMarks {
  readonly #reach: Reach<keyof typeof messageMarks.marks>
  readonly #of: CheckedRun['of']
  /** The present term of each server. */
  readonly #terms = new Map<string, Term>()
  /** The vote that each server's latest boot found on its disk. */
  readonly #foundVotes = new Map<string, { readonly term: Term; readonly votedFor: string }>()
  /** Servers that the leader asked to stand for election. */
  readonly #asked = new Set<string>()
  /** How much of its present snapshot each follower has received. */
  readonly #received = new Map<string, number>()

  constructor({ of }: Pick<CheckedRun, 'of'>) {
    this.#of = of
    this.#reach = of(messageMarks)
  }

  found({ node, term, votedFor }: Facts['term found']): void {
    this.#terms.set(node, term)
    if (votedFor !== undefined) this.#foundVotes.set(node, { term, votedFor })
  }

  written({ node, term }: Facts['term written']): void {
    this.#terms.set(node, term)
    this.#foundVotes.delete(node)
  }

  received({ node, from, message }: Facts['message received']): void {
    switch (message.kind) {
      case 'vote-request':
        return this.#asks(node, from, message)
      case 'vote-response':
        if (message.pre && !message.granted) this.#reach('pre-vote lost')
        return
      case 'timeout-now':
        this.#asked.add(node)
        return
      case 'append-request':
        if (message.term < (this.#terms.get(node) ?? 0)) this.#reach('deposed leader still wrote')
        return
      case 'append-response':
        return this.#answered(node, message)
      case 'snapshot-chunk':
        if (message.offset === 0 && (this.#received.get(node) ?? 0) > 0) this.#reach('snapshot sent anew')
        this.#received.set(node, message.offset + message.bytes.length)
    }
  }

  led({ node, log }: Facts['leader began']): void {
    if (this.#asked.delete(node)) this.#reach('leadership transferred')
    this.#asked.clear()
    const { committedIndex } = this.#of(leaderCompleteness)
    // In every run, the first leader begins this way.
    if (committedIndex > 0 && log.lastIndex > committedIndex) this.#reach('began with uncommitted entries')
  }

  resumed(node: string): void {
    const { leading } = this.#of(leadership)
    const own = leading.get(node)
    if (own === undefined) return
    for (const term of leading.values()) if (term > own) this.#reach('leader slept through an election')
  }

  changed({ before, configuration: { servers } }: Facts['members changed']): void {
    const named = servers.filter(({ id }) => nodeId.test(id)).length
    if (named > 0 && named < servers.length) this.#reach('servers named in two ways')
    const joins = servers.some(({ id, suffrage }) => suffrage !== 'voter' && !before.includes(id))
    if (joins) this.#reach('server joined without a vote')
  }

  forced(): void {
    this.#reach('configuration forced')
  }

  installed(node: string): void {
    this.#received.delete(node)
  }

  died(node: string): void {
    this.#terms.delete(node)
    this.#foundVotes.delete(node)
    this.#received.delete(node)
    this.#asked.delete(node)
  }

  #asks(node: string, from: string, { pre, term, lastIndex, lastTerm }: VoteRequest): void {
    const log = this.#of(serverLogs).of(node)
    const ownTerm = log.termAt(log.lastIndex) ?? 0
    if (lastTerm < ownTerm || (lastTerm === ownTerm && lastIndex < log.lastIndex)) {
      this.#reach(pre ? 'pre-vote refused for the log' : 'vote refused for the log')
    }
    const found = this.#foundVotes.get(node)
    if (!pre && found?.term === term && found.votedFor !== from) this.#reach('vote kept over a restart')
  }

  #answered(node: string, { term, success }: Extract<RaftMessage, { readonly kind: 'append-response' }>): void {
    const leads = this.#of(leadership).leading.get(node)
    if (leads === undefined) return
    if (term > leads) this.#reach('leader learned of a later term')
    else if (term === leads && !success) this.#reach('logs differed')
  }
}

export const raftMarks = checker({
  codes: {},
  make: (run) => new RaftMarks(run),
  takes: {
    'term found': (it, fact) => it.found(fact),
    'term written': (it, fact) => it.written(fact),
    'message received': (it, fact) => it.received(fact),
    'leader began': (it, fact) => it.led(fact),
    'members changed': (it, fact) => it.changed(fact),
    'configuration forced': (it) => it.forced(),
    'log reset': (it, { node }) => it.installed(node),
    'process resumed': (it, { node }) => it.resumed(node),
    'process died': (it, { node }) => it.died(node),
  },
})
