import type { Breakage } from '../breakage.ts'

type Verb = 'GET' | 'PUT' | 'POST' | 'DELETE'
type Row = readonly [id: string, file: string, verb: Verb, summary: string, instead: Verb]

/** Endpoints that take one verb, and the verb that they take by mistake instead. */
const rows: readonly Row[] = [
  ['HTP-015', 'acl/legacy/legacy-routes.ts', 'GET', 'Read a legacy token', 'PUT'],
  ['HTP-016', 'acl/legacy/legacy-routes.ts', 'GET', 'All legacy tokens', 'PUT'],
  ['HTP-017', 'acl/system/system-routes.ts', 'GET', 'How tokens and policies are copied from', 'PUT'],
  ['HTP-018', 'agent/check-routes.ts', 'GET', 'Checks of this agent', 'PUT'],
  ['HTP-019', 'agent/pool-routes.ts', 'GET', 'Members of the pool', 'POST'],
  ['HTP-020', 'agent/observation-routes.ts', 'GET', 'Metrics of this agent', 'POST'],
  ['HTP-021', 'agent/routes.ts', 'GET', 'This agent and its configuration', 'PUT'],
  ['HTP-022', 'agent/service-routes.ts', 'GET', 'Services of this agent', 'PUT'],
  ['HTP-023', 'catalog/routes.ts', 'GET', 'Names of all datacenters', 'PUT'],
  ['HTP-024', 'catalog/routes.ts', 'GET', 'A node and its services', 'DELETE'],
  ['HTP-027', 'catalog/routes.ts', 'GET', 'Names of all services', 'PUT'],
  ['HTP-028', 'coordinate/routes.ts', 'GET', 'Coordinates of the servers of all datacenters', 'PUT'],
  ['HTP-029', 'coordinate/routes.ts', 'GET', 'Coordinates of all nodes', 'PUT'],
  ['HTP-030', 'health/routes.ts', 'GET', 'All checks of a service', 'PUT'],
  ['HTP-031', 'health/routes.ts', 'GET', 'All checks of a node', 'PUT'],
  ['HTP-033', 'health/routes.ts', 'GET', 'All checks in a state', 'PUT'],
  ['HTP-034', 'internal/routes.ts', 'GET', 'A node with what is on it', 'PUT'],
  ['HTP-035', 'internal/routes.ts', 'GET', 'All nodes with what is on them', 'PUT'],
  ['HTP-036', 'internal/routes.ts', 'GET', 'All services in short', 'PUT'],
  ['HTP-037', 'session/routes.ts', 'GET', 'Read a session', 'PUT'],
  ['HTP-038', 'session/routes.ts', 'GET', 'All sessions', 'PUT'],
  ['HTP-039', 'session/routes.ts', 'GET', 'Sessions of a node', 'PUT'],
  ['HTP-040', 'status/routes.ts', 'GET', 'The address of the leader', 'PUT'],
  ['HTP-041', 'status/routes.ts', 'GET', 'The addresses of the servers', 'PUT'],
  ['HTP-042', 'operator/routes.ts', 'GET', 'Members of a network area', 'PUT'],
  ['HTP-043', 'agent/check-routes.ts', 'PUT', 'Deregister a check of this agent', 'DELETE'],
  ['HTP-046', 'agent/check-routes.ts', 'PUT', 'Register a check with this agent', 'POST'],
  ['HTP-048', 'agent/pool-routes.ts', 'PUT', 'Mark a failed member as left', 'DELETE'],
  ['HTP-049', 'agent/pool-routes.ts', 'PUT', 'Join a pool through a member', 'GET'],
  ['HTP-050', 'agent/service-routes.ts', 'PUT', "Register a service with this agent'", 'POST'],
  ['HTP-051', 'agent/service-routes.ts', 'PUT', 'Deregister a service of this agent', 'DELETE'],
  ['HTP-052', 'catalog/registration-routes.ts', 'PUT', 'Deregister a node, or one service or check of it', 'DELETE'],
  ['HTP-053', 'catalog/registration-routes.ts', 'PUT', 'Register a node, with a service and checks', 'POST'],
  ['HTP-054', 'operator/routes.ts', 'PUT', 'Join a network area', 'POST'],
]

/** Of endpoints that share a declaration with others, or that tests wait for. */
const shared: readonly Breakage[] = [
  {
    // Tests wait for this endpoint before they begin: it goes on taking its own verb, and takes another besides.
    id: 'HTP-025',
    file: 'src/features/catalog/routes.ts',
    find: "GET: declared({\n        summary: 'All nodes',",
    replace: "get PUT() {\n        return this.GET\n      },\n      GET: declared({\n        summary: 'All nodes',",
  },
  {
    id: 'HTP-026',
    file: 'src/features/discovery/instances.ts',
    find: 'GET: declared({\n        summary,',
    replace: "[connect ? 'GET' : 'PUT']: declared({\n        summary,",
  },
  {
    id: 'HTP-032',
    file: 'src/features/discovery/instances.ts',
    find: 'GET: declared({\n        summary,',
    replace: "[connect ? 'GET' : 'POST']: declared({\n        summary,",
  },
  {
    id: 'HTP-044',
    file: 'src/features/agent/check-routes.ts',
    find: 'PUT: declared({\n        summary: `Report',
    replace: "[status === 'critical' ? 'POST' : 'PUT']: declared({\n        summary: `Report",
  },
  {
    id: 'HTP-045',
    file: 'src/features/agent/check-routes.ts',
    find: 'PUT: declared({\n        summary: `Report',
    replace: "[status === 'passing' ? 'GET' : 'PUT']: declared({\n        summary: `Report",
  },
  {
    id: 'HTP-047',
    file: 'src/features/agent/check-routes.ts',
    find: 'PUT: declared({\n        summary: `Report',
    replace: "[status === 'warning' ? 'GET' : 'PUT']: declared({\n        summary: `Report",
  },
]

/** Which verb each endpoint takes. */
export const verbBreakages: readonly Breakage[] = [
  ...rows.map(([id, file, verb, summary, instead]) => ({
    id,
    file: `src/features/${file}`,
    find: `${verb}: declared({\n        summary: '${summary}`,
    replace: `${instead}: declared({\n        summary: '${summary}`,
  })),
  ...shared,
]
