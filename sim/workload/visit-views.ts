import type { ViewKind } from '../checkers/access/access-facts.ts'
import { partNames } from '../checkers/access/view-parts.ts'
import { nodeIn, rowsOf } from './visit-answers.ts'
import type { VisitRequest } from './visit-request.ts'

type Lists = NonNullable<VisitRequest['lists']>

/** What the request lists: the view of all, or of what has this name, with the names of what a 200 shows of it. */
export function listing(kind: ViewKind, of = ''): Lists {
  return { view: { kind, of }, names: shownNames[kind] }
}

/** The names of keys alone. */
export function listingNames(prefix: string): Lists {
  const names = (body: string): readonly string[] => (JSON.parse(body) as readonly string[]).map(partNames.key)
  return { view: { kind: 'keys', of: prefix }, names }
}

const instances = rowsOf(({ Node, Service, ServiceID = '' }) => [
  partNames.instance(nodeIn(Node), typeof Service === 'object' ? Service.ID : ServiceID),
])
const checks = rowsOf(({ Node, CheckID = '' }) => [partNames.check(nodeIn(Node), CheckID)])
const sessions = rowsOf(({ ID = '' }) => [partNames.session(ID)])

const shownNames: Readonly<Record<ViewKind, Lists['names']>> = {
  keys: rowsOf(({ Key = '' }) => [partNames.key(Key)]),
  nodes: rowsOf(({ Node }) => [partNames.node(nodeIn(Node))]),
  services: (body) => Object.keys(JSON.parse(body) as object).map(partNames.service),
  'services of a node': servicesOfNode,
  instances,
  ways: instances,
  checks,
  'checks of a node': checks,
  'checks of a service': checks,
  sessions,
  'sessions of a node': sessions,
  intentions: rowsOf(({ ID = '' }) => [partNames.intention(ID)]),
  queries: rowsOf(({ ID = '' }) => [partNames.query(ID)]),
  'found by a query': (body) => instances(JSON.stringify((JSON.parse(body) as { readonly Nodes: unknown }).Nodes)),
}

function servicesOfNode(body: string): readonly string[] {
  const found = JSON.parse(body) as {
    readonly Node: { readonly Node: string }
    readonly Services: Readonly<Record<string, { readonly ID: string }>> | null
  } | null
  return Object.values(found?.Services ?? {}).map(({ ID }) => partNames.instance(nodeIn(found?.Node), ID))
}
