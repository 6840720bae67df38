import type { Breakage } from '../breakage.ts'

const joining = 'src/features/connect/federation/joining.ts'
const agent = 'src/agent/mesh/federation.ts'

/** One mesh for several datacenters. */
export const federationBreakages: readonly Breakage[] = [
  {
    id: 'FED-001',
    file: joining,
    find: 'federation.missing().length > 0)) return undefined',
    replace: 'federation.missing().length > 100)) return undefined',
  },
  {
    id: 'FED-002',
    file: agent,
    find: 'joins: mesh.federates !== false',
    replace: 'joins: mesh.federates !== undefined',
  },
  {
    id: 'FED-003',
    file: agent,
    find: 'if (primary === datacenter || wan',
    replace: 'if (primary !== datacenter || wan',
  },
  {
    id: 'FED-004',
    file: joining,
    find: 'if (!isJoined && (!federation.joins ||',
    replace: 'if (!isJoined || (!federation.joins ||',
  },
  {
    id: 'FED-005',
    file: agent,
    find: 'const primary = primaryOf(config)',
    replace: 'const primary = config.datacenter',
  },
  {
    id: 'FED-006',
    file: joining,
    find: 'const lookAtPrimaryMs = 120_000',
    replace: 'const lookAtPrimaryMs = 1_200_000',
  },
  { id: 'LIM-008', file: joining, find: 'const lookAtPrimaryMs = 120_000', replace: 'const lookAtPrimaryMs = 900_000' },
  {
    id: 'FED-007',
    file: agent,
    find: 'const lacking = [...here, ...there].flatMap(',
    replace: 'const lacking = here.flatMap(',
  },
  {
    id: 'FED-008',
    file: joining,
    find: 'return isWell ? this.#lookAtMs - env.clock.monoMs() : lookAtPoolsMs',
    replace: 'return isWell ? this.#lookAtMs - env.clock.monoMs() : Number.POSITIVE_INFINITY',
  },
  {
    id: 'FED-009',
    file: 'src/features/connect/federation/federation-commands.ts',
    find: 'Object.freeze({ ...kept, clusterId, trustDomain, primary, modifyIndex: tx.index })',
    replace: 'Object.freeze({ clusterId, trustDomain, ...kept, primary, modifyIndex: tx.index })',
  },
  {
    id: 'FED-010',
    file: joining,
    find: 'if (signer !== undefined && sameRoots(tx, roots)) {',
    replace: "if (signerOf(tx, activeRoot(tx)?.id ?? '') !== undefined && isJoined) {",
  },
  {
    id: 'FED-011',
    file: joining,
    find: 'return intermediates.filter((pem) => certificatesIn([pem]).every(({ notAfterMs }) => notAfterMs >= untilMs))',
    replace:
      'return intermediates.filter((pem) => certificatesIn([pem]).every(({ notAfterMs }) => notAfterMs < untilMs))',
  },
  {
    id: 'FED-012',
    file: 'src/pki/trust-domains.ts',
    find: 'return trustDomain === current || formerIds.includes(idIn(trustDomain))',
    replace: 'return trustDomain === current',
  },
  {
    id: 'FED-013',
    file: agent,
    find: 'wan === undefined || !mesh.enabled) return',
    replace: 'wan === undefined) return',
  },
]
