import type { Breakage } from '../breakage.ts'

/** Tokens, policies, and the way from the legacy mode to the new one. */
export const tokenBreakages: readonly Breakage[] = [
  {
    id: 'ACL-023',
    file: 'src/features/acl/model.ts',
    find: 'AccessorID: token.accessor,\n    SecretID: token.secret,',
    replace: 'AccessorID: token.secret,\n    SecretID: token.secret,',
  },
  {
    id: 'ACL-024',
    file: 'src/config/parts/access.ts',
    find: "(file.primary_datacenter || file.acl_datacenter || '').toLowerCase()",
    replace: "(file.acl_datacenter ?? '').toLowerCase()",
  },
  {
    id: 'ACL-025',
    file: 'src/features/acl/legacy/legacy-commands.ts',
    find: "if (before !== undefined && unlessThere) return { id }\n    if (before?.type === '') return foreign",
    replace:
      "if (before !== undefined && unlessThere) return { id }\n    if (before?.type !== 'client') return foreign",
  },
  {
    id: 'ACL-026',
    file: 'src/features/acl/legacy/legacy-commands.ts',
    find: "accessor !== '' && given.type === 'management' ? [managementLink] : []",
    replace: "accessor !== '' ? [managementLink] : []",
  },
  {
    id: 'ACL-027',
    file: 'src/features/acl/views.ts',
    find: "if (token.type === 'client') return { kind: 'legacy'",
    replace: "if (token.type === 'client' && token.accessor === '') return { kind: 'legacy'",
  },
  {
    id: 'ACL-028',
    file: 'src/agent/pool/pool-servers.ts',
    find: "access.enabled && server ? 'legacy' : 'disabled'",
    replace: "access.enabled && server ? 'enabled' : 'disabled'",
  },
  {
    id: 'ACL-029',
    file: 'src/http/failure-status.ts',
    find: "'legacy-access-control': 500",
    replace: "'legacy-access-control': 401",
  },
  {
    id: 'ACL-030',
    file: 'src/features/acl/asked.ts',
    find: 'return isNewMode(server.read()) ? ok(accessControl) : err(legacyModeFailure(accessControl.missing()))',
    replace: 'return ok(accessControl)',
  },
  {
    id: 'ACL-031',
    file: 'src/agent/access/mode.ts',
    find: 'else if (this.missing().length === 0) env.detach(goOver())',
    replace: 'else if (this.missing().length <= 1) env.detach(goOver())',
  },
  {
    id: 'ACL-032',
    file: 'src/agent/access/mode.ts',
    find: '...(own === primary ? [] : missingInPrimary(serversIn(wan, primary), primary)),',
    replace: '',
  },
  {
    id: 'ACL-033',
    file: 'src/agent/access/mode.ts',
    find: "modeTags('enabled', config.release))",
    replace: "modeTags('legacy', config.release))",
  },
  {
    id: 'ACL-034',
    file: 'src/features/acl/duty.ts',
    find: 'this.#running.push(new Migration(this.#server))',
    replace: '',
  },
  {
    id: 'ACL-035',
    file: 'src/features/acl/system/mode-commands.ts',
    find: "if (token === undefined || token.accessor !== '' ||",
    replace: "if (token === undefined || token.accessor !== '' || token.type === 'management' ||",
  },
  {
    id: 'ACL-036',
    file: 'src/features/acl/system/migration.ts',
    find: 'const pauseMs = 1_000',
    replace: 'const pauseMs = 900',
  },
  {
    id: 'LIM-002',
    file: 'src/features/acl/system/mode-commands.ts',
    find: 'export const migratedAtOnce = 128',
    replace: 'export const migratedAtOnce = 127',
  },
  {
    id: 'ACL-037',
    file: 'src/features/acl/tokens/token-endpoints.ts',
    find: '[...allTokens(tx)].filter(bound)',
    replace: "[...allTokens(tx)].filter((token) => token.accessor !== '' && bound(token))",
  },
  {
    id: 'ACL-038',
    file: 'src/features/acl/views.ts',
    find: "if (token.type === 'client') return { kind: 'legacy'",
    replace: "if (token.type === 'client' && token.accessor !== '') return { kind: 'legacy'",
  },
  {
    id: 'ACL-039',
    file: 'src/features/acl/system/mode-commands.ts',
    find: "if (token === undefined || token.accessor !== '' || token.modifyIndex !== at) continue",
    replace: 'if (token === undefined) continue',
  },
  {
    id: 'ACL-040',
    file: 'src/agent/access/mode.ts',
    find: "return isNewMode(this.#parts.state.read()) ? 'enabled' : 'legacy'",
    replace: "return isNewMode(this.#parts.state.read()) || this.missing().length === 0 ? 'enabled' : 'legacy'",
  },
  {
    id: 'ACL-041',
    file: 'src/agent/access/mode.ts',
    find: 'primary: this.#primary,\n      lan',
    replace: 'primary: config.datacenter,\n      lan',
  },
  {
    id: 'ACL-045',
    file: 'src/features/acl/tokens/token-write-endpoints.ts',
    find: "description: description === '' ? source.description : description, policies, local",
    replace: 'description, policies, local',
  },
  {
    id: 'ACL-046',
    file: 'src/features/acl/replication/copying.ts',
    find: 'inBatches(gone, replicatedAtOnce)) {\n    const removed = await server.propose(replicateTokens',
    replace:
      'inBatches([] as typeof gone, replicatedAtOnce)) {\n    const removed = await server.propose(replicateTokens',
  },
]
