/**
 * Releases of the service, and what changed with each: code asks `hasBehaviour(release, …)`, it never compares version
 * strings. Spec: UPG-001.
 */
import { accessChanges } from './access-changes.ts'
import { dnsChanges } from './dns-changes.ts'
import { interfaceChanges } from './interface-changes.ts'
import { optionChanges } from './option-changes.ts'
import type { Release, ReleaseChange } from './release-change.ts'

export type { Release, ReleaseChange } from './release-change.ts'

export const newestRelease: Release = { major: 1, minor: 4, patch: 0 }

/** Nobody can be taken back behind this one: of earlier ones too little is known. */
export const oldestRelease: Release = { major: 0, minor: 2, patch: 0 }

/** Raft protocols that are known at all, as `info` shows them. */
export const knownRaftProtocols = { min: 0, max: 3 } as const

/**
 * Every change of behaviour that an agent can be taken back behind: here of servers and of defaults, oldest first, then those
 * of DNS, of the rest of the interface, and of options. Code asks for them by name; a release has those that came with it or before. Numbers between two rows
 * behave as the row before them.
 */
export const changes = {
  'protocol-2': {
    since: { major: 0, minor: 3, patch: 0 },
    reference: 'section 0, internal protocol; spec, Ver/0.7',
    what: 'Agents speak version 1 of the protocol between agents, and understand no other. Since then they speak 2 if `protocol` does not say 1, and understand both.',
    who: 'operators that upgrade agents: those of both kinds are in one pool only while the later ones are told to speak 1',
    see: { scenario: 'upgrade-0.2-to-0.7-protocol' },
    requirements: ['MEM-024'],
  },
  'kv-tombstones': {
    since: { major: 0, minor: 5, patch: 0 },
    reference: 'REL-0.5-3, REL-0.5-4',
    what: 'Leaders do not care for tombstones. Since then they reap those of deleted keys after fifteen minutes, with a replicated command that older servers do not know.',
    who: 'servers: one of an earlier release stops at the first reaping under a leader of 0.5',
    see: { scenario: 'upgrade-0.4-to-0.5-tombstones' },
    requirements: ['LIM-007', 'RFT-024', 'RFT-025', 'RFT-026', 'RFT-027', 'UPG-048'],
  },
  'log-out-of-mdb': {
    since: { major: 0, minor: 5, patch: 1 },
    reference: 'REL-0.5.1-1',
    what: 'Servers keep their log in `mdb`. Since then it is in raft/log, and one that is found in `mdb` is brought over when the server starts.',
    who: 'operators: the way to 0.6 leads through 0.5.1',
    see: { scenario: 'upgrade-0.5-to-0.6-storage' },
    requirements: ['RFT-022', 'UPG-046'],
  },
  'protocol-3': {
    since: { major: 0, minor: 6, patch: 0 },
    reference: 'section 0, internal protocol',
    what: 'Agents understand versions 1 and 2 of the protocol between agents. Since then 3 as well.',
    who: 'only operators that set `protocol`',
    see: { ask: 'GET /v1/agent/members, tag vsn_max' },
    requirements: [],
  },
  'mdb-refused': {
    since: { major: 0, minor: 6, patch: 0 },
    reference: 'REL-0.6-3',
    what: 'A log in `mdb` is brought over. Since then a server with one in its data directory does not start.',
    who: 'operators that have left out 0.5.1',
    see: { scenario: 'upgrade-0.5-to-0.6-storage' },
    requirements: ['RFT-023', 'UPG-043'],
  },
  'prepared-queries': {
    since: { major: 0, minor: 6, patch: 0 },
    reference: 'REL-0.6-5',
    what: 'There are no prepared queries: their paths answer 404. Since then there are, with replicated commands that older servers do not know.',
    who: 'clients; and servers of an earlier release, which stop at the first query that is defined',
    see: { scenario: 'upgrade-0.5-to-0.6-queries' },
    requirements: ['CAT-037', 'UPG-042'],
  },
  coordinates: {
    since: { major: 0, minor: 6, patch: 0 },
    reference: 'REL-0.6-9',
    what: 'Agents do not tell servers where they are. Since then they do, and servers keep it by a replicated command that a leader writes only when all servers know it.',
    who: 'clients that sort by distance (`near`)',
    see: { ask: 'GET /v1/coordinate/nodes' },
    requirements: [],
  },
  'protocol-1-dropped': {
    since: { major: 0, minor: 7, patch: 0 },
    reference: 'REL-0.7-4; section 0, internal protocol',
    what: 'Agents understand version 1 of the protocol between agents. Since then no more: those of releases before 0.3 cannot join.',
    who: 'operators of agents before 0.3, which go through a release in between',
    see: { scenario: 'upgrade-0.2-to-0.7-protocol' },
    requirements: ['MEM-023', 'MEM-024', 'UPG-036'],
  },
  transactions: {
    since: { major: 0, minor: 7, patch: 0 },
    reference: 'REL-0.7-11',
    what: 'There are no transactions of keys. Since then there are, by a replicated command that older servers do not know.',
    who: 'clients; and servers of an earlier release, which stop at the first transaction',
    see: { scenario: 'unknown-command' },
    requirements: ['AGT-034'],
  },
  'query-near': {
    since: { major: 0, minor: 7, patch: 0 },
    reference: 'REL-0.7-5',
    what: 'A prepared query does not keep `Near`, and agents do not say where they are when they execute one. Since then they do.',
    who: 'clients that execute queries with `Near`',
    see: { scenario: 'upgrade-0.6-to-0.7-near' },
    requirements: ['CAT-039', 'UPG-037'],
  },
  'lan-address-tagged': {
    since: { major: 0, minor: 7, patch: 0 },
    reference: 'REL-0.7-7',
    what: "A node's tagged addresses are `wan` alone. Since then `lan` stands beside it.",
    who: 'readers of TaggedAddresses',
    see: { scenario: 'upgrade-0.6-to-0.7-addresses' },
    requirements: ['UPG-038'],
  },
  'raft-timing-slow': {
    since: { major: 0, minor: 7, patch: 0 },
    reference: 'REL-0.7-2; section 0, defaults',
    what: 'Raft is as quick as can be. Since then `performance.raft_multiplier` is 5 if absent, and 1 brings the former timing back.',
    who: 'everybody while there is no leader',
    see: { scenario: 'failover-0.6-and-0.7' },
    requirements: ['UPG-034'],
  },
  'leave-by-kind': {
    since: { major: 0, minor: 7, patch: 0 },
    reference: 'REL-0.7-3; section 0, defaults',
    what: 'An agent leaves the pool on an interrupt, and not on SIGTERM, whatever it is. Since then `leave_on_terminate` and `skip_leave_on_interrupt` are by kind if absent: a client leaves on both, a server on neither.',
    who: 'operators that stop agents',
    see: { ask: 'GET /v1/agent/self, DebugConfig' },
    requirements: ['UPG-035'],
  },
  'dns-from-any-server': {
    since: { major: 0, minor: 7, patch: 0 },
    reference: 'REL-0.7-1; section 0, defaults',
    what: 'DNS answers come from the leader. Since then `dns_config.allow_stale` is true if absent: any server answers.',
    who: 'users of DNS while there is no leader',
    see: { ask: 'GET /v1/agent/self, DebugConfig' },
    requirements: ['UPG-033'],
  },
  'raft-protocol-1': {
    since: { major: 0, minor: 7, patch: 0 },
    reference: 'section 0, Raft protocol',
    what: 'Servers speak Raft protocol 0. Since then they speak 1.',
    who: 'servers: only neighbours among protocols talk to each other',
    see: { scenario: 'upgrade-0.6-to-0.8-raft-protocol' },
    requirements: ['RFT-004', 'RFT-005', 'RFT-008'],
  },
  'peers-json-for-recovery': {
    since: { major: 0, minor: 7, patch: 0 },
    reference: 'REL-0.7-8',
    what: 'There is always a peers.json. Since then it is there for recovery alone, and read only beside its marker peers.info.',
    who: 'operators: the first start as 0.7 deletes an old file unread',
    see: { scenario: 'peers-json-by-address' },
    requirements: ['RFT-013', 'RFT-015'],
  },
  'dns-however-old': {
    since: { major: 0, minor: 7, patch: 1 },
    reference: 'REL-0.7.1-2; section 0, defaults',
    what: 'DNS answers may be 5 s old. Since then `dns_config.max_stale` is ten years if absent: DNS goes on when the leader is lost.',
    who: 'users of DNS while there is no leader',
    see: { ask: 'GET /v1/agent/self, DebugConfig' },
    requirements: ['UPG-032', 'UPG-053'],
  },
  'snapshots-over-http': {
    since: { major: 0, minor: 7, patch: 1 },
    reference: 'REL-0.7.1-4',
    what: 'A state cannot be put back over HTTP. Since then it can, by replicated commands that older servers do not know.',
    who: 'operators; and servers of an earlier release, which stop when a snapshot is restored',
    see: { ask: 'PUT /v1/snapshot' },
    requirements: [],
  },
  'raft-protocol-chosen': {
    since: { major: 0, minor: 8, patch: 0 },
    reference: 'REL-0.8.0-7',
    what: 'The Raft protocol is that of the release. Since then `raft_protocol` chooses 1, 2 or 3; 2 if absent.',
    who: 'operators, and servers of other protocols',
    see: { scenario: 'upgrade-0.6-to-0.8-raft-protocol' },
    requirements: ['RFT-006', 'RFT-008'],
  },
  autopilot: {
    since: { major: 0, minor: 8, patch: 0 },
    reference: 'REL-0.8.0-8, REL-0.8.0-1',
    what: 'The care of leaders for their group cannot be set. Since then its settings are replicated, by commands that older servers do not know: the first server of 0.8 that leads writes what it was configured with.',
    who: 'operators; and servers of an earlier release, which stop when one of 0.8.0 leads',
    see: { scenario: 'upgrade-0.7-to-0.8-leader-first-and-last' },
    requirements: ['RFT-009', 'RFT-011', 'UPG-027'],
  },
  'remote-exec-off': {
    since: { major: 0, minor: 8, patch: 0 },
    reference: 'REL-0.8.0-6; section 0, defaults',
    what: 'Agents run what `svc exec` asks for. Since then `disable_remote_exec` is true if absent.',
    who: 'operators that use `svc exec`',
    see: { ask: 'GET /v1/agent/self, DebugConfig' },
    requirements: ['UPG-030'],
  },
  'commands-wait': {
    since: { major: 0, minor: 8, patch: 1 },
    reference: 'REL-0.8.0-1',
    what: 'Leaders propose every command that they know. Since then none that some server does not know yet.',
    who: 'operators that upgrade servers: in whatever order, none stops',
    see: { scenario: 'upgrade-0.7-to-0.8-leader-first-and-last' },
    requirements: ['AGT-034', 'UPG-027'],
  },
  'script-checks-opt-in': {
    since: { major: 0, minor: 9, patch: 0 },
    reference: 'REL-0.9.0-1; section 0, defaults',
    what: 'Checks may run programs. Since then `enable_script_checks` is false if absent: one in a file keeps the agent from starting, one over HTTP is refused with 500.',
    who: 'owners of checks with `args`',
    see: { scenario: 'upgrade-0.9-to-1.0-options' },
    requirements: ['UPG-025', 'UPG-055'],
  },
  'raft-protocol-3-by-default': {
    since: { major: 1, minor: 0, patch: 0 },
    reference: 'REL-1.0-1, REL-1.0-2',
    what: '`raft_protocol` is 2 if absent. Since then it is 3, where servers are named by their IDs.',
    who: 'operators: a single server that is upgraded in place cannot lead until it is named by its ID',
    see: { scenario: 'upgrade-single-server-raft3' },
    requirements: ['RFT-012', 'RFT-016', 'RFT-017'],
  },
  'invalid-checks-refused': {
    since: { major: 1, minor: 0, patch: 0 },
    reference: 'REL-1.0-13',
    what: 'A check in a file that does not hold is left out. Since then it keeps the agent from starting.',
    who: 'operators',
    see: { scenario: 'upgrade-0.9-to-1.0-options' },
    requirements: ['UPG-024'],
  },
  'verbs-enforced': {
    since: { major: 1, minor: 0, patch: 0 },
    reference: 'REL-1.0-8',
    what: 'A request is executed whatever its verb. Since then a verb that is not listed for an endpoint is refused with 405.',
    who: 'clients with sloppy verbs',
    see: { scenario: 'upgrade-0.9-to-1.0-options' },
    requirements: ['UPG-019'],
  },
  'promotion-one-by-one': {
    since: { major: 1, minor: 0, patch: 1 },
    reference: 'REL-1.0.1-1, REL-1.0.1-2',
    what: 'Servers get their votes such that the number of voters stays odd. Since then each gets its vote as soon as it is stable.',
    who: 'operators that replace servers',
    see: { scenario: 'replace-servers-1.0-and-1.0.1' },
    requirements: ['RFT-029', 'RFT-030', 'UPG-012'],
  },
  'index-of-one-service': {
    since: { major: 1, minor: 0, patch: 7 },
    reference: 'REL-1.0.7-1, REL-1.0.7-4',
    what: 'The index of a health or catalog query of one service moves with every change of any service. Since then it is that of the last change of this service; while servers are upgraded it may fall, and clients must begin again at 0 when it does.',
    who: 'clients with blocking queries: they are woken less often',
    see: { scenario: 'upgrade-1.0.6-to-1.0.7-index' },
    requirements: ['CAT-024', 'HTP-006', 'HTP-007', 'UPG-011'],
  },
  'raft-snapshots-rarer': {
    since: { major: 1, minor: 1, patch: 0 },
    reference: 'REL-1.1.0-5',
    what: 'A snapshot of the log is taken after 8,192 entries, looked at every 5 s. Since then it is after 16,384, looked at every 30 s.',
    who: 'operators that count snapshots',
    see: { scenario: 'snapshots-of-1-0-1' },
    requirements: ['RFT-018', 'UPG-010'],
  },
  ...dnsChanges,
  ...interfaceChanges,
  ...optionChanges,
  ...accessChanges,
} as const satisfies Record<string, ReleaseChange>

