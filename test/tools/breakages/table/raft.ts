import type { Breakage } from '../breakage.ts'

/** Consensus among servers: elections, protocols, storage and the care for its members. */
export const raftBreakages: readonly Breakage[] = [
  {
    id: 'RFT-001',
    file: 'src/features/status/endpoint.ts',
    find: "ok(server.raft.status().leader?.address ?? '')",
    replace: "ok(server.raft.status().configuration.servers[0]?.address ?? '')",
  },
  {
    id: 'RFT-002',
    file: 'src/raft/core/quorum.ts',
    find: 'values[quorumOf(values.length) - 1]',
    replace: 'values[0]',
  },
  {
    id: 'RFT-003',
    file: 'src/agent/pool/pool-servers.ts',
    find: 'raft_vsn: String(config.raft.protocol),',
    replace: 'raft_vsn: String(spoken),',
  },
  {
    id: 'RFT-004',
    file: 'src/model/release.ts',
    find: '{ min: 0, max: 0, spoken: 0 }',
    replace: '{ min: 0, max: 1, spoken: 0 }',
  },
  {
    id: 'RFT-005',
    file: 'src/model/release.ts',
    find: '{ min: 1, max: 1, spoken: 1 }',
    replace: '{ min: 0, max: 1, spoken: 1 }',
  },
  {
    id: 'RFT-006',
    file: 'src/model/release.ts',
    find: '{ min: 1, max: 3, spoken: 2 }',
    replace: '{ min: 1, max: 2, spoken: 2 }',
  },
  {
    id: 'RFT-007',
    file: 'src/raft/protocol.ts',
    find: 'Math.abs(one - other) <= 1',
    replace: 'Math.abs(one - other) <= 2',
  },
  {
    id: 'RFT-008',
    file: 'src/model/release.ts',
    find: '{ min: 1, max: 3, spoken: 2 }',
    replace: '{ min: 1, max: 3, spoken: 1 }',
  },
  {
    id: 'RFT-009',
    file: 'src/agent/servers/clean-up.ts',
    find: 'isNamedById(Math.min(leaderProtocol, lowestProtocol))',
    replace: 'isNamedById(Math.max(leaderProtocol, lowestProtocol))',
  },
  {
    id: 'RFT-010',
    file: 'src/raft/protocol.ts',
    find: 'const namedByIdFrom = 3',
    replace: 'const namedByIdFrom = 4',
  },
  {
    id: 'RFT-011',
    file: 'src/agent/servers/member-changes.ts',
    find: 'if (isNamedById(leaderProtocol)) {',
    replace: 'if (isNamedById(leaderProtocol) && named !== undefined) {',
  },
  {
    id: 'RFT-012',
    file: 'src/model/release.ts',
    find: '{ min: 1, max: 3, spoken: 3 }',
    replace: '{ min: 1, max: 3, spoken: 2 }',
  },
  {
    id: 'RFT-013',
    file: 'src/raft/opening/peers-json.ts',
    find: 'const server = isNamedById(own.protocol) ? serverAt(place, node)',
    replace: "const server = node.type === 'object' ? serverAt(place, node)",
  },
  {
    id: 'RFT-014',
    file: 'src/raft/opening/outage.ts',
    find: `if (marked) {
    const removed = await removeFiles(disk, directory, [path])`,
    replace: `if (marked) {
    const removed = await removeFiles(disk, directory, [])`,
  },
  {
    id: 'RFT-015',
    file: 'src/raft/opening/outage.ts',
    find: 'const bytes = marked.value ? await readPeersFile(disk, path) : ok(undefined)',
    replace: 'const bytes = await readPeersFile(disk, path)',
  },
  {
    id: 'RFT-016',
    file: 'src/agent/assembly/server.ts',
    find: `const raft = await openRaft(env, {
    id: serverIdFor(config.raft.protocol, nodeId,`,
    replace: `const raft = await openRaft(env, {
    id: serverIdFor(Math.min(config.raft.protocol, 2), nodeId,`,
  },
  {
    id: 'RFT-017',
    file: 'src/raft/opening/outage.ts',
    find: 'return ok({ marked: true, file, wanted: wanted.value, forced: forced.value })',
    replace: 'return ok({ marked: true, file, wanted: wanted.value, forced: undefined })',
  },
  {
    id: 'RFT-018',
    file: 'src/model/release.ts',
    find: '{ threshold: 8_192, intervalMs: 5_000 }',
    replace: '{ threshold: 8_192, intervalMs: 1_000 }',
  },
  {
    id: 'RFT-019',
    file: 'src/model/release.ts',
    find: '{ threshold: 16_384, intervalMs: 30_000 }',
    replace: '{ threshold: 16_384, intervalMs: 120_000 }',
  },
  {
    id: 'RFT-020',
    file: 'src/config/parts/timing.ts',
    find: 'snapshotThreshold: file.raft_snapshot_threshold || defaults.raft.snapshotThreshold,',
    replace: 'snapshotThreshold: defaults.raft.snapshotThreshold,',
  },
  {
    id: 'RFT-021',
    file: 'src/raft/driver/snapshotting.ts',
    find: 'this.#parts.snapshots.newest?.sizeBytes ?? 0)',
    replace: 'this.#parts.snapshots.newest?.sizeBytes ?? Number.POSITIVE_INFINITY)',
  },
  {
    id: 'RFT-022',
    file: 'src/model/server-changes.ts',
    find: `'log-out-of-mdb': {
    since: { major: 0, minor: 5, patch: 1 },`,
    replace: `'log-out-of-mdb': {
    since: { major: 0, minor: 5, patch: 2 },`,
  },
  {
    id: 'RFT-023',
    file: 'src/raft/log/old-format.ts',
    find: `refusedBy: ['refused'],
    message: (path) => \`CRITICAL`,
    replace: `refusedBy: [],
    message: (path) => \`CRITICAL`,
  },
  {
    id: 'RFT-024',
    file: 'src/features/kv/commands.ts',
    find: 'since: withTombstones,',
    replace: 'since: withSessions,',
  },
  {
    id: 'RFT-025',
    file: 'src/agent/servers/member-changes.ts',
    find: "const kind = managed && named?.suffrage !== 'voter' ? 'add-nonvoter' : 'add-voter'",
    replace: "const kind = named?.suffrage !== 'voter' ? 'add-nonvoter' : 'add-voter'",
  },
  {
    id: 'RFT-026',
    file: 'src/model/server-changes.ts',
    find: `'mdb-refused': {
    since: { major: 0, minor: 6, patch: 0 },`,
    replace: `'mdb-refused': {
    since: { major: 0, minor: 5, patch: 0 },`,
  },
  {
    id: 'RFT-027',
    file: 'src/features/kv/duty.ts',
    find: 'this.#steps - step >= this.#keptSteps',
    replace: 'this.#steps - step > this.#keptSteps',
  },
  {
    id: 'RFT-028',
    file: 'src/raft/log/segment-writer.ts',
    find: 'await active.file.writeThrough(active.end, bytes)',
    replace: 'await active.file.write(active.end, bytes)',
  },
  {
    id: 'RFT-029',
    file: 'src/model/server-changes.ts',
    find: `'promotion-one-by-one': {
    since: { major: 1, minor: 0, patch: 1 },`,
    replace: `'promotion-one-by-one': {
    since: { major: 1, minor: 0, patch: 0 },`,
  },
  {
    id: 'RFT-030',
    file: 'src/agent/servers/reconcile.ts',
    find: 'if (server !== undefined) await this.#records.removeServer(server, this.#servers())',
    replace: "if (server?.status === 'failed') await this.#records.removeServer(server, this.#servers())",
  },
  {
    id: 'RFT-031',
    file: 'src/agent/servers/lost-servers.ts',
    find: 'return this.#isMissed(server) && !this.showsLife(server.id)',
    replace: 'return this.#isMissed(server) && this.showsLife(server.id)',
  },
  {
    id: 'RFT-032',
    file: 'src/model/release.ts',
    find: '{ min: 1, max: 3, spoken: 3 }',
    replace: '{ min: 2, max: 3, spoken: 3 }',
  },
]
