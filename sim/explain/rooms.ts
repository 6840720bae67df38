import type { EvidenceKind } from '../checkers/evidence.ts'

/**
 * By kind of evidence, the folders of the agent that make such events: a law that is judged by them is broken there.
 */
const roomsOfKind: Readonly<Partial<Record<EvidenceKind, readonly string[]>>> = {
  votes: ['src/raft/core'],
  terms: ['src/raft/core'],
  elections: ['src/raft/core'],
  entries: ['src/raft/core', 'src/raft/log'],
  acknowledgements: ['src/raft/core'],
  commits: ['src/raft/core'],
  heartbeats: ['src/raft/core', 'src/raft/driver'],
  configurations: ['src/raft/core', 'src/agent/servers'],
  snapshots: ['src/raft', 'src/agent/replication'],
  locks: ['src/features/kv', 'src/features/session'],
  catalog: ['src/features/catalog', 'src/features/health', 'src/agent/local'],
  rights: ['src/access', 'src/agent/access', 'src/features/acl'],
  authority: ['src/features/connect', 'src/agent/mesh', 'src/pki'],
  intentions: ['src/features/intention', 'src/features/connect'],
  queries: ['src/features/discovery', 'src/features/query'],
  restores: ['src/features/snapshot', 'src/agent/replication'],
  members: ['src/gossip/core', 'src/agent/pool'],
  events: ['src/gossip/core', 'src/features/event'],
  probes: ['src/gossip/core'],
  names: ['src/dns', 'src/features/discovery'],
  forwards: ['src/agent/requests', 'src/features'],
  commands: ['src/features', 'src/store'],
}

/** The rooms that make the facts by which a law is judged: those of its first evidence first. Empty: all rooms. */
export function roomsOf(evidence: readonly EvidenceKind[]): readonly string[] {
  return [...new Set(evidence.flatMap((kind) => roomsOfKind[kind] ?? []))]
}
