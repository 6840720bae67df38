import type { Breakage } from '../breakage.ts'

/** Commands. */
export const cliBreakages: readonly Breakage[] = [
  {
    id: 'CLI-001',
    file: 'src/config/load.ts',
    find: "flags.get('dev') === true",
    replace: "flags.get('dev') === 'true'",
  },
  {
    id: 'CLI-002',
    file: 'src/config/found-files.ts',
    find: "const isDirectory = entry.ok && entry.value.kind === 'directory'",
    replace: "const isDirectory = entry.ok && entry.value.kind === 'other'",
  },
  {
    id: 'CLI-003',
    file: 'src/config/found-files.ts',
    find: 'found.paths.push(path)\n  return undefined',
    replace: 'return undefined',
  },
  {
    id: 'CLI-004',
    file: 'src/cli/commands/members.ts',
    find: "new RegExp(typeof given === 'string' ? given : '.*')",
    replace: "new RegExp(typeof given === 'string' ? given : 'alive')",
  },
  {
    id: 'CLI-005',
    file: 'src/cli/commands/members.ts',
    find: "flags.get('detailed') === true ? detailedTable(shown) : table(shown)",
    replace: 'table(shown)',
  },
  {
    id: 'CLI-006',
    file: 'src/cli/commands/validate.ts',
    find: '      return 1\n    }\n    const { startProblems }',
    replace: '      return 0\n    }\n    const { startProblems }',
  },
  {
    id: 'CLI-007',
    file: 'src/host/main.ts',
    find: '  return exit(code)\n',
    replace: '  return exit(0)\n',
  },
  {
    id: 'CLI-008',
    file: 'src/cli/program.ts',
    find: "[['configtest', `it was removed in 1.0, use 'svc validate'`]]",
    replace: '',
  },
  {
    id: 'CLI-009',
    file: 'src/features/operator/endpoint.ts',
    find: "protocolVersion: other === undefined ? 'unknown' : String(other.raftProtocol),",
    replace: "protocolVersion: '3',",
  },
  {
    id: 'CLI-010',
    file: 'src/agent/assembly/self.ts',
    find: "leader: String(status.role === 'leader'),",
    replace: 'leader: String(status.leader !== undefined),',
  },
  {
    id: 'CLI-011',
    file: 'src/cli/commands/agent.ts',
    find: '`Protocol ${spoken} spoken by default,',
    replace: '`Protocol ${max} spoken by default,',
  },
  {
    id: 'CLI-012',
    file: 'src/cli/commands/agent.ts',
    find: "keeps the previous one.',\n  flags: clientFlags,",
    replace: "keeps the previous one.',\n  flags: [],",
  },
  {
    id: 'CLI-013',
    file: 'src/gossip/core/intents.ts',
    find: "  } else if (member.status === 'failed') failedHasLeft(gossip, member)\n",
    replace: '  }\n',
  },
  {
    id: 'CLI-014',
    file: 'src/cli/commands/rtt.ts',
    find: "wan ? '/v1/coordinate/datacenters' : '/v1/coordinate/nodes'",
    replace: "wan ? '/v1/coordinate/nodes' : '/v1/coordinate/datacenters'",
  },
]
