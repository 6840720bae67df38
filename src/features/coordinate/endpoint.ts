import { z } from 'zod'
import { compareText } from '../../base/bytes.ts'
import { ok } from '../../base/result.ts'
import { spelledNode } from '../catalog/views.ts'
import { asks, filters, keptOf, open, refusedUnlessAllowed } from '../contract/access.ts'
import type { QueryEndpoint, ServerEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { nothingReply } from '../contract/reply.ts'
import type {
  WanView,
  WithDatacenters,
  WithDuties,
  WithPlace,
  WithServers,
  WithState,
} from '../contract/server-context.ts'
import { oneForAll } from '../contract/visible-index.ts'
import {
  allCoordinates,
  type CoordinateRow,
  coordinateOfNode,
  coordinateRow,
  coordinatesIndex,
} from '../discovery/nearness.ts'
import { seesNode } from '../discovery/sight.ts'
import { coordinateBatches } from './duty.ts'

/** The part of the server that these endpoints use. */
type CoordinateServer = WithState & WithServers & WithPlace & WithDatacenters

const coordinateRows = z.array(coordinateRow).readonly()

/** Acknowledged at once, before it is replicated in a batch, and it may be lost until then. Its node sends again. */
export const updateEndpoint: WriteEndpoint<CoordinateRow, null, WithDuties> = {
  method: 'Coordinate.Update',
  kind: 'write',
  args: coordinateRow,
  reply: nothingReply,
  access: asks((authorizer, { node }, tx) => refusedUnlessAllowed(authorizer, 'node', spelledNode(tx, node), 'write')),
  serve: async (server, update) => {
    server.duty(coordinateBatches)?.add(update)
    return ok(null)
  },
}

/** Rows carry no index of their own. */
const ofAllNodes = oneForAll('it is that of all coordinates, whichever node was asked for')

const nodesArgs = z.object({ segment: z.string() })

/** In order of node. `segment`: only nodes of this segment; '' selects all. */
export const nodesEndpoint: QueryEndpoint<z.infer<typeof nodesArgs>, readonly CoordinateRow[]> = {
  method: 'Coordinate.ListNodes',
  kind: 'query',
  args: nodesArgs,
  reply: coordinateRows,
  access: filters(
    (authorizer, rows) => (authorizer.readsAll('node') ? rows : keptOf(rows, ({ node }) => seesNode(authorizer, node))),
    ofAllNodes,
  ),
  query: (tx, { segment }) => {
    const rows = [...allCoordinates(tx)].filter((row) => segment === '' || row.segment === segment)
    return { index: coordinatesIndex(tx), value: rows }
  },
}

const nodeArgs = z.object({ node: z.string() })

export const nodeEndpoint: QueryEndpoint<z.infer<typeof nodeArgs>, CoordinateRow | null> = {
  method: 'Coordinate.Node',
  kind: 'query',
  args: nodeArgs,
  reply: coordinateRow.nullable(),
  access: filters(
    (authorizer, row) => (row === null || seesNode(authorizer, row.node) ? row : null),
    ofAllNodes,
    (authorizer, { node }, tx) => refusedUnlessAllowed(authorizer, 'node', spelledNode(tx, node), 'read'),
  ),
  query: (tx, { node }) => ({ index: coordinatesIndex(tx), value: coordinateOfNode(tx, node) ?? null }),
}

const noArgs = z.object({})

export interface DatacenterCoordinates {
  readonly datacenter: string
  readonly coordinates: readonly CoordinateRow[]
}

/**
 * Servers by datacenter, in order of the names that they have in the pool of all datacenters. Without such a pool: the
 * servers of this datacenter that have coordinates.
 */
export const datacentersEndpoint: ServerEndpoint<
  z.infer<typeof noArgs>,
  readonly DatacenterCoordinates[],
  CoordinateServer
> = {
  method: 'Coordinate.ListDatacenters',
  kind: 'server',
  args: noArgs,
  reply: z.array(z.object({ datacenter: z.string(), coordinates: coordinateRows })).readonly(),
  access: open('servers are public: every agent measures how far they are'),
  leader: false,
  serve: async (server) => {
    const { datacenter } = server
    const wan = server.wan()
    if (wan !== undefined) return ok(byDatacenter(wan))
    const tx = server.read()
    const coordinates = server.servers().flatMap(({ name }) => {
      const row = coordinateOfNode(tx, name)
      return row === undefined ? [] : [{ ...row, node: `${name}.${datacenter}`, segment: '' }]
    })
    return ok([{ datacenter, coordinates }])
  },
}

function byDatacenter({ servers }: WanView): readonly DatacenterCoordinates[] {
  const known = new Map<string, CoordinateRow[]>()
  for (const { name, datacenter, coordinate } of servers) {
    const rows = known.get(datacenter) ?? []
    known.set(datacenter, rows)
    if (coordinate !== undefined) rows.push({ node: name, segment: '', coordinate })
  }
  const all = [...known].map(([datacenter, coordinates]) => ({ datacenter, coordinates }))
  return all.sort((a, b) => compareText(a.datacenter, b.datacenter))
}