export type Behaviour = keyof typeof changes

export function releaseText(release: Release): string {
  return `${release.major}.${release.minor}.${release.patch}`
}

export function hasBehaviour(release: Release, behaviour: Behaviour): boolean {
  return isWithin(release, changes[behaviour])
}

/** Whether a release is among those that have a change. */
export function isWithin(release: Release, { since, until }: Pick<ReleaseChange, 'since' | 'until'>): boolean {
  return isAtLeast(release, since) && (until === undefined || !isAtLeast(release, until))
}

/** Which release brought a change: for replicated commands, at which servers of an older release stop. */
export function releaseOf(behaviour: Behaviour): Release {
  return changes[behaviour].since
}

export interface ProtocolRange {
  /** What is understood. */
  readonly min: number
  readonly max: number
  /** By default. */
  readonly spoken: number
}

/**
 * Which protocols between agents (not the Raft protocol) an agent of this release speaks. The reference has 2 begin with 0.4;
 * that agents of 0.3 can join those of 0.7 is the specification's word. Spec: MEM-023, MEM-024.
 * Reference: releases.md#internal-protocol.
 */
export function internalProtocolsOf(release: Release): ProtocolRange {
  const has = (behaviour: Behaviour): boolean => hasBehaviour(release, behaviour)
  const max = has('protocol-3') ? 3 : has('protocol-2') ? 2 : 1
  return { min: has('protocol-1-dropped') ? 2 : 1, max, spoken: Math.min(2, max) }
}

