import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import type { Member, MemberStatus } from '../../gossip/pool.ts'
import type { ServiceFacts } from '../../model/catalog.ts'
import type { Coordinate } from '../../model/coordinate.ts'
import type { ShownService } from '../contract/local-services.ts'
import type { AgentSelf } from '../contract/route-context.ts'
import { coordinateJson, coordinateShape } from '../coordinate/model.ts'
import { textList, textMap } from '../http/declared.ts'
import { connectJson, connectShape, proxyJson, proxyShape } from '../mesh/mesh-json.ts'

/** Reference: agent.md#member-status. */
const statusNumbers: Readonly<Record<MemberStatus, number>> = { alive: 1, leaving: 2, left: 3, failed: 4 }

/** Reference: agent.md#member. */
export const memberShape = z
  .strictObject({
    Name: z.string(),
    Addr: z.string(),
    Port: z.number().int(),
    Tags: z.record(z.string(), z.string()),
    Status: z.number().int().meta({ description: '1 alive, 2 leaving, 3 left, 4 failed.' }),
    ProtocolMin: z.number().int(),
    ProtocolMax: z.number().int(),
    ProtocolCur: z.number().int(),
    DelegateMin: z.number().int(),
    DelegateMax: z.number().int(),
    DelegateCur: z.number().int(),
  })
  .meta({ id: 'Member' })

const settings = z.record(
  z.string(),
  z.custom<Json>(() => true),
)

export const selfShape = z.strictObject({
  Config: z.strictObject({
    Datacenter: z.string(),
    NodeName: z.string(),
    NodeID: z.string(),
    Revision: z.string(),
    Server: z.boolean(),
    Version: z.string(),
  }),
  DebugConfig: settings,
  Coord: coordinateShape.nullable(),
  Member: memberShape,
  Stats: z.record(z.string(), textMap),
  Meta: textMap,
})

/** The form before `few-settings-told`: all settings in one member. */
export function oldSelfJson(...parts: Parameters<typeof selfJson>): { readonly [key: string]: Json } {
  const { DebugConfig, Config, ...rest } = selfJson(...parts)
  return { Config: { ...DebugConfig, ...Config }, ...rest }
}

/** `coordinate` is undefined if the agent keeps none. */
export function selfJson(
  self: AgentSelf,
  member: Member,
  coordinate: Coordinate | undefined,
): z.infer<typeof selfShape> {
  return {
    Config: {
      Datacenter: self.datacenter,
      NodeName: self.nodeName,
      NodeID: self.nodeId,
      Revision: self.revision,
      Server: self.server,
      Version: self.version,
    },
    DebugConfig: self.debugConfig,
    Coord: coordinate === undefined ? null : coordinateJson(coordinate),
    Member: memberJson(member),
    Stats: self.stats,
    Meta: self.nodeMeta,
  }
}

export function memberJson({ name, endpoint, tags, status, versions }: Member): z.infer<typeof memberShape> {
  return {
    Name: name,
    Addr: endpoint.host,
    Port: endpoint.port,
    Tags: tags,
    Status: statusNumbers[status],
    ProtocolMin: versions.protocolMin,
    ProtocolMax: versions.protocolMax,
    ProtocolCur: versions.protocolSpoken,
    DelegateMin: versions.delegateMin,
    DelegateMax: versions.delegateMax,
    DelegateCur: versions.delegateSpoken,
  }
}

/** Reference: definitions.md#services-as-the-agent-shows-them. */
export const serviceShape = z.strictObject({
  Kind: z.string().optional(),
  ID: z.string(),
  Service: z.string(),
  Tags: textList,
  Meta: textMap,
  Port: z.number().int(),
  Address: z.string(),
  Weights: z.strictObject({ Passing: z.number().int(), Warning: z.number().int() }),
  EnableTagOverride: z.boolean(),
  ProxyDestination: z.string().optional(),
  Proxy: proxyShape.optional(),
  Connect: connectShape.optional(),
})

export const hashedServiceShape = z.strictObject({
  ...serviceShape.shape,
  Tags: textList.nullable(),
  Meta: textMap.nullable(),
  ContentHash: z.string(),
})

/** A service as its own agent shows it. */
export function serviceJson(service: ServiceFacts): z.infer<typeof serviceShape> {
  return {
    Kind: service.kind === '' ? undefined : service.kind,
    ID: service.id,
    Service: service.service,
    Tags: service.tags,
    Meta: Object.fromEntries(service.meta ?? []),
    Port: service.port,
    Address: service.address,
    Weights: { Passing: service.weights.passing, Warning: service.weights.warning },
    EnableTagOverride: service.enableTagOverride,
    ProxyDestination: service.mesh?.proxy?.destination || undefined,
    Proxy: service.mesh?.proxy == null ? undefined : proxyJson(service.mesh, 'agent'),
    Connect: service.mesh?.native === true ? connectJson(service.mesh) : undefined,
  }
}

/** The same for a single service: unset members are null, weights 0, and a hash covers the whole. */
export function hashedServiceJson(service: ShownService, contentHash: string): z.infer<typeof hashedServiceShape> {
  return {
    ...serviceJson(service),
    Tags: service.tags.length === 0 ? null : service.tags,
    Meta: service.meta === null || service.meta.length === 0 ? null : Object.fromEntries(service.meta),
    ...(service.weightless === true ? { Weights: { Passing: 0, Warning: 0 } } : {}),
    ContentHash: contentHash,
  }
}

/** Answered by every agent whose process runs, as soon as its HTTP port is open. */
export const livePath = '/v1/agent/live'
