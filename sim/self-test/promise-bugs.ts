import type { PlantedBug } from './planted-bug.ts'

const core = 'src/raft/core'

/** Bugs of what servers promise each other: votes, loyalty, and the answers that a leader reads by. */
export const promiseBugs: readonly PlantedBug[] = [
  {
    row: 170,
    name: 'own-vote-not-noted',
    about: 'a candidate does not record its vote for itself, and may vote for another server in the same term',
    patches: [{ file: `${core}/roles.js`, find: '    raft.votedFor = raft.id;\n', replace: '' }],
    hunt: 'late-votes',
    foundBy: ['R9', 'R8', 'R1'],
  },
  {
    row: 171,
    name: 'shorter-log-covers',
    about: 'a server votes for a candidate whose log is shorter than its own, or of an older term',
    patches: [
      {
        file: `${core}/log.js`,
        find: '(lastTerm === this.lastTerm && lastIndex >= this.lastIndex)',
        replace: 'lastTerm === this.lastTerm || lastIndex >= this.lastIndex',
      },
    ],
    hunt: 'late-votes',
    foundBy: ['R9', 'R4'],
  },
  {
    row: 172,
    name: 'read-joins-a-round',
    about: 'a consistent read counts the answers to a round that began before it came',
    patches: [{ file: `${core}/read.js`, find: 'round: leader.round + 1 }', replace: 'round: leader.round }' }],
    hunt: 'long-tails',
    foundBy: ['R10', 'K1'],
  },
  {
    row: 173,
    name: 'lease-without-an-end',
    about: 'a leader answers by its lease for as long as it believes that it leads',
    patches: [
      {
        file: `${core}/read.js`,
        find: 'return began !== undefined && nowMs - began < leaderLeaseMs * (1 - clockRateBound);',
        replace: 'return began !== undefined && leaderLeaseMs * (1 - clockRateBound) > 0;',
      },
    ],
    hunt: 'leader-sleeps',
    foundBy: ['R10', 'K1'],
  },
  {
    row: 174,
    name: 'stands-beside-its-leader',
    about: 'a follower whose election timer fires becomes a candidate, although it has just heard from its leader',
    patches: [
      {
        file: `${core}/election.js`,
        find: "role.kind === 'follower' && quietMs < patience",
        replace: "role.kind === 'follower' && quietMs < 0 * patience",
      },
    ],
    hunt: 'late-votes',
    foundBy: ['R11'],
  },
  {
    row: 175,
    name: 'votes-beside-its-leader',
    about: 'a server grants its vote, although it has just heard from its leader',
    patches: [
      {
        file: `${core}/election.js`,
        find: "return raft.role.kind === 'leader' || nowMs < raft.loyalUntilMs;",
        replace: "return raft.role.kind === 'leader';",
      },
    ],
    hunt: 'late-votes',
    foundBy: ['R11'],
  },
  {
    row: 179,
    name: 'one-follower-unheard',
    about: 'a leader sends heartbeats only to one follower, whose answers keep it leader',
    patches: [
      {
        file: `${core}/heartbeat.js`,
        find: 'if (!progress.sentSinceTick || silent || readsWait)',
        replace: 'if (progress.id === [...role.progress.keys()][0] || readsWait)',
      },
    ],
    hunt: 'mesh-root-ends',
    foundBy: ['R12', 'R11'],
  },
  {
    row: 336,
    name: 'reads-before-the-first-commit',
    about: 'a leader answers reads before an entry of its own term is committed, from what it knows to be committed',
    patches: [
      {
        file: `${core}/read.js`,
        find: 'if (hasCommittedInOwnTerm(raft, role))',
        replace:
          "if (mode === 'lease')\n        emit(raft, { kind: 'read-ready', requestId, index: raft.commit });\n    else if (hasCommittedInOwnTerm(raft, role))",
      },
    ],
    hunt: 'leaders-are-asked',
    foundBy: ['R10', 'E8'],
  },
  {
    row: 350,
    name: 'reads-before-it-has-applied',
    about: 'a new leader answers reads before it has applied what its predecessor committed',
    patches: [
      {
        file: `${core}/read.js`,
        find: "if (role.kind !== 'leader' || applied < commit)",
        replace: "if (role.kind !== 'leader')",
      },
      {
        file: `${core}/read.js`,
        find: 'return hasCommittedInOwnTerm(raft, role) && holdsLease(raft, role, nowMs);',
        replace: 'return holdsLease(raft, role, nowMs);',
      },
    ],
    hunt: 'leaders-are-asked',
    foundBy: ['R10', 'E8'],
  },
  {
    row: 391,
    name: 'restarted-voters-are-free',
    about: 'a server that has restarted votes at once, although it may have acknowledged a leader just before',
    patches: [
      {
        file: `${core}/election.js`,
        find: 'if (raft.term > bootstrapTerm)',
        replace: 'if (raft.term < bootstrapTerm)',
      },
    ],
    hunt: 'voters-restart',
    foundBy: ['R11'],
  },
  {
    row: 392,
    name: 'stands-after-a-restart',
    about: 'a server that has restarted stands for election after a tenth of the timeout',
    patches: [
      { file: `${core}/election.js`, find: 'raft.quietSinceMs = nowMs;\n    if (raft.term', replace: 'if (raft.term' },
      {
        file: `${core}/election.js`,
        find: 'setElectionTimer(raft, raft.timing.heartbeatTimeoutMs);\n    const',
        replace: 'setElectionTimer(raft, raft.timing.heartbeatTimeoutMs / 10);\n    const',
      },
    ],
    hunt: 'voters-restart',
    foundBy: ['R11'],
  },
  {
    row: 408,
    name: 'any-log-is-encouraged',
    about: 'a server that is asked whether it would vote looks at the term alone, so servers stand that cannot win',
    patches: [
      {
        file: `${core}/election.js`,
        find: 'const granted = request.term > raft.term && raft.log.isCoveredBy(request.lastIndex, request.lastTerm);',
        replace: 'const granted = request.term > raft.term;',
      },
    ],
    hunt: 'long-tails',
    foundBy: ['R9'],
  },
  {
    row: 429,
    name: 'former-voters-ask',
    about: 'a server that is no voter any more, and knows it, asks whether it could win an election',
    patches: [
      {
        file: `${core}/election.js`,
        find: 'latest.index > raft.commit && isVoter(previous.configuration, raft.id)',
        replace: 'isVoter(previous.configuration, raft.id)',
      },
    ],
    hunt: 'members-change',
    foundBy: ['R8'],
  },
  {
    row: 483,
    name: 'servers-without-a-vote-ask',
    about: 'a server that was added without a vote asks whether it could win an election',
    patches: [
      {
        file: `${core}/election.js`,
        find: '(isNeeded || isVoter(latest.configuration, raft.id))',
        replace: 'latest.configuration.servers.length > 0',
      },
    ],
    hunt: 'members-change',
    foundBy: ['R8'],
  },
  {
    row: 484,
    name: 'a-refusal-is-not-answered',
    about: 'a leader sends a server that refused entries no others before its next heartbeat',
    patches: [
      {
        file: `${core}/replication.js`,
        find: '    becomeProbe(progress, lesser(next, progress.next));\n    replicateTo(raft, leader, progress);\n',
        replace: '    becomeProbe(progress, lesser(next, progress.next));\n',
      },
    ],
    hunt: 'long-tails',
    foundBy: ['R12'],
  },
  {
    row: 485,
    name: 'probes-wait-for-an-answer-that-came',
    about: 'a leader that must go back in its log waits as if it had asked already',
    patches: [
      {
        file: `${core}/sending.js`,
        find: "progress.state = 'probe';\n    progress.next = next;\n    progress.inFlight = [];\n    progress.bytesInFlight = 0;\n    progress.probing = false;",
        replace:
          "progress.state = 'probe';\n    progress.next = next;\n    progress.inFlight = [];\n    progress.bytesInFlight = 0;\n    progress.probing = true;",
      },
    ],
    hunt: 'long-tails',
    foundBy: ['R12'],
  },
]