export interface RaftProtocols {
  /** What `raft_protocol` may be. */
  readonly min: number
  readonly max: number
  /** If it is absent. */
  readonly spoken: number
}

/**
 * Which Raft protocols a server of this release speaks. Spec: RFT-004, RFT-005, RFT-006, RFT-032.
 * Reference: releases.md#raft-protocol.
 */
export function raftProtocolsOf(release: Release): RaftProtocols {
  if (hasBehaviour(release, 'raft-protocol-3-by-default')) return { min: 1, max: 3, spoken: 3 }
  if (hasBehaviour(release, 'raft-protocol-chosen')) return { min: 1, max: 3, spoken: 2 }
  return hasBehaviour(release, 'raft-protocol-1') ? { min: 1, max: 1, spoken: 1 } : { min: 0, max: 0, spoken: 0 }
}

/** What a server of this release does about a log in `mdb`. Spec: RFT-022, RFT-023. */
export function oldLogsOf(release: Release): 'kept' | 'migrated' | 'refused' {
  if (hasBehaviour(release, 'mdb-refused')) return 'refused'
  return hasBehaviour(release, 'log-out-of-mdb') ? 'migrated' : 'kept'
}

/**
 * When a snapshot is taken, if the configuration does not say. The reference divides the time before 1.1.0.
 * Spec: RFT-018, RFT-019. Reference: releases.md#raft-snapshots.
 */
