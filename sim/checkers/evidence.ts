/**
 * What a run shows of a law: kinds of events by which a person can see why it was broken. Each law names its own, and
 * `sim/explain` finds them in a trace. The text says why such an event matters, and ends a line of an explanation.
 */
export const evidenceKinds = {
  votes: 'a server gives one vote in a term, and a majority of them makes a leader',
  terms: 'what a server has written of its term binds it, over restarts too',
  elections: 'from here on this server decides what is in the log',
  entries: 'from here on the log of this server says so',
  acknowledgements: 'a leader counts them to know what a majority has',
  commits: 'what is committed counts as decided, and is answered',
  heartbeats: 'by these the leader knows that it still leads, and its followers that it lives',
  configurations: 'they say which servers make a majority',
  snapshots: 'they replace the log and the state of a server',
  requests: 'what a client asked for, and was told',
  names: 'what a client asked for by name, and was told',
  forwards: 'one agent asks another for it, for a client',
  commands: 'the change is decided by this entry of the log',
  locks: 'it changes who holds the lock, or whether a session lives',
  catalog: 'it changes what the catalog says',
  rights: 'it changes which rights a token has',
  authority: 'it changes which roots and leaves are valid',
  intentions: 'it changes which services may connect',
  queries: 'it changes what a prepared query looks for',
  restores: 'it puts an earlier state in place of the present one',
  members: 'it is what agents believe of a member',
  probes: 'by them an agent finds out whether a member lives',
  complaints: 'the process itself says that something is wrong',
} as const

export type EvidenceKind = keyof typeof evidenceKinds
