import { type HeldInstance, inOrder } from '../../checkers/reads/held.ts'
import {
  type AskedFor,
  checkText,
  healthText,
  instanceText,
  serviceText,
  type ToldInstance,
} from '../../checkers/reads/read-truth.ts'

/** The content of an answer, in the form that `toldOf` makes of the agents' state. */
export function toldIn(json: unknown, asked: AskedFor, service: string, held: readonly HeldInstance[]): string {
  switch (asked.of) {
    case 'health':
      return inOrder((json as readonly HealthRow[]).map(healthRowText), ', ')
    case 'catalog':
      return inOrder((json as readonly CatalogRow[]).map(catalogRowText), ', ')
    case 'services': {
      const tags = (json as Readonly<Record<string, readonly string[]>>)[service]
      return serviceText(tags === undefined ? [] : [tags])
    }
    case 'checks':
      return inOrder(
        (json as readonly CheckRow[]).map((row) => checkText(row.Node, checkOf(row))),
        ', ',
      )
    case 'state':
    case 'node checks': {
      const nodes = new Set(held.map(({ node }) => node.name))
      const own = (json as readonly CheckRow[]).filter(
        ({ Node, ServiceID, ServiceName }) => nodes.has(Node) && (ServiceID === '' || ServiceName === service),
      )
      return inOrder(
        own.map((row) => checkText(row.Node, checkOf(row))),
        ', ',
      )
    }
    case 'node services': {
      const { Node, Services } = (json ?? { Node: {}, Services: {} }) as NodeRow
      const own = Object.values(Services).filter(({ Service }) => Service === service)
      return inOrder(
        own.map((each) => instanceText(toldInstance(Node, each))),
        ', ',
      )
    }
    case 'agent services': {
      const node = held.find((each) => each.node.name === asked.node)?.node
      const own = Object.values(json as Readonly<Record<string, ServiceRow>>).filter((each) => each.Service === service)
      const on = { Node: asked.node, Address: node?.address ?? '' }
      return inOrder(
        own.map((each) => instanceText(toldInstance(on, each))),
        ', ',
      )
    }
    case 'agent checks': {
      const rows = Object.values(json as Readonly<Record<string, CheckRow>>)
      const own = rows.filter(({ ServiceName }) => ServiceName === service)
      return inOrder(
        own.map((row) => checkText(row.Node, checkOf(row))),
        ', ',
      )
    }
  }
}

interface ServiceRow {
  readonly ID: string
  readonly Service: string
  readonly Tags: readonly string[]
  readonly Address: string
  readonly Meta: Readonly<Record<string, string>> | null
  readonly Port: number
  readonly Weights: { readonly Passing: number; readonly Warning: number }
}

interface CheckRow {
  readonly Node: string
  readonly CheckID: string
  readonly Status: string
  readonly ServiceID: string
  readonly ServiceName: string
}

interface OfNode {
  readonly Node: string
  readonly Address: string
}

/** A row of health answers and of executed queries. */
export interface HealthRow {
  readonly Node: OfNode
  /** Where clients are sent; executed queries do not tell. */
  readonly Address?: string
  readonly Service: ServiceRow
  readonly Checks: readonly CheckRow[]
}

interface NodeRow {
  readonly Node: OfNode
  readonly Services: Readonly<Record<string, ServiceRow>>
}

interface CatalogRow extends OfNode {
  readonly ServiceID: string
  readonly ServiceTags: readonly string[]
  readonly ServiceAddress: string
  readonly ServiceMeta: Readonly<Record<string, string>>
  readonly ServicePort: number
  readonly ServiceWeights: { readonly Passing: number; readonly Warning: number }
}

function checkOf({ CheckID, Status }: CheckRow) {
  return { id: CheckID, status: Status }
}

export function healthRowText({ Node, Address, Service, Checks }: HealthRow): string {
  const told = toldInstance(Node, Service)
  return healthText(told, Address ?? (told.own === '' ? told.nodeAddress : told.own), Checks.map(checkOf))
}

function catalogRowText(row: CatalogRow): string {
  return instanceText({
    node: row.Node,
    nodeAddress: row.Address,
    id: row.ServiceID,
    own: row.ServiceAddress,
    port: row.ServicePort,
    tags: row.ServiceTags,
    meta: Object.entries(row.ServiceMeta),
    weights: { passing: row.ServiceWeights.Passing, warning: row.ServiceWeights.Warning },
  })
}

function toldInstance(node: OfNode, { ID, Address, Port, Tags, Meta, Weights }: ServiceRow): ToldInstance {
  return {
    node: node.Node,
    nodeAddress: node.Address,
    id: ID,
    own: Address,
    port: Port,
    tags: Tags,
    meta: Object.entries(Meta ?? {}),
    weights: { passing: Weights.Passing, warning: Weights.Warning },
  }
}
