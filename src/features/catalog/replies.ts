import type {
  CatalogCheck,
  CatalogCheckDefinition,
  CatalogNode,
  CatalogService,
  HealthServiceEntry,
  ServiceWeights,
} from '../../model/catalog.ts'
import type { MeshFacts, ProxyFacts, ProxyUpstream } from '../../model/mesh-service.ts'
import {
  arePairs,
  type Is,
  isFlag,
  isIndex,
  isNumber,
  isText,
  listOfAll,
  membersAre,
  orAbsent,
  orNull,
} from '../contract/reply.ts'
import type { NodeDump, NodeServices, PlacedService, ServiceName, ServicePlace } from './model.ts'

/** Checks of the catalog's rows in replies; other features answer with them, too. */

const isTexts = listOfAll(isText)
const indexes = { createIndex: isIndex, modifyIndex: isIndex }

export const isCatalogNode = membersAre<CatalogNode>({
  id: isText,
  node: isText,
  address: isText,
  taggedAddresses: orNull(arePairs),
  meta: orNull(arePairs),
  ...indexes,
})

const ofProxies = { localAddress: isText, localPort: isNumber, config: isText }

const isUpstream = membersAre<ProxyUpstream>({
  type: isText,
  namespace: isText,
  name: isText,
  datacenter: isText,
  ...ofProxies,
})

const isProxy = membersAre<ProxyFacts>({
  destination: isText,
  destinationId: isText,
  upstreams: listOfAll(isUpstream),
  ...ofProxies,
})

export const isCatalogService = membersAre<CatalogService>({
  kind: isText,
  id: isText,
  service: isText,
  node: isText,
  tags: isTexts,
  address: isText,
  meta: orNull(arePairs),
  port: isNumber,
  weights: membersAre<ServiceWeights>({ passing: isNumber, warning: isNumber }),
  enableTagOverride: isFlag,
  mesh: orAbsent(membersAre<MeshFacts>({ native: isFlag, proxy: orNull(isProxy) })),
  ...indexes,
})

const isHeader: Is<readonly [name: string, values: readonly string[]]> = (
  value,
): value is readonly [name: string, values: readonly string[]] =>
  Array.isArray(value) && value.length === 2 && isText(value[0]) && isTexts(value[1])

const isCheckDefinition = membersAre<CatalogCheckDefinition>({
  http: isText,
  tlsSkipVerify: isFlag,
  header: listOfAll(isHeader),
  method: isText,
  tcp: isText,
  intervalMs: isNumber,
  timeoutMs: isNumber,
  deregisterCriticalServiceAfterMs: isNumber,
})

export const isCatalogCheck = membersAre<CatalogCheck>({
  node: isText,
  checkId: isText,
  name: isText,
  status: isText,
  notes: isText,
  output: isText,
  serviceId: isText,
  serviceName: isText,
  serviceTags: isTexts,
  definition: orNull(isCheckDefinition),
  ...indexes,
})

export const isPlacedService = membersAre<PlacedService>({ node: isCatalogNode, service: isCatalogService })
export const isServiceName = membersAre<ServiceName>({ service: isText, tags: isTexts })
export const isServicePlace = membersAre<ServicePlace>({ node: isText, service: isText })
export const isNodeServices = membersAre<NodeServices>({ node: isCatalogNode, services: listOfAll(isCatalogService) })

export const isNodeDump = membersAre<NodeDump>({
  node: orNull(isCatalogNode),
  services: listOfAll(isCatalogService),
  checks: listOfAll(isCatalogCheck),
})

const isHealthEntry = membersAre<HealthServiceEntry>({
  node: isCatalogNode,
  service: isCatalogService,
  checks: listOfAll(isCatalogCheck),
})

export const areHealthEntries = listOfAll(isHealthEntry)
