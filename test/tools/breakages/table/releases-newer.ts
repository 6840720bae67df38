import type { Breakage } from '../breakage.ts'

/** What releases from 0.9.0 on brought, and upgrades to them. */
export const newerReleaseBreakages: readonly Breakage[] = [
  {
    id: 'UPG-001',
    file: 'src/model/release.ts',
    find: 'oldestRelease: Release = { major: 0, minor: 2, patch: 0 }',
    replace: 'oldestRelease: Release = { major: 0, minor: 5, patch: 0 }',
  },
  {
    id: 'UPG-002',
    file: 'src/agent/access/mode.ts',
    find: 'else if (this.missing().length === 0) env.detach(goOver())',
    replace: 'else if (this.missing().length > 0) env.detach(goOver())',
  },
  {
    id: 'UPG-003',
    file: 'src/agent/mesh/federation.ts',
    find: "if (!hasBehaviour(release, 'mesh-federation')) return undefined",
    replace: "if (hasBehaviour(release, 'mesh-federation')) return undefined",
  },
  {
    id: 'UPG-004',
    file: 'src/agent/replication/state-machine.ts',
    find: 'const known = parts.commands.filter((command) => isAtLeast(this.#release, command.since))',
    replace: 'const known = parts.commands',
  },
  {
    id: 'UPG-005',
    file: 'src/agent/access/mode.ts',
    find: '...(own === primary ? [] : missingInPrimary(serversIn(wan, primary), primary)),',
    replace: '',
  },
  {
    id: 'UPG-006',
    file: 'src/features/discovery/tag-filter.ts',
    find: '{ serviceTags: tags, tagFilter: true }',
    replace: '{ serviceTags: [first], tagFilter: true }',
  },
  {
    id: 'UPG-007',
    file: 'src/model/interface-changes.ts',
    find: `'catalog-reads-one-tag': {
    since: { major: 1, minor: 3, patch: 1 },`,
    replace: `'catalog-reads-one-tag': {
    since: { major: 1, minor: 3, patch: 0 },`,
  },
  {
    id: 'UPG-008',
    file: 'src/model/option-changes.ts',
    find: `'old-definition-keys-refused': {
    since: { major: 1, minor: 1, patch: 0 },`,
    replace: `'old-definition-keys-refused': {
    since: { major: 1, minor: 0, patch: 0 },`,
  },
  {
    id: 'UPG-009',
    file: 'src/model/option-changes.ts',
    find: `'old-metric-names-gone': {
    since: { major: 1, minor: 1, patch: 0 },`,
    replace: `'old-metric-names-gone': {
    since: { major: 1, minor: 2, patch: 0 },`,
  },
  {
    id: 'UPG-010',
    file: 'src/model/server-changes.ts',
    find: `'raft-snapshots-rarer': {
    since: { major: 1, minor: 1, patch: 0 },`,
    replace: `'raft-snapshots-rarer': {
    since: { major: 1, minor: 2, patch: 0 },`,
  },
  {
    id: 'UPG-011',
    file: 'src/features/catalog/views.ts',
    find: "if (!hasBehaviour(release, 'index-of-one-service')) return ofAnyService(tx, read)",
    replace: '',
  },
  {
    id: 'UPG-012',
    file: 'src/agent/servers/member-changes.ts',
    find: 'voters % 2 === 0 || stable >= 2',
    replace: 'voters % 2 === 0 || stable >= 1',
  },
  {
    id: 'UPG-013',
    file: 'src/model/server-changes.ts',
    find: `'raft-protocol-3-by-default': {
    since: { major: 1, minor: 0, patch: 0 },`,
    replace: `'raft-protocol-3-by-default': {
    since: { major: 1, minor: 1, patch: 0 },`,
  },
  {
    id: 'UPG-014',
    file: 'src/model/option-changes.ts',
    find: `'hcl-files': {
    since: { major: 1, minor: 0, patch: 0 },`,
    replace: `'hcl-files': {
    since: { major: 0, minor: 9, patch: 0 },`,
  },
  {
    id: 'UPG-015',
    file: 'src/model/option-changes.ts',
    find: `'old-options-refused': {
    since: { major: 1, minor: 0, patch: 0 },`,
    replace: `'old-options-refused': {
    since: { major: 1, minor: 1, patch: 0 },`,
  },
  {
    id: 'UPG-016',
    file: 'src/config/past/past-keys.ts',
    find: "['statsd_prefix', as('telemetry.metrics_prefix')],",
    replace: "['statsd_prefix', as('telemetry.statsd_address')],",
  },
  {
    id: 'UPG-017',
    file: 'src/config/past/removed.ts',
    find: `['advertise_addrs', { ...inOne, instead: "use 'advertise_addr', 'advertise_addr_wan' and 'ports'" }],`,
    replace: "['advertise_addrs', { ...inOne, by: 'old-metric-names-gone', instead: 'remove it' }],",
  },
  {
    id: 'UPG-018',
    file: 'src/agent/pool/discovery/request.ts',
    find: 'found.set(name, value.value.text)',
    replace: 'found.set(name, decodeURIComponent(value.value.text))',
  },
  {
    id: 'UPG-019',
    file: 'src/model/server-changes.ts',
    find: `'verbs-enforced': {
    since: { major: 1, minor: 0, patch: 0 },`,
    replace: `'verbs-enforced': {
    since: { major: 1, minor: 1, patch: 0 },`,
  },
  {
    id: 'UPG-020',
    file: 'src/model/access-changes.ts',
    find: `'denied-key-is-told': {
    since: { major: 1, minor: 0, patch: 0 },`,
    replace: `'denied-key-is-told': {
    since: { major: 1, minor: 1, patch: 0 },`,
  },
  {
    id: 'UPG-021',
    file: 'src/features/agent/routes.ts',
    find: "hasBehaviour(context.release, 'few-settings-told') ? selfJson : oldSelfJson",
    replace: "hasBehaviour(context.release, 'mesh') ? selfJson : oldSelfJson",
  },
  {
    id: 'UPG-022',
    file: 'src/cli/program.ts',
    find: "use 'svc validate'`",
    replace: "use 'svc info'`",
  },
  {
    id: 'UPG-023',
    file: 'src/model/interface-changes.ts',
    find: `'metric-names-single': {
    since: { major: 1, minor: 0, patch: 0 },`,
    replace: `'metric-names-single': {
    since: { major: 1, minor: 1, patch: 0 },`,
  },
  {
    id: 'UPG-024',
    file: 'src/model/server-changes.ts',
    find: `'invalid-checks-refused': {
    since: { major: 1, minor: 0, patch: 0 },`,
    replace: `'invalid-checks-refused': {
    since: { major: 1, minor: 1, patch: 0 },`,
  },
  {
    id: 'UPG-025',
    file: 'src/model/server-changes.ts',
    find: `'script-checks-opt-in': {
    since: { major: 0, minor: 9, patch: 0 },`,
    replace: `'script-checks-opt-in': {
    since: { major: 1, minor: 0, patch: 0 },`,
  },
  {
    id: 'UPG-055',
    file: 'src/model/release.ts',
    find: "enableScriptChecks: !has('script-checks-opt-in'),",
    replace: 'enableScriptChecks: false,',
  },
  {
    id: 'UPG-056',
    file: 'src/model/server-changes.ts',
    find: `'verbs-enforced': {
    since: { major: 1, minor: 0, patch: 0 },`,
    replace: `'verbs-enforced': {
    since: { major: 0, minor: 9, patch: 0 },`,
  },
  {
    id: 'UPG-057',
    file: 'src/features/agent/definition-matching.ts',
    find: 'return spelling?.by !== undefined && !hasBehaviour(release, spelling.by)',
    replace: 'return false',
  },
  {
    id: 'UPG-058',
    file: 'src/model/interface-changes.ts',
    find: `'several-tags': {
    since: { major: 1, minor: 3, patch: 0 },`,
    replace: `'several-tags': {
    since: { major: 1, minor: 2, patch: 0 },`,
  },
  {
    id: 'UPG-059',
    file: 'src/features/acl/route-checks.ts',
    find: "hasBehaviour(context.release, 'tokens-and-policies') ? checked(context, request) : { kind: 'empty', status: 404 }",
    replace: 'checked(context, request)',
  },
  {
    id: 'UPG-060',
    file: 'src/model/interface-changes.ts',
    find: `mesh: {
    since: { major: 1, minor: 2, patch: 0 },`,
    replace: `mesh: {
    since: { major: 1, minor: 1, patch: 0 },`,
  },
  {
    id: 'UPG-061',
    file: 'src/model/option-changes.ts',
    find: `'alias-checks': {
    since: { major: 1, minor: 2, patch: 2 },`,
    replace: `'alias-checks': {
    since: { major: 1, minor: 2, patch: 1 },`,
  },
]
