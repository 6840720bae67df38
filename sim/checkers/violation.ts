/** Every invariant that a run checks unless its scenario names an excuse, and what it promises. */
export const invariants = {
  R1: 'election safety: a term has at most one leader',
  R2: 'leader append-only: a leader never changes or drops its own log',
  R3: 'log matching: entries of equal index and term have equal entries before them',
  R4: 'leader completeness: what was committed in earlier terms is in the log of every later leader',
  R5: 'state machine safety: all servers apply the same entry at an index, and reach the same state by it',
  R6: 'durable monotonicity: term and vote never go back, over restarts too; one vote in a term',
  R7: 'configuration: one change at a time, each after the last is committed; successive ones share a quorum',
  D1: 'durability: an acknowledged write survives every crash',
  D2: 'fail-stop: a server stops at a command that its release does not know, and at no other',
  K1: 'linearizability: each key behaves as if it lived in one place; a stale read shows a state that once was',
  K2: 'atomicity: a CAS compares and sets at once; of a transaction all takes effect or nothing; a list shows one state',
  K3: 'exactly once: a write that the cluster itself repeats takes effect once',
  S1: 'mutual exclusion: a key has one holder, and none before the lock delay of the last is over',
  S2: 'sessions: one lives for its time to live after a renewal, and at most for twice that',
  S3: 'lock index: it grows by one with each holder; each holder has a greater fencing number',
  W1: 'monotone index: the index of a query never falls',
  W2: 'watch liveness: a blocking query is answered as soon as its result has changed',
  W3: 'watch completeness: who follows the answers to blocking queries ends with what a fresh read finds',
  M1: 'convergence: within a bound after the last fault all agents know the same members',
  M2: 'no lasting false death: an agent that runs and is connected is not held failed for longer than the bound',
  M3: 'incarnations: of a member each other one holds a number that never falls; within one: alive, suspect, dead',
  M4: 'detection: a dead member is suspected within two rounds of probes, and dead after the longest suspicion',
  M5: 'the gone: who left is not contacted, who failed is tried again, and both are forgotten when their time is over',
  M6: 'local health stays in range, and who has slept accuses nobody for it',
  M7: 'coordinates stay within bounds, and estimates get better',
  E1: 'anti-entropy: within a bound after the last fault the catalog has of each agent exactly what the agent holds',
  E2: 'one source: HTTP and DNS answer the same of a service',
  E3: 'a killed agent keeps its registrations, one that left has none',
  O1: 'cleaning up: a dead server is taken out only of four voters or more, and never below min_quorum',
  O2: 'newcomers: a server that joined gets its vote when it has been healthy for the stabilization time',
  Q1: 'queries: one finds what health tells of its service, and elsewhere only where nothing is here, in its order',
  H3: 'clean death: nothing of a crashed process goes on',
  P1: 'no panic: no agent finds itself in a state that its own invariants exclude, and none fails to start',
  L1: 'liveness: once faults stop, the cluster serves again and every open request ends within the bound',
} as const

export type InvariantCode = keyof typeof invariants

/** Tells that an invariant does not hold, with one line that has the values a reader wants. */
export type Report = (code: InvariantCode, message: string) => void
