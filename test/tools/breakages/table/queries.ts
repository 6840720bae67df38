import type { Breakage } from '../breakage.ts'

/** What else is asked of the catalog: names, registrations, coordinates and prepared queries. */
export const queryBreakages: readonly Breakage[] = [
  {
    id: 'CAT-028',
    file: 'src/features/discovery/datacenters.ts',
    find: '(a.distance < b.distance ? -1 : a.distance > b.distance ? 1 : compareText(a.name, b.name))',
    replace: '(a.distance < b.distance ? 1 : a.distance > b.distance ? -1 : compareText(a.name, b.name))',
  },
  {
    id: 'CAT-029',
    file: 'src/features/catalog/endpoint.ts',
    find: 'for (const tag of service.tags) known.add(tag)',
    replace: 'if (known.size === 0) for (const tag of service.tags) known.add(tag)',
  },
  {
    id: 'CAT-030',
    file: 'src/features/catalog/routes.ts',
    find: 'if (found === null) return null',
    replace: 'if (found === null) return {}',
  },
  {
    id: 'CAT-031',
    file: 'src/features/catalog/register-body.ts',
    find: 'const checks = value.Check === null ? value.Checks : [...value.Checks, value.Check]',
    replace: 'const checks = value.Checks',
  },
  {
    id: 'CAT-032',
    file: 'src/features/catalog/commands.ts',
    find: "} else if (checkId !== '') {",
    replace: "} else if (checkId === '') {",
  },
  {
    id: 'CAT-033',
    file: 'src/features/internal/model.ts',
    find: "if (serviceId !== '' && serviceId !== service.id) continue",
    replace: 'if (serviceId !== service.id) continue',
  },
  {
    id: 'CAT-034',
    file: 'src/features/coordinate/endpoint.ts',
    find: 'const rows = known.get(datacenter) ?? []',
    replace: 'const rows: CoordinateRow[] = []',
  },
  {
    id: 'CAT-035',
    file: 'src/features/coordinate/endpoint.ts',
    find: ".filter((row) => segment === '' || row.segment === segment)",
    replace: ".filter((row) => segment === '' || row.segment !== segment)",
  },
  {
    id: 'CAT-036',
    file: 'src/features/query/commands.ts',
    find: 'apply: (tx, { id }) => (tx.delete(queriesTable, id) ? { id } : { refusal: missing(id) }),',
    replace: 'apply: (tx, { id }) => (queryById(tx, id) !== undefined ? { id } : { refusal: missing(id) }),',
  },
  {
    id: 'CAT-037',
    file: 'src/model/server-changes.ts',
    find: `'commands-wait': {
    since: { major: 0, minor: 8, patch: 1 },`,
    replace: `'commands-wait': {
    since: { major: 0, minor: 6, patch: 0 },`,
  },
  {
    id: 'CAT-038',
    file: 'src/features/query/instances.ts',
    find: "const named = origin === null || origin.near === '' ? ownNear : origin.near",
    replace: 'const named = origin === null ? ownNear : origin.near',
  },
  {
    id: 'CAT-039',
    file: 'src/features/query/execution.ts',
    find: "hasBehaviour(release, 'query-near') ? nodeName : ''",
    replace: 'nodeName',
  },
  {
    id: 'CAT-040',
    file: 'src/features/query/execute-routes.ts',
    find: 'const value = { Query: queryJson(resolved.query), ...metaJson(meta, consistency) }',
    replace: 'const value = { Query: queryJson(resolved.query) }',
  },
]
