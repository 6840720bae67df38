import { z } from 'zod'
import type { MeshFacts } from '../../model/mesh-service.ts'
import { stateIndex, textPairs } from '../contract/fields.ts'

/**
 * Schemas of the catalog's parts in commands and requests. `strict` refuses members that this release does not know, as
 * commands in the log must; the others drop them, so that agents of a newer release are understood. `without-mesh` is
 * the form before the mesh.
 */
export function catalogFields(unknownMembers: 'strict' | 'dropped', mesh: 'with-mesh' | 'without-mesh' = 'with-mesh') {
  const object = (unknownMembers === 'strict' ? z.strictObject : z.object) as typeof z.object
  const nodeShape = {
    id: z.string(),
    node: z.string().min(1),
    address: z.string(),
    taggedAddresses: textPairs.nullable(),
    meta: textPairs.nullable(),
  }
  const serviceShape = {
    kind: z.string(),
    id: z.string().min(1),
    service: z.string().min(1),
    tags: z.array(z.string()),
    address: z.string(),
    meta: textPairs.nullable(),
    port: z.number().int(),
    weights: object({ passing: z.number().int(), warning: z.number().int() }),
    enableTagOverride: z.boolean(),
    mesh: mesh === 'with-mesh' ? meshFields(object).optional() : z.undefined().optional(),
  }
  const definition = object({
    http: z.string(),
    tlsSkipVerify: z.boolean(),
    header: z.array(z.tuple([z.string(), z.array(z.string())])),
    method: z.string(),
    tcp: z.string(),
    intervalMs: z.number(),
    timeoutMs: z.number(),
    deregisterCriticalServiceAfterMs: z.number(),
  })
  const checkShape = {
    node: z.string().min(1),
    checkId: z.string().min(1),
    name: z.string(),
    status: z.string(),
    notes: z.string(),
    output: z.string(),
    serviceId: z.string(),
    serviceName: z.string(),
    serviceTags: z.array(z.string()),
    definition: definition.nullable(),
  }
  const node = object(nodeShape)
  const offer = { service: object(serviceShape).nullable(), checks: z.array(object(checkShape)) }
  const indexes = { createIndex: stateIndex, modifyIndex: stateIndex }
  return {
    catalogNode: object({ ...nodeShape, ...indexes }),
    catalogService: object({ ...serviceShape, node: z.string().min(1), ...indexes }),
    catalogCheck: object({ ...checkShape, ...indexes }),
    registerRequest: object({ node, skipNodeUpdate: z.boolean(), ...offer }),
    registerAllRequest: object({ node, skipNodeUpdate: z.boolean(), offers: z.array(object(offer)) }),
    deregisterRequest: object({ node: z.string().min(1), serviceId: z.string(), checkId: z.string() }),
  }
}

function meshFields(object: typeof z.object): z.ZodType<MeshFacts> {
  const settings = { localAddress: z.string(), localPort: z.number().int(), config: z.string() }
  const upstream = object({
    type: z.string(),
    namespace: z.string(),
    name: z.string(),
    datacenter: z.string(),
    ...settings,
  })
  const proxy = object({
    destination: z.string(),
    destinationId: z.string(),
    ...settings,
    upstreams: z.array(upstream),
  })
  return object({ native: z.boolean(), proxy: proxy.nullable() })
}
