import type { Patch } from './mutation.ts'
import type { Swarm } from './swarm.ts'

export interface Mutant {
  readonly name: string
  readonly patches: readonly Patch[]
  /** Knobs that favour it; the rest is drawn. */
  readonly knobs: Partial<Swarm>
  /** Seeds within which it must be found. */
  readonly budget: number
}

const never = Number.POSITIVE_INFINITY

/** Found by about every tenth seed, or more. */
const common = 60
/** Found by one seed in some hundreds: the budget makes a miss improbable. */
const rare = 2000

/** The bugs of the literature, each planted where this code could have it. */
export const mutants: readonly Mutant[] = [
  {
    name: 'entries of earlier terms are committed by counting',
    patches: [
      {
        file: 'commit.ts',
        find: 'if (index <= raft.commit || raft.log.termAt(index) !== raft.term) return',
        replace: 'if (index <= raft.commit) return',
      },
    ],
    knobs: { voters: 5, appendEntriesMax: 1, trigger: 'elected-cut-crash', delayMs: 8, changeMeanMs: never },
    budget: rare,
  },
  {
    name: 'a vote leaves before it is durable',
    patches: [
      {
        file: 'election.ts',
        find: "sendOnceDurable(raft, from, { kind: 'vote-response', pre: false, term, granted: true })",
        replace:
          "emit(raft, { kind: 'send', outgoing: { to: from, message: { kind: 'vote-response', pre: false, term, granted: true } } })",
      },
    ],
    knobs: {},
    budget: common,
  },
  {
    name: 'a vote is not written',
    patches: [
      {
        file: 'election.ts',
        find: 'raft.votedFor = from\n    raft.turn.hardStateChanged = true',
        replace: 'raft.votedFor = from',
      },
    ],
    knobs: { voters: 3, trigger: 'voted-crash', heartbeatTimeoutMs: 20, slowTail: 0.3, delayMs: 20, syncMs: 1 },
    budget: rare,
  },
  {
    name: 'a term is not written',
    patches: [
      {
        file: 'roles.ts',
        find: '  raft.votedFor = undefined\n  raft.turn.hardStateChanged = true',
        replace: '  raft.votedFor = undefined',
      },
    ],
    knobs: { voters: 3, trigger: 'voted-crash', heartbeatTimeoutMs: 20, slowTail: 0.3, delayMs: 20, syncMs: 1 },
    budget: common,
  },
  {
    name: 'the leader counts its own copy before it is durable',
    patches: [{ file: 'commit.ts', find: 'raft.durability.index', replace: 'raft.log.lastIndex' }],
    knobs: { voters: 1, trigger: 'persisting-crash', syncMs: 30, proposalMeanMs: 5 },
    budget: common,
  },
  {
    name: 'every append truncates',
    patches: [{ file: 'append.ts', find: 'if (own === entry.term || ', replace: 'if (' }],
    knobs: { voters: 3, changeMeanMs: never },
    budget: common,
  },
  {
    name: 'a conflicting entry is replaced, its tail kept',
    patches: [
      {
        file: 'log.ts',
        find: 'this.#entries.length = Math.min(this.#entries.length, index - this.#baseIndex - 1)',
        replace: 'this.#entries.splice(index - this.#baseIndex - 1, 1)',
      },
    ],
    knobs: { voters: 3, trigger: 'elected-isolate' },
    budget: common,
  },
  {
    name: 'the commit index follows the last entry, not the last verified one',
    patches: [
      {
        file: 'append.ts',
        find: 'const commit = lesser(request.commit, verified)',
        replace: 'const commit = Math.min(request.commit, raft.log.lastIndex)',
      },
    ],
    knobs: { voters: 3, appendEntriesMax: 1, trigger: 'elected-isolate' },
    budget: common,
  },
  {
    name: 'an answer names the last entry, not the last verified one',
    patches: [
      {
        file: 'append.ts',
        find: '    success: true,\n    index: verified,',
        replace: '    success: true,\n    index: raft.log.lastIndex,',
      },
    ],
    knobs: { voters: 3, appendEntriesMax: 1, trigger: 'elected-isolate' },
    budget: common,
  },
  {
    name: 'the longer log wins, whatever its last term',
    patches: [
      {
        file: 'log.ts',
        find: 'return lastTerm > this.lastTerm || (lastTerm === this.lastTerm && lastIndex >= this.lastIndex)',
        replace: 'return lastIndex >= this.lastIndex',
      },
    ],
    knobs: { voters: 3, trigger: 'elected-isolate' },
    budget: common,
  },
  {
    name: 'votes of an old term are counted',
    patches: [
      {
        file: 'election.ts',
        find: "const isAnswer = role.kind === (answer.pre ? 'pre-candidate' : 'candidate') && answer.term === asked",
        replace: "const isAnswer = role.kind === (answer.pre ? 'pre-candidate' : 'candidate') && answer.term <= asked",
      },
    ],
    knobs: { voters: 5, slowTail: 0.3, heartbeatTimeoutMs: 20, delayMs: 8 },
    budget: rare,
  },
  {
    name: 'half is a quorum',
    patches: [
      { file: 'quorum.ts', find: 'return Math.floor(voters / 2) + 1', replace: 'return Math.ceil(voters / 2)' },
    ],
    knobs: { voters: 4, cutMeanMs: 300 },
    budget: common,
  },
  {
    name: 'members change before an entry of the own term is committed',
    patches: [{ file: 'proposals.ts', find: ' && hasCommittedInOwnTerm(raft, leader)', replace: '' }],
    knobs: { voters: 4, spares: 1, trigger: 'elected-change-cut' },
    budget: common,
  },
  {
    name: 'a change may begin before the last one is committed',
    patches: [{ file: 'proposals.ts', find: 'raft.configurations.latest.index <= raft.commit && ', replace: '' }],
    knobs: { voters: 4, spares: 1, changeMeanMs: 150 },
    budget: common,
  },
  {
    name: 'a truncated configuration stays in use',
    patches: [
      {
        file: 'configuration.ts',
        find: 'while (this.#brought.length > 1 && this.latest.index >= index) this.#brought.pop()',
        replace: '',
      },
    ],
    knobs: { voters: 3, spares: 2, trigger: 'elected-change-cut' },
    budget: rare,
  },
  {
    name: 'the log stays when a snapshot contradicts it',
    patches: [
      {
        file: 'snapshot.ts',
        find: 'if (raft.log.termAt(meta.index) === meta.term) {',
        replace: 'if (raft.log.termAt(meta.index) !== undefined) {',
      },
    ],
    knobs: { voters: 3, snapshotEvery: 10, trailing: 0, trigger: 'elected-isolate', proposalMeanMs: 5 },
    budget: common,
  },
  {
    name: 'an older snapshot is taken',
    patches: [
      {
        file: 'snapshot.ts',
        find: 'if (meta.index <= raft.commit) return answerInstalled(raft, from, meta, sizeBytes, round)',
        replace: '',
      },
      {
        file: 'snapshot.ts',
        find: 'if (meta.index > raft.commit) takeIntoUse(raft, meta)',
        replace: 'takeIntoUse(raft, meta)',
      },
    ],
    knobs: { voters: 3, snapshotEvery: 10, trailing: 0, duplication: 0.05, slowTail: 0.3 },
    budget: common,
  },
  {
    name: 'a restart goes on with a log that the snapshot contradicts',
    patches: [{ file: 'state.ts', find: 'covering?.term !== snapshot?.term', replace: 'covering === undefined' }],
    knobs: {
      voters: 3,
      snapshotEvery: 10,
      trailing: 0,
      syncMs: 30,
      proposalMeanMs: 5,
      trigger: 'elected-isolate',
      crashMeanMs: 1500,
    },
    budget: rare,
  },
  {
    name: 'the lease ignores the bound on clock rates',
    patches: [
      {
        file: 'read.ts',
        find: 'leaderLeaseMs * (1 - clockRateBound)',
        replace: 'leaderLeaseMs * (1 + clockRateBound)',
      },
    ],
    knobs: {
      voters: 3,
      odd: 'slow',
      clockRateBound: 0.4,
      leaderLeaseMs: 150,
      heartbeatTimeoutMs: 150,
      readMeanMs: 10,
      proposalMeanMs: 5,
      delayMs: 1,
      syncMs: 1,
      transferMeanMs: 200,
      trigger: 'elected-isolate',
    },
    budget: rare,
  },
  {
    name: 'a lease is taken as held after a pause',
    patches: [
      {
        file: 'read.ts',
        find: 'return began !== undefined && nowMs - began < ',
        replace: 'return began !== undefined && raft.quietSinceMs - began < ',
      },
    ],
    knobs: { voters: 3, trigger: 'elected-pause', proposalMeanMs: 5 },
    budget: common,
  },
  {
    name: 'the lease outlives a transfer',
    patches: [{ file: 'transfer.ts', find: 'leader.leaseForfeited = true', replace: '' }],
    knobs: {
      voters: 3,
      spares: 0,
      transferMeanMs: 30,
      readMeanMs: 10,
      proposalMeanMs: 5,
      loss: 0.15,
      slowTail: 0.3,
      delayMs: 3,
      syncMs: 1,
      heartbeatTimeoutMs: 150,
      leaderLeaseMs: 150,
      trigger: 'none',
    },
    budget: rare,
  },
  {
    name: 'a voter forgets its loyalty when it restarts',
    patches: [
      {
        file: 'election.ts',
        find: 'if (raft.term > bootstrapTerm) raft.loyalUntilMs',
        replace: 'if (raft.term < 0) raft.loyalUntilMs',
      },
    ],
    knobs: {
      voters: 3,
      spares: 0,
      readMeanMs: 10,
      proposalMeanMs: never,
      leaderLeaseMs: 150,
      heartbeatTimeoutMs: 150,
      delayMs: 1,
      syncMs: 1,
      changeMeanMs: never,
      trigger: 'elected-forget',
    },
    budget: common,
  },
  {
    name: 'another server’s death ends the loyalty to a living leader',
    patches: [
      {
        file: 'leader-gone.ts',
        find: "if (role.kind !== 'follower' || role.leader !== gone) return",
        replace: "if (role.kind !== 'follower' || role.leader === undefined) return",
      },
    ],
    knobs: {
      voters: 5,
      spares: 0,
      witnesses: 1,
      crashMeanMs: 150,
      leaderBias: 0,
      readMeanMs: 10,
      proposalMeanMs: 5,
      heartbeatTimeoutMs: 150,
      leaderLeaseMs: 150,
      delayMs: 1,
      syncMs: 1,
      changeMeanMs: never,
      trigger: 'elected-isolate',
    },
    budget: common,
  },
  {
    name: 'a read does not wait for an entry of the own term',
    patches: [
      { file: 'read.ts', find: 'if (hasCommittedInOwnTerm(raft, role)) admitRead', replace: 'if (true) admitRead' },
    ],
    knobs: { voters: 3, readMeanMs: 10, proposalMeanMs: 5, crashMeanMs: 400, leaderBias: 0.8 },
    budget: common,
  },
  {
    name: 'a read is confirmed by a round begun before it',
    patches: [
      {
        file: 'read.ts',
        find: 'leader.reads.push({ requestId, index, round: leader.round + 1 })',
        replace: 'leader.reads.push({ requestId, index, round: leader.round })',
      },
    ],
    knobs: { voters: 3, delayMs: 8, proposalMeanMs: 5, trigger: 'elected-pause' },
    budget: rare,
  },
  {
    name: 'non-voters count for commit',
    patches: [
      { file: 'commit.ts', find: "if (suffrage !== 'voter') continue", replace: 'if (id === suffrage) continue' },
    ],
    knobs: { voters: 3, spares: 2, sparesJoin: true, crashMeanMs: 400, cutMeanMs: 300, leaderBias: 0.8 },
    budget: common,
  },
]
