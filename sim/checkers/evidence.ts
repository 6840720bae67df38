/**
 * Kinds of trace events that show a person why a law was broken. Each law names its kinds, and `sim/explain` finds the
 * events in a trace. The text says why such an event matters, and ends a line of an explanation.
 */
export const evidenceKinds = {
  votes: 'a server grants one vote in a term, and a majority of votes elects a leader',
  terms: 'a server must remember the term that it wrote, across restarts too',
  elections: 'from here on this server decides what is in the log',
  entries: 'this is in its log once the write is durable',
  acknowledgements: 'the leader counts acknowledgements to know what a majority has',
  commits: 'committed entries are decided, and their callers are answered',
  heartbeats: 'heartbeats show the leader that it still leads, and its followers that it lives',
  configurations: 'the configuration defines which servers form a majority',
  snapshots: 'a snapshot replaces the log and the state of a server',
  requests: "a client's request, or its answer",
  names: "a client's DNS question, or its answer",
  forwards: 'an agent forwards a request of its client',
  commands: 'this log entry makes the change',
  locks: 'it changes which session holds the lock, or ends a session',
  catalog: 'it changes the catalog',
  rights: 'it changes the rights of a token',
  authority: 'it changes which roots and leaves are valid',
  intentions: 'it changes which services may connect',
  queries: 'it changes what a prepared query looks for',
  restores: 'it replaces the state with an earlier one',
  members: 'it changes what agents believe about a member',
  events: 'an event reaches an agent, which must take it once',
  probes: 'probes show an agent whether a member lives',
  complaints: 'the process itself reports an error',
} as const

export type EvidenceKind = keyof typeof evidenceKinds
