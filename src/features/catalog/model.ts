import { z } from 'zod'
import { formatDuration } from '../../base/duration.ts'
import type {
  CatalogCheck,
  CatalogCheckDefinition,
  CatalogNode,
  CatalogService,
  TextPairs,
} from '../../model/catalog.ts'
import type { StateEvent } from '../../store/types.ts'
import { indexValue, textList, textMap } from '../http/declared.ts'
import { connectJson, connectShape, proxyJson, proxyShape } from '../mesh/mesh-json.ts'

/**
 * Events that other features follow within the transaction. Each is raised when the catalog's own tables already have
 * the result. The removal of a node also removes its checks and services, and the events of each come before that of
 * the node.
 */
export const nodeRemoved: StateEvent<{ readonly node: string }> = { name: 'catalog.node-removed' }
export const serviceRemoved: StateEvent<{ readonly node: string; readonly serviceId: string }> = {
  name: 'catalog.service-removed',
}
export const checkRemoved: StateEvent<{ readonly node: string; readonly checkId: string }> = {
  name: 'catalog.check-removed',
}
/** A check was registered as critical, or became critical. */
export const checkBecameCritical: StateEvent<{ readonly node: string; readonly checkId: string }> = {
  name: 'catalog.check-became-critical',
}

/** A service instance and the node that it runs on. */
export interface PlacedService {
  readonly node: CatalogNode
  readonly service: CatalogService
}

/** A service name with instances, and the tags of all of them. */
export interface ServiceName {
  readonly service: string
  readonly tags: readonly string[]
}

/** By names. */
export interface ServicePlace {
  readonly node: string
  readonly service: string
}

/** A node with its services. */
export interface NodeServices {
  readonly node: CatalogNode
  readonly services: readonly CatalogService[]
}

/** The same with the checks, for an agent that compares them with its own; empty if the node does not exist. */
export interface NodeDump {
  readonly node: CatalogNode | null
  readonly services: readonly CatalogService[]
  readonly checks: readonly CatalogCheck[]
}

const indexes = { CreateIndex: indexValue, ModifyIndex: indexValue } as const

/** Reference: catalog.md#node. */
export const nodeShape = z
  .strictObject({
    ID: z.string(),
    Node: z.string(),
    Address: z.string(),
    Datacenter: z.string(),
    TaggedAddresses: textMap.nullable(),
    Meta: textMap.nullable(),
    ...indexes,
  })
  .meta({ id: 'Node' })

/** The datacenter is that of the answering server. */
export function nodeJson(node: CatalogNode, datacenter: string): z.infer<typeof nodeShape> {
  return {
    ID: node.id,
    Node: node.node,
    Address: node.address,
    Datacenter: datacenter,
    TaggedAddresses: pairsJson(node.taggedAddresses),
    Meta: pairsJson(node.meta),
    CreateIndex: node.createIndex,
    ModifyIndex: node.modifyIndex,
  }
}

const weightsShape = z.strictObject({ Passing: z.number().int(), Warning: z.number().int() })

/** Reference: catalog.md#catalog-service-entry. */
export const placedServiceShape = z
  .strictObject({
    ID: z.string(),
    Node: z.string(),
    Address: z.string(),
    Datacenter: z.string(),
    TaggedAddresses: textMap.nullable(),
    NodeMeta: textMap.nullable(),
    ServiceKind: z.string(),
    ServiceID: z.string(),
    ServiceName: z.string(),
    ServiceTags: textList,
    ServiceAddress: z.string(),
    ServiceWeights: weightsShape,
    ServiceMeta: textMap,
    ServicePort: z.number().int(),
    ServiceEnableTagOverride: z.boolean(),
    ServiceProxyDestination: z.string(),
    ServiceProxy: proxyShape,
    ServiceConnect: connectShape,
    ...indexes,
  })
  .meta({ id: 'PlacedService' })

