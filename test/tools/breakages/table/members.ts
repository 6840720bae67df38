import type { Breakage } from '../breakage.ts'

/** Members of the pool. */
export const memberBreakages: readonly Breakage[] = [
  {
    id: 'MEM-001',
    file: 'src/gossip/core/alive.ts',
    find: '  broadcastClaim(gossip, member.name, aliveMessage(member))\n',
    replace: '',
  },
  {
    id: 'MEM-002',
    file: 'src/gossip/core/timers.ts',
    find: "if (timers.has('push-pull')) return",
    replace: "if (timers.has('probe')) return",
  },
  {
    id: 'MEM-003',
    file: 'src/features/agent/pool-routes.ts',
    find: 'seen?.map(memberJson) ?? null',
    replace: "seen?.map((member) => memberJson({ ...member, status: 'alive' })) ?? null",
  },
  {
    id: 'MEM-004',
    file: 'src/features/agent/model.ts',
    find: '{ alive: 1, leaving: 2,',
    replace: '{ alive: 0, leaving: 2,',
  },
  {
    id: 'MEM-005',
    file: 'src/cli/pool-members.ts',
    find: "['none', 'alive', 'leaving', 'left', 'failed']",
    replace: "['none', 'alive', 'leaving', 'failed', 'left']",
  },
  {
    id: 'MEM-006',
    file: 'src/features/agent/model.ts',
    find: 'left: 3, failed: 4 }',
    replace: 'left: 3, failed: 3 }',
  },
  {
    id: 'MEM-007',
    file: 'src/cli/pool-members.ts',
    find: "isServerRole(Tags?.['role'])",
    replace: "Tags?.['role'] === 'consul'",
  },
  {
    id: 'MEM-008',
    file: 'src/cli/commands/members.ts',
    find: "role === 'node' ? 'client' : 'unknown'",
    replace: "role === 'client' ? 'client' : 'unknown'",
  },
  {
    id: 'MEM-009',
    file: 'src/gossip/core/leave.ts',
    find: "  broadcastIntent(gossip, self.name, { kind: 'leave-intent', lamport, node: self.name, prune: false })\n",
    replace: '',
  },
  {
    id: 'MEM-010',
    file: 'src/agent/servers/reconcile.ts',
    find: '    if (nodeByName(this.#server.read(), member.name) !== undefined) await this.#records.deregister(member.name)\n',
    replace:
      '    const node = nodeByName(this.#server.read(), member.name)\n    if (node !== undefined) await this.#records.markFailed(node)\n',
  },
  {
    id: 'MEM-011',
    file: 'src/gossip/core/roster.ts',
    find: "return member.status === 'failed' && deadMs <=",
    replace: 'return deadMs <=',
  },
  {
    id: 'MEM-012',
    file: 'src/gossip/core/probe.ts',
    find: '  if (probe.streamAnswered) {\n',
    replace: '  if (!probe.streamAnswered) {\n',
  },
  {
    id: 'MEM-013',
    file: 'src/agent/servers/member-records.ts',
    find: "const check = membershipCheck(node.node, 'critical', membershipCriticalOutput)",
    replace: "const check = membershipCheck(node.node, 'passing', membershipCriticalOutput)",
  },
  {
    id: 'MEM-014',
    file: 'src/agent/servers/reconcile.ts',
    find: 'if (node !== undefined) await this.#records.markFailed(node)\n  }',
    replace: 'if (node !== undefined) await this.#records.deregister(node.node)\n  }',
  },
  {
    id: 'MEM-015',
    file: 'src/gossip/core/timers.ts',
    find: "if (failed.length > 0 && !timers.has('reconnect'))",
    replace: "if (failed.length > 1 && !timers.has('reconnect'))",
  },
  {
    id: 'MEM-016',
    file: 'src/agent/servers/reconcile.ts',
    find: "if (here && this.#records.status(member.name) === 'passing' &&",
    replace: 'if (here && this.#records.status(member.name) !== undefined &&',
  },
  {
    id: 'MEM-017',
    file: 'src/agent/settings/gossip-timing.ts',
    find: 'reconnectTimeoutMs: 72 * 3_600_000,',
    replace: 'reconnectTimeoutMs: 24 * 3_600_000,',
  },
  {
    id: 'MEM-018',
    file: 'src/cli/commands/members.ts',
    find: "'Type', 'Build', 'Protocol', 'DC', 'Segment'",
    replace: "'Type', 'Protocol', 'Build', 'DC', 'Segment'",
  },
  {
    id: 'MEM-019',
    file: 'src/cli/commands/members.ts',
    find: 'port: member.Port })',
    replace: 'port: 8301 })',
  },
  {
    id: 'MEM-020',
    file: 'src/cli/commands/members.ts',
    find: "tags.get('vsn') ?? ''",
    replace: "tags.get('raft_vsn') ?? ''",
  },
  {
    id: 'MEM-021',
    file: 'src/cli/commands/members.ts',
    find: "tags.get('dc') ?? ''",
    replace: "tags.get('datacenter') ?? ''",
  },
  {
    id: 'MEM-022',
    file: 'src/cli/commands/members.ts',
    find: 'sorted.map(([key, value]) => `${key}=${value}`)',
    replace: 'sorted.map(([key]) => key)',
  },
  {
    id: 'MEM-023',
    file: 'src/agent/pool/pool-admission.ts',
    find: 'if (isWithin(own, spoken) && isWithin({ min, max }, own.spoken))',
    replace: 'if (isWithin(own, spoken) || isWithin({ min, max }, own.spoken))',
  },
  {
    id: 'MEM-024',
    file: 'src/model/release.ts',
    find: "return { min: has('protocol-1-dropped') ? 2 : 1, max, spoken:",
    replace: "return { min: has('protocol-2') ? 2 : 1, max, spoken:",
  },
  {
    id: 'MEM-025',
    file: 'src/agent/pool/pool-servers.ts',
    find: 'return knowsPolicies(release) ? {',
    replace: "return knowsPolicies(release) && mode === 'enabled' ? {",
  },
  {
    id: 'MEM-026',
    file: 'src/agent/pool/flood-join.ts',
    find: 'if (present) continue',
    replace: 'if (!present) continue',
  },
  {
    id: 'MEM-027',
    file: 'src/features/keyring/endpoint.ts',
    find: "action === 'list' ? 'read' : 'write'",
    replace: "'read'",
  },
]
