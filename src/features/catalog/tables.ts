import { z } from 'zod'
import { byteString } from '../../base/bytes.ts'
import type { CatalogCheck, CatalogNode, CatalogService } from '../../model/catalog.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { meshDestination } from '../../model/mesh-service.ts'
import type { TableDefinition } from '../../store/types.ts'
import { byteText, stateIndex } from '../contract/fields.ts'
import { nameKey, pairKey } from '../contract/names.ts'
import { catalogFields } from './fields.ts'

const stored = catalogFields('dropped')

export const nodesTable: TableDefinition<CatalogNode> = {
  name: 'catalog-nodes',
  key: (row) => nameKey(row.node),
  indexes: { id: { key: (row) => (row.id === '' ? undefined : byteString(row.id)) } },
  departures: { name: { stays: (before, after) => before.node === after.node } },
  decode: (row) => stored.catalogNode.parse(row),
}

export const servicesTable: TableDefinition<CatalogService> = {
  name: 'catalog-services',
  key: (row) => pairKey(row.node, row.id),
  indexes: {
    node: { key: (row) => nameKey(row.node) },
    service: { key: (row) => nameKey(row.service) },
    /** By the service that is reached through the instance over the mesh. */
    destination: {
      key: (row) => {
        const destination = meshDestination(row)
        return destination === undefined ? undefined : nameKey(destination)
      },
    },
  },
  departures: {
    name: {
      stays: (before, after) => before.service === after.service && meshDestination(before) === meshDestination(after),
    },
  },
  decode: (row) => stored.catalogService.parse(row),
}

export const checksTable: TableDefinition<CatalogCheck> = {
  name: 'catalog-checks',
  key: (row) => pairKey(row.node, row.checkId),
  indexes: {
    node: { key: (row) => nameKey(row.node) },
    /** Checks of a node itself are under its name and an empty service ID. */
    instance: { key: (row) => pairKey(row.node, row.serviceId) },
    service: { key: (row) => (row.serviceId === '' ? undefined : nameKey(row.serviceName)) },
    status: { key: (row) => byteString(row.status) },
  },
  departures: {
    name: {
      stays: (before, after) => before.serviceId === after.serviceId && before.serviceName === after.serviceName,
    },
    status: { stays: (before, after) => before.status === after.status },
  },
  decode: (row) => stored.catalogCheck.parse(row),
}

/** The index at which answers about this node, or about this service, last changed. */
export interface LastChangeRow {
  /** In the form of `nameKey`. */
  readonly name: string
  readonly index: ModifyIndex
}

const lastChangeRow = z.object({ name: byteText, index: stateIndex })

/** One row for each node: the last change of it, or of a service or check on it. */
export const nodeChangesTable: TableDefinition<LastChangeRow> = {
  name: 'catalog-node-changes',
  key: (row) => row.name,
  decode: (row) => lastChangeRow.parse(row),
  stamps: ['index'],
}

/**
 * One row for each service with an instance: the last change of an instance, its checks, its node or that node's
 * checks.
 */
export const serviceChangesTable: TableDefinition<LastChangeRow> = {
  name: 'catalog-service-changes',
  key: (row) => row.name,
  decode: (row) => lastChangeRow.parse(row),
  stamps: ['index'],
}

/** The same for each service that can be reached over the mesh, for the instances through which it is reached. */
export const destinationChangesTable: TableDefinition<LastChangeRow> = {
  name: 'catalog-destination-changes',
  key: (row) => row.name,
  decode: (row) => lastChangeRow.parse(row),
  stamps: ['index'],
}

/**
 * Has no rows. Its last change is the greatest index at which a node, or the last instance of a service or of its mesh
 * endpoints, was removed.
 */
export const goneFloor: TableDefinition<never> = {
  name: 'catalog-gone',
  key: () => '',
  decode: () => {
    throw new Error('the table has no rows')
  },
  unwatched: true,
}