/** An instance in the form of catalog queries. */
export function placedServiceJson(
  { node, service }: PlacedService,
  datacenter: string,
): z.infer<typeof placedServiceShape> {
  return {
    ID: node.id,
    Node: node.node,
    Address: node.address,
    Datacenter: datacenter,
    TaggedAddresses: pairsJson(node.taggedAddresses),
    NodeMeta: pairsJson(node.meta),
    ServiceKind: service.kind,
    ServiceID: service.id,
    ServiceName: service.service,
    ServiceTags: service.tags,
    ServiceAddress: service.address,
    ServiceWeights: weightsJson(service),
    ServiceMeta: Object.fromEntries(service.meta ?? []),
    ServicePort: service.port,
    ServiceEnableTagOverride: service.enableTagOverride,
    ServiceProxyDestination: service.mesh?.proxy?.destination ?? '',
    ServiceProxy: proxyJson(service.mesh, 'catalog'),
    ServiceConnect: connectJson(service.mesh),
    CreateIndex: service.createIndex,
    ModifyIndex: service.modifyIndex,
  }
}

/** Reference: catalog.md#node-service. */
export const nodeServiceShape = z
  .strictObject({
    Kind: z.string().optional(),
    ID: z.string(),
    Service: z.string(),
    Tags: textList,
    Address: z.string(),
    Meta: textMap.nullable(),
    Port: z.number().int(),
    Weights: weightsShape,
    EnableTagOverride: z.boolean(),
    ProxyDestination: z.literal('').meta({ description: 'Proxy tells of it.' }),
    Proxy: proxyShape,
    Connect: connectShape,
    ...indexes,
  })
  .meta({ id: 'NodeService' })

/** An instance in the form of queries about its node. */
export function nodeServiceJson(service: CatalogService): z.infer<typeof nodeServiceShape> {
  return {
    Kind: service.kind === '' ? undefined : service.kind,
    ID: service.id,
    Service: service.service,
    Tags: service.tags,
    Address: service.address,
    Meta: pairsJson(service.meta),
    Port: service.port,
    Weights: weightsJson(service),
    EnableTagOverride: service.enableTagOverride,
    ProxyDestination: '',
    Proxy: proxyJson(service.mesh, 'catalog'),
    Connect: connectJson(service.mesh),
    CreateIndex: service.createIndex,
    ModifyIndex: service.modifyIndex,
  }
}

const checkDefinitionShape = z
  .strictObject({
    HTTP: z.string(),
    TLSSkipVerify: z.boolean(),
    Header: z.record(z.string(), textList),
    Method: z.string(),
    TCP: z.string(),
    Interval: z.string(),
    Timeout: z.string(),
    DeregisterCriticalServiceAfter: z.string(),
  })
  .partial()

export const nodeServicesShape = z.strictObject({
  Node: nodeShape,
  Services: z.record(z.string(), nodeServiceShape).meta({ description: 'By ID.' }),
})

/** Reference: catalog.md#health-check-record. */
export const checkShape = z
  .strictObject({
    Node: z.string(),
    CheckID: z.string(),
    Name: z.string(),
    Status: z.string(),
    Notes: z.string(),
    Output: z.string(),
    ServiceID: z.string(),
    ServiceName: z.string(),
    ServiceTags: textList,
    Definition: checkDefinitionShape,
    ...indexes,
  })
  .meta({ id: 'Check' })

export function checkJson(check: CatalogCheck): z.infer<typeof checkShape> {
  return {
    Node: check.node,
    CheckID: check.checkId,
    Name: check.name,
    Status: check.status,
    Notes: check.notes,
    Output: check.output,
    ServiceID: check.serviceId,
    ServiceName: check.serviceName,
    ServiceTags: check.serviceTags,
    Definition: check.definition === null ? {} : definitionJson(check.definition),
    CreateIndex: check.createIndex,
    ModifyIndex: check.modifyIndex,
  }
}

function weightsJson({ weights }: CatalogService) {
  return { Passing: weights.passing, Warning: weights.warning }
}

function pairsJson(pairs: TextPairs | null) {
  return pairs === null ? null : Object.fromEntries(pairs)
}

/** Unset members are left out. */
function definitionJson(definition: CatalogCheckDefinition): z.infer<typeof checkDefinitionShape> {
  const duration = (ms: number): string | undefined => (ms === 0 ? undefined : formatDuration(ms))
  const text = (value: string): string | undefined => (value === '' ? undefined : value)
  return {
    HTTP: text(definition.http),
    TLSSkipVerify: definition.tlsSkipVerify || undefined,
    Header: definition.header.length === 0 ? undefined : Object.fromEntries(definition.header),
    Method: text(definition.method),
    TCP: text(definition.tcp),
    Interval: duration(definition.intervalMs),
    Timeout: duration(definition.timeoutMs),
    DeregisterCriticalServiceAfter: duration(definition.deregisterCriticalServiceAfterMs),
  }
}
