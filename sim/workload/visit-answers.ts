import type { Need } from '../checkers/access/access-facts.ts'
import { reads } from '../checkers/access/view-parts.ts'

/** The rights that a caller needs to see what an answer shows. */
type Shown = (body: string) => readonly Need[]

/** Members of the rows in all these answers. */
interface Row {
  readonly Key?: string
  readonly ID?: string
  readonly Name?: string
  readonly DestinationName?: string
  readonly Node?: string | { readonly Node: string }
  readonly Service?: string | { readonly ID: string; readonly Service: string }
  readonly ServiceID?: string
  readonly ServiceName?: string
  readonly CheckID?: string
}

/** What each row of an answer says; an answer without rows may be `null`. */
export function rowsOf<T>(of: (row: Row) => readonly T[]): (body: string) => readonly T[] {
  return (body) => ((JSON.parse(body) as readonly Row[] | null) ?? []).flatMap(of)
}

export const keysIn = rowsOf(({ Key = '' }) => [reads('key', Key)])

export function keyNamesIn(body: string): readonly Need[] {
  return ((JSON.parse(body) as readonly string[] | null) ?? []).map((name) => reads('key', name))
}

export function nodeIn(node: Row['Node']): string {
  return typeof node === 'object' ? node.Node : (node ?? '')
}

/** An instance, a check or a node: callers see it if they may read its node, and its service if it has one. */
function instanceNeeds({ Node, Service, ServiceName }: Row): readonly Need[] {
  const service = typeof Service === 'object' ? Service.Service : ServiceName
  const ofNode = reads('node', nodeIn(Node))
  return service === undefined || service === '' ? [ofNode] : [ofNode, reads('service', service)]
}

/** Instances through which a service is reached: callers see them if they may read that service as well. */
export function waysIn(service: string): Shown {
  return (body) => {
    const instances = instancesIn(body)
    return instances.length === 0 ? [] : [...instances, reads('service', service)]
  }
}

export function serviceNamesIn(body: string): readonly Need[] {
  return Object.keys(JSON.parse(body) as object).map((name) => reads('service', name))
}

type Services = Readonly<Record<string, { readonly Service: string }>>

export function nodeWithServicesIn(body: string): readonly Need[] {
  const found = JSON.parse(body) as { readonly Node: Row; readonly Services: Services | null } | null
  if (found === null) return []
  const services = Object.values(found.Services ?? {})
  return [reads('node', nodeIn(found.Node.Node)), ...services.map(({ Service }) => reads('service', Service))]
}

export function heldServicesIn(body: string): readonly Need[] {
  return Object.values(JSON.parse(body) as Services).map(({ Service }) => reads('service', Service))
}

export const instancesIn = rowsOf(instanceNeeds)

/** The instances that a prepared query has found. */
export function executedIn(body: string): readonly Need[] {
  return (JSON.parse(body) as { readonly Nodes: readonly Row[] | null }).Nodes?.flatMap(instanceNeeds) ?? []
}

export const sessionsIn = rowsOf(({ Node }) => [reads('session', nodeIn(Node))])
export const membersIn = rowsOf(({ Name = '' }) => [reads('node', Name)])
export const eventsIn = rowsOf(({ Name = '' }) => [reads('event', Name)])
export const queriesIn = rowsOf(({ Name = '' }) => [reads('query', Name)])
export const intentionsIn = rowsOf(({ DestinationName = '' }) => [reads('intention', DestinationName)])

export function transactionIn(body: string): readonly Need[] {
  const { Results } = JSON.parse(body) as { readonly Results: readonly { readonly KV: Row }[] | null }
  return (Results ?? []).map(({ KV: { Key = '' } }) => reads('key', Key))
}

/** The refused part of a transaction. `ofEach`: the rights that each operation needs. */
export function refusedIn(body: string, ofEach: readonly (readonly Need[])[]): readonly Need[] {
  const { Errors } = JSON.parse(body) as { readonly Errors: readonly { OpIndex: number; What: string }[] | null }
  return (Errors ?? []).flatMap(({ OpIndex, What }) => (/denied/i.test(What) ? (ofEach[OpIndex] ?? []) : []))
}
