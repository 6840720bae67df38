import type { Breakage } from '../breakage.ts'

/** What releases before 0.9.0 brought, and upgrades of any kind. */
export const olderReleaseBreakages: readonly Breakage[] = [
  {
    id: 'UPG-026',
    file: 'src/http/ui/interface.ts',
    find: "name === '' || name === 'index.html'",
    replace: "name === 'index.html'",
  },
  {
    id: 'UPG-027',
    file: 'src/model/server-changes.ts',
    find: `'commands-wait': {
    since: { major: 0, minor: 8, patch: 1 },`,
    replace: `'commands-wait': {
    since: { major: 0, minor: 8, patch: 0 },`,
  },
  {
    id: 'UPG-028',
    file: 'src/config/past/removed.ts',
    find: "['ports.rpc', cliRpc],",
    replace: '',
  },
  {
    id: 'UPG-029',
    file: 'src/model/access-changes.ts',
    find: `'rules-of-version-8': {
    since: { major: 0, minor: 8, patch: 0 },`,
    replace: `'rules-of-version-8': {
    since: { major: 0, minor: 9, patch: 0 },`,
  },
  {
    id: 'UPG-030',
    file: 'src/model/server-changes.ts',
    find: `'remote-exec-off': {
    since: { major: 0, minor: 8, patch: 0 },`,
    replace: `'remote-exec-off': {
    since: { major: 0, minor: 9, patch: 0 },`,
  },
  {
    id: 'UPG-031',
    file: 'src/model/option-changes.ts',
    find: `'child-reaping-gone': {
    since: { major: 0, minor: 7, patch: 1 },`,
    replace: `'child-reaping-gone': {
    since: { major: 0, minor: 8, patch: 0 },`,
  },
  {
    id: 'UPG-032',
    file: 'src/model/release.ts',
    find: '87_600 * 3_600_000',
    replace: '8_760 * 3_600_000',
  },
  {
    id: 'UPG-033',
    file: 'src/model/server-changes.ts',
    find: `'dns-from-any-server': {
    since: { major: 0, minor: 7, patch: 0 },`,
    replace: `'dns-from-any-server': {
    since: { major: 0, minor: 7, patch: 1 },`,
  },
  {
    id: 'UPG-034',
    file: 'src/model/server-changes.ts',
    find: `'raft-timing-slow': {
    since: { major: 0, minor: 7, patch: 0 },`,
    replace: `'raft-timing-slow': {
    since: { major: 0, minor: 8, patch: 0 },`,
  },
  {
    id: 'UPG-035',
    file: 'src/model/release.ts',
    find: "leaveOnTerminate: has('leave-by-kind') && !server,",
    replace: "leaveOnTerminate: has('leave-by-kind'),",
  },
  {
    id: 'UPG-036',
    file: 'src/model/release.ts',
    find: "min: has('protocol-1-dropped') ? 2 : 1",
    replace: 'min: 1',
  },
  {
    id: 'UPG-037',
    file: 'src/features/query/endpoint.ts',
    find: "hasBehaviour(server.release, 'query-near') ? definition.service.near : ''",
    replace: 'definition.service.near',
  },
  {
    id: 'UPG-038',
    file: 'src/model/interface-changes.ts',
    find: `'http-translates': {
    since: { major: 0, minor: 7, patch: 0 },`,
    replace: `'http-translates': {
    since: { major: 0, minor: 8, patch: 0 },`,
  },
  {
    id: 'UPG-039',
    file: 'src/model/server-changes.ts',
    find: `'peers-json-for-recovery': {
    since: { major: 0, minor: 7, patch: 0 },`,
    replace: `'peers-json-for-recovery': {
    since: { major: 0, minor: 8, patch: 0 },`,
  },
  {
    id: 'UPG-040',
    file: 'src/features/query/rights.ts',
    find: "return query.name !== '' || isTemplate(query)",
    replace: 'return true',
  },
  {
    id: 'UPG-041',
    file: 'src/model/access-changes.ts',
    find: `'events-and-keyring-need-a-rule': {
    since: { major: 0, minor: 6, patch: 0 },`,
    replace: `'events-and-keyring-need-a-rule': {
    since: { major: 0, minor: 6, patch: 4 },`,
  },
  {
    id: 'UPG-042',
    file: 'src/features/query/commands.ts',
    find: "const first = releaseOf('prepared-queries')",
    replace: "const first = releaseOf('kv-tombstones')",
  },
  {
    id: 'UPG-043',
    file: 'src/model/server-changes.ts',
    find: `'mdb-refused': {
    since: { major: 0, minor: 6, patch: 0 },`,
    replace: `'mdb-refused': {
    since: { major: 0, minor: 7, patch: 0 },`,
  },
  {
    id: 'UPG-044',
    file: 'src/model/option-changes.ts',
    find: `'one-private-address': {
    since: { major: 0, minor: 6, patch: 0 },`,
    replace: `'one-private-address': {
    since: { major: 0, minor: 7, patch: 0 },`,
  },
  {
    id: 'UPG-045',
    file: 'src/http/ui/interface.ts',
    find: 'readBelow(disk, config.path, name)',
    replace: 'readBelow(disk, config.path, `dist/${name}`)',
  },
  {
    id: 'UPG-046',
    file: 'src/model/release.ts',
    find: "hasBehaviour(release, 'log-out-of-mdb') ? 'migrated' : 'kept'",
    replace: "'kept'",
  },
  {
    id: 'UPG-047',
    file: 'src/model/access-changes.ts',
    find: `'registrations-need-a-rule': {
    since: { major: 0, minor: 5, patch: 0 },`,
    replace: `'registrations-need-a-rule': {
    since: { major: 0, minor: 6, patch: 0 },`,
  },
  {
    id: 'UPG-048',
    file: 'src/model/server-changes.ts',
    find: `'kv-tombstones': {
    since: { major: 0, minor: 5, patch: 0 },`,
    replace: `'kv-tombstones': {
    since: { major: 0, minor: 5, patch: 1 },`,
  },
  {
    id: 'UPG-049',
    file: 'src/features/acl/system/mode-commands.ts',
    find: 'putToken(tx, { ...token, accessor: given,',
    replace: "putToken(tx, { ...token, rules: '', accessor: given,",
  },
  {
    id: 'UPG-050',
    file: 'src/model/access-changes.ts',
    find: `'registrations-need-a-rule': {
    since: { major: 0, minor: 5, patch: 0 },`,
    replace: `'registrations-need-a-rule': {
    since: { major: 0, minor: 4, patch: 0 },`,
  },
  {
    id: 'UPG-051',
    file: 'src/model/access-changes.ts',
    find: `'reads-need-a-rule': {
    since: { major: 0, minor: 6, patch: 0 },`,
    replace: `'reads-need-a-rule': {
    since: { major: 0, minor: 5, patch: 0 },`,
  },
  {
    id: 'UPG-052',
    file: 'src/model/release.ts',
    find: "dnsAllowStale: has('dns-from-any-server'),",
    replace: 'dnsAllowStale: true,',
  },
  {
    id: 'UPG-053',
    file: 'src/model/release.ts',
    find: '87_600 * 3_600_000 : 5_000',
    replace: '87_600 * 3_600_000 : 60_000',
  },
  {
    id: 'UPG-054',
    file: 'src/model/release.ts',
    find: "cliRpcPort: has('cli-rpc-gone') ? -1 : 8400",
    replace: 'cliRpcPort: -1',
  },
  {
    id: 'UPG-062',
    file: 'sim/world/decisions/decisions.ts',
    find: 'const spread = seedrandom(`${seed}\\n`)',
    replace: 'const spread = seedrandom(`${seed}\\n`, { entropy: true })',
  },
]
