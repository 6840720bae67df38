import type { ViewKind } from '../checkers/access/access-facts.ts'
import { partNames } from '../checkers/access/view-parts.ts'
import type { VisitRequest } from './visit-request.ts'

/** Members of the rows in answers with lists. */
interface Row {
  readonly Key: string
  readonly ID: string
  readonly Node: string | { readonly Node: string }
  readonly Service?: { readonly ID: string }
  readonly ServiceID: string
  readonly CheckID: string
}

/** What the request lists: the view of all, or of what has this name, with the names of what a 200 shows of it. */
export function listing(kind: ViewKind, of = ''): NonNullable<VisitRequest['lists']> {
  return { view: { kind, of }, names: shownNames[kind] }
}

/** The names of keys alone. */
export function listingNames(prefix: string): NonNullable<VisitRequest['lists']> {
  const names = (body: string): readonly string[] => (JSON.parse(body) as readonly string[]).map(partNames.key)
  return { view: { kind: 'keys', of: prefix }, names }
}

type Names = (body: string) => readonly string[]

const instances = rows((row) => partNames.instance(nodeOf(row), row.Service?.ID ?? row.ServiceID))
const checks = rows((row) => partNames.check(nodeOf(row), row.CheckID))
const sessions = rows(({ ID }) => partNames.session(ID))

const shownNames: Readonly<Record<ViewKind, Names>> = {
  keys: rows(({ Key }) => partNames.key(Key)),
  nodes: rows((row) => partNames.node(nodeOf(row))),
  services: (body) => Object.keys(JSON.parse(body) as object).map(partNames.service),
  'services of a node': servicesOfNode,
  instances,
  ways: instances,
  checks,
  'checks of a node': checks,
  'checks of a service': checks,
  sessions,
  'sessions of a node': sessions,
  intentions: rows(({ ID }) => partNames.intention(ID)),
  queries: rows(({ ID }) => partNames.query(ID)),
  'found by a query': (body) => instances(JSON.stringify((JSON.parse(body) as { readonly Nodes: unknown }).Nodes)),
}

function rows(name: (row: Row) => string): Names {
  return (body) => ((JSON.parse(body) as readonly Row[] | null) ?? []).map(name)
}

function nodeOf({ Node }: Pick<Row, 'Node'>): string {
  return typeof Node === 'object' ? Node.Node : Node
}

function servicesOfNode(body: string): readonly string[] {
  const found = JSON.parse(body) as { readonly Node: Row; readonly Services: Record<string, { ID: string }> } | null
  return found === null ? [] : Object.values(found.Services).map(({ ID }) => partNames.instance(nodeOf(found.Node), ID))
}
