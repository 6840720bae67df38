import type { PlantedBug } from './planted-bug.ts'

const core = 'src/raft/core'

/** Bugs that implementations of Raft are known for: votes, terms, the log, commits, the configuration, leases. */
export const consensusBugs: readonly PlantedBug[] = [
  {
    row: 1,
    name: 'earlier-term-commit',
    about: 'a leader commits entries of earlier terms by counting copies (Raft, figure 8)',
    patches: [
      {
        file: `${core}/commit.js`,
        find: 'if (index <= raft.commit || raft.log.termAt(index) !== raft.term)',
        replace: 'if (index <= raft.commit)',
      },
    ],
    hunt: 'figure-8',
    foundBy: ['R8'],
  },
  {
    row: 2,
    name: 'vote-not-durable',
    about: 'a vote is forgotten when the server restarts',
    patches: [{ file: `${core}/state.js`, find: 'votedFor: hardState.votedFor,', replace: 'votedFor: undefined,' }],
    hunt: 'voters-crash',
    foundBy: ['R9', 'R8', 'R1', 'R6'],
  },
  {
    row: 3,
    name: 'term-not-durable',
    about: 'the term is forgotten when the server restarts, except for what its log shows',
    patches: [
      {
        file: `${core}/state.js`,
        find: '    const { hardState, snapshot } = recovered;\n',
        replace:
          '    const { snapshot } = recovered;\n' +
          '    const newest = Math.max(recovered.entries.at(-1)?.term ?? 0, snapshot?.term ?? 0);\n' +
          '    const hardState = { term: newest, votedFor: undefined };\n',
      },
    ],
    hunt: 'voters-crash',
    foundBy: ['R9', 'R8', 'R1', 'R4', 'R6'],
  },
  {
    row: 4,
    name: 'acknowledged-before-durable',
    about: 'a follower acknowledges entries before they are on its disk',
    patches: [
      {
        file: `${core}/append.js`,
        find: "    sendOnceDurable(raft, from, {\n        kind: 'append-response',",
        replace: "    send(raft, from, {\n        kind: 'append-response',",
      },
    ],
    hunt: 'power-cuts',
    foundBy: ['R8', 'R13', 'R4', 'R5', 'D1', 'P1'],
  },
  {
    row: 5,
    name: 'every-append-truncates',
    about: 'a follower truncates its log at every append, even if the entries are equal',
    patches: [{ file: `${core}/append.js`, find: 'if (own === entry.term || ', replace: 'if (' }],
    hunt: 'long-tails',
    foundBy: ['R4', 'P1'],
  },
  {
    row: 6,
    name: 'tail-kept',
    about: 'a conflicting entry is replaced and the entries after it are kept',
    patches: [
      {
        file: `${core}/log.js`,
        find: 'this.#entries.length = Math.min(this.#entries.length, index - this.#baseIndex - 1);',
        replace: 'this.#entries.splice(index - this.#baseIndex - 1, 1);',
      },
    ],
    hunt: 'long-tails',
    foundBy: ['R3', 'R5', 'P1'],
  },
  {
    row: 7,
    name: 'commit-beyond-verified',
    about: "a follower commits up to its last entry, not up to the last one that is known to match the leader's log",
    patches: [
      {
        file: `${core}/append.js`,
        find: 'lesser(request.commit, verified)',
        replace: 'lesser(request.commit, raft.log.lastIndex)',
      },
    ],
    hunt: 'long-tails',
    foundBy: ['R5', 'P1', 'K3'],
  },
  {
    row: 8,
    name: 'longer-log-wins',
    about: 'a voter compares the lengths of the logs and not their last terms',
    patches: [
      {
        file: `${core}/log.js`,
        find: 'return lastTerm > this.lastTerm || (lastTerm === this.lastTerm && lastIndex >= this.lastIndex);',
        replace: 'return lastIndex >= this.lastIndex;',
      },
    ],
    hunt: 'long-tails',
    foundBy: ['R9', 'R4', 'P1'],
  },
  {
    row: 9,
    name: 'old-votes-counted',
    about: 'votes of an earlier term are counted in the present one',
    patches: [{ file: `${core}/election.js`, find: 'answer.term === asked;', replace: 'answer.term <= asked;' }],
    hunt: 'late-votes',
    foundBy: ['R8', 'R1'],
  },
  {
    row: 10,
    name: 'half-is-a-quorum',
    about: 'half of the servers count as a majority',
    patches: [{ file: `${core}/quorum.js`, find: 'Math.floor(voters / 2) + 1', replace: 'Math.ceil(voters / 2)' }],
    hunt: 'two-and-two',
    foundBy: ['R8', 'R10', 'R12', 'R1', 'R4', 'P1'],
  },
  {
    row: 11,
    name: 'early-change-of-members',
    about: "members change before an entry of the leader's own term is committed (raft-dev, 2015)",
    patches: [{ file: `${core}/proposals.js`, find: ' && hasCommittedInOwnTerm(raft, leader)', replace: '' }],
    hunt: 'members-change',
    foundBy: ['R8', 'R1', 'R4', 'R7', 'P1'],
  },
  {
    row: 12,
    name: 'log-against-snapshot',
    about: 'a snapshot is installed beside a log that contradicts it (hashicorp/raft#704)',
    patches: [
      {
        file: `${core}/snapshot.js`,
        find: 'if (raft.log.termAt(meta.index) === meta.term) {',
        replace: 'if (raft.log.termAt(meta.index) !== undefined) {',
      },
    ],
    hunt: 'tails-and-snapshots',
    foundBy: ['R8', 'R3', 'R5', 'P1', 'L1'],
  },
  {
    row: 13,
    name: 'truncated-entries-return',
    about: 'a restart brings back entries that had been truncated (etcd#22442)',
    patches: [
      {
        file: 'src/raft/log/replay.js',
        find: 'if (record.entry.index !== this.lastIndex + 1)',
        replace:
          'if (record.entry.index <= this.lastIndex) {\n' +
          '                    this.entries[record.entry.index - this.baseIndex - 1] = record.entry;\n' +
          '                    return undefined;\n' +
          '                }\n' +
          '                if (record.entry.index !== this.lastIndex + 1)',
      },
      {
        file: 'src/raft/log/replay.js',
        find: 'this.entries.length = Math.min(this.entries.length, from - this.baseIndex - 1);',
        replace: ';',
      },
    ],
    hunt: 'long-tails',
    foundBy: ['R3', 'R4', 'P1'],
  },
  {
    row: 14,
    name: 'stamped-after-the-wait',
    about: 'appends wait for the disk and then carry the term of that moment (the shape of hashicorp/raft#695)',
    patches: [
      {
        file: `${core}/outbox.js`,
        find: 'if (raft.durability.term === raft.term)',
        replace: "if (raft.durability.term === raft.term && message.kind !== 'append-request')",
      },
      {
        file: 'src/raft/driver/raft-server.js',
        find: 'send: (outgoing) => sender.send(outgoing)',
        replace:
          "send: ({ to, message }) => sender.send({ to, message: message.kind === 'append-request' ? " +
          '{ ...message, term: this.#core.term } : message })',
      },
    ],
    hunt: 'leader-wakes',
    foundBy: ['R11', 'R12', 'R3', 'R4', 'R5', 'P1', 'L1', 'R13'],
  },
  {
    row: 15,
    name: 'lease-after-a-pause',
    about: 'a leader that was paused believes that it still holds its lease',
    patches: [
      {
        file: `${core}/read.js`,
        find: 'return began !== undefined && nowMs - began < ',
        replace: 'return began !== undefined && raft.quietSinceMs - began < ',
      },
    ],
    hunt: 'leader-sleeps',
    foundBy: ['R10', 'K1', 'W1'],
  },
  {
    row: 125,
    name: 'last-batch-taken-for-torn',
    about: 'a restarting server truncates the last batch of its log, although it is whole',
    patches: [
      {
        file: 'src/raft/log/segment-reading.js',
        find: 'const read = this.#bytes.read((part) => readBatch(part, place));',
        replace:
          'const whole = this.#bytes.read((part) => readBatch(part, place));\n' +
          '            const isLast = whole.ok && whole.value.end >= this.#contentEnd;\n' +
          "            const read = isLast ? { ok: false, error: { offset: this.#end, what: 'it is torn' } } : whole;",
      },
    ],
    hunt: 'power-cuts',
    foundBy: ['R6'],
  },
  {
    row: 164,
    name: 'servers-without-a-vote-count',
    about: 'a leader commits what a majority of all servers has, those without a vote included',
    patches: [{ file: 'src/raft/core/commit.js', find: "if (suffrage !== 'voter')", replace: "if (suffrage === '')" }],
    hunt: 'members-change',
    foundBy: ['R8'],
  },
  {
    row: 165,
    name: 'one-acknowledgement-too-few',
    about: 'in a group of four or more servers a leader commits what one server less than a majority holds',
    patches: [
      {
        file: 'src/raft/core/commit.js',
        find: 'return reachedByQuorum(tally);',
        replace: 'if (tally.length > 3) tally.pop(); return reachedByQuorum(tally);',
      },
    ],
    hunt: 'two-and-two',
    foundBy: ['R8', 'R4', 'P1'],
  },
]
