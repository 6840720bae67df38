import { z } from 'zod'
import { compareText } from '../../base/bytes.ts'
import { ok } from '../../base/result.ts'
import type { WanView } from '../known-servers.ts'
import type { QueryEndpoint, ServerEndpoint, WriteEndpoint } from '../manifest.ts'
import { coordinateBatches } from './duty.ts'
import { type CoordinateRow, coordinateRow } from './model.ts'
import { allCoordinates, coordinateOfNode, coordinatesIndex } from './views.ts'

/** Answered at once: it is replicated with others in a while, if it is not lost before. Its node tells again. */
export const updateEndpoint: WriteEndpoint<CoordinateRow, null> = {
  method: 'Coordinate.Update',
  kind: 'write',
  args: coordinateRow,
  serve: async (server, update) => {
    server.duty(coordinateBatches)?.add(update)
    return ok(null)
  },
}

const nodesArgs = z.object({ segment: z.string() })

/** In order of node. `segment`: only of this one; '' takes all. */
export const nodesEndpoint: QueryEndpoint<z.infer<typeof nodesArgs>, readonly CoordinateRow[]> = {
  method: 'Coordinate.ListNodes',
  kind: 'query',
  args: nodesArgs,
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
  query: (tx, { node }) => ({ index: coordinatesIndex(tx), value: coordinateOfNode(tx, node) ?? null }),
}

const noArgs = z.object({})

export interface DatacenterCoordinates {
  readonly datacenter: string
  readonly coordinates: readonly CoordinateRow[]
}

/**
 * Servers by datacenter, by name, with the names that they have among all datacenters. Without a pool of theirs: the servers of
 * the own one, where they are in it.
 */
export const datacentersEndpoint: ServerEndpoint<z.infer<typeof noArgs>, readonly DatacenterCoordinates[]> = {
  method: 'Coordinate.ListDatacenters',
  kind: 'server',
  args: noArgs,
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