export function snapshotDefaultsOf(release: Release): { readonly threshold: number; readonly intervalMs: number } {
  if (hasBehaviour(release, 'raft-snapshots-rarer')) return { threshold: 16_384, intervalMs: 30_000 }
  return { threshold: 8_192, intervalMs: 5_000 }
}

/**
 * Settings whose defaults have changed, where the configuration does not say. Reference: releases.md#changed-defaults.
 */
export interface SettingDefaults {
  readonly raftProtocol: number
  /** `performance.raft_multiplier` */
  readonly raftMultiplier: number
  readonly leaveOnTerminate: boolean
  readonly skipLeaveOnInterrupt: boolean
  /** `dns_config.allow_stale` */
  readonly dnsAllowStale: boolean
  /** `dns_config.max_stale` */
  readonly dnsMaxStaleMs: number
  readonly disableRemoteExec: boolean
  /** `ports.rpc`; -1: there is none. */
  readonly cliRpcPort: number
  readonly enableScriptChecks: boolean
  /** `acl_enforce_version_8` */
  readonly enforceVersion8: boolean
}

export function settingDefaultsOf(release: Release, server: boolean): SettingDefaults {
  const has = (behaviour: Behaviour): boolean => hasBehaviour(release, behaviour)
  return {
    raftProtocol: raftProtocolsOf(release).spoken,
    raftMultiplier: has('raft-timing-slow') ? 5 : 1,
    leaveOnTerminate: has('leave-by-kind') && !server,
    skipLeaveOnInterrupt: has('leave-by-kind') && server,
    dnsAllowStale: has('dns-from-any-server'),
    dnsMaxStaleMs: has('dns-however-old') ? 87_600 * 3_600_000 : 5_000,
    disableRemoteExec: has('remote-exec-off'),
    cliRpcPort: has('cli-rpc-gone') ? -1 : 8400,
    enableScriptChecks: !has('script-checks-opt-in'),
    enforceVersion8: has('rules-of-version-8'),
  }
}

/** The release that a text such as `1.0.1` names. */
export function parseRelease(text: string): Release | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (parts === null) return undefined
  return { major: Number(parts[1]), minor: Number(parts[2]), patch: Number(parts[3]) }
}

/** Whether `release` is `since` or a later one. */
export function isAtLeast(release: Release, since: Release): boolean {
  if (release.major !== since.major) return release.major > since.major
  if (release.minor !== since.minor) return release.minor > since.minor
  return release.patch >= since.patch
}
