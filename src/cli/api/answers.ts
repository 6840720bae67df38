import { z } from 'zod'
import { jsonOrUndefined } from '../../base/json.ts'
import { parseJsonInput, plainOf } from '../../base/json-input.ts'
import type { Coordinate } from '../../model/coordinate.ts'

const entrySchema = z.object({
  CreateIndex: z.number(),
  ModifyIndex: z.number(),
  LockIndex: z.number(),
  Key: z.string(),
  /** 64 bits. */
  Flags: z.union([z.number(), z.bigint()]),
  Value: z.string().nullable(),
  Session: z.string().optional(),
})

/** The value of a semaphore's key: all holders. It may still name sessions that have ended. */
const holdersSchema = z.object({ Limit: z.number(), Holders: z.record(z.string(), z.boolean()).nullable() })

const createdSchema = z.object({ ID: z.string() })

const selfSchema = z.object({ Stats: z.record(z.string(), z.record(z.string(), z.string())) })

export const peersSchema = z.object({
  Servers: z.array(
    z.object({
      ID: z.string(),
      Node: z.string(),
      Address: z.string(),
      Leader: z.boolean(),
      // Servers of releases before 0.8.2 do not report it.
      ProtocolVersion: z.string().default(''),
      Voter: z.boolean(),
    }),
  ),
})

const clusterHealthSchema = z.object({
  Servers: z
    .array(
      z.object({
        Name: z.string(),
        Healthy: z.boolean(),
        LastIndex: z.number().optional(),
      }),
    )
    .nullable(),
})

export const memberSchema = z.object({
  Name: z.string(),
  Addr: z.string(),
  Port: z.number(),
  Tags: z.record(z.string(), z.string()).nullable(),
  Status: z.number(),
})

export const keyringSchema = z.object({
  WAN: z.boolean(),
  Datacenter: z.string(),
  Keys: z.record(z.string(), z.number()),
  NumNodes: z.number(),
})

const autopilotSchema = z.object({
  CleanupDeadServers: z.boolean(),
  LastContactThreshold: z.string(),
  MaxTrailingLogs: z.number(),
  ServerStabilizationTime: z.string(),
  RedundancyZoneTag: z.string(),
  DisableUpgradeMigration: z.boolean(),
  UpgradeVersionTag: z.string(),
  CreateIndex: z.number(),
  ModifyIndex: z.number(),
})

const eventSchema = z.object({ ID: z.string() })

const coordinateSchema = z.object({
  Node: z.string(),
  Coord: z.object({ Vec: z.array(z.number()), Error: z.number(), Adjustment: z.number(), Height: z.number() }),
})

const ownNameSchema = z.object({ Config: z.object({ NodeName: z.string(), Datacenter: z.string() }) })

const checkSchema = z.object({ Node: z.string(), CheckID: z.string(), Notes: z.string(), ServiceID: z.string() })

const textMap = z.record(z.string(), z.string()).nullable()

const nodeSchema = z.object({
  ID: z.string(),
  Node: z.string(),
  Address: z.string(),
  Datacenter: z.string(),
  TaggedAddresses: textMap,
})

const catalogNodeSchema = nodeSchema.extend({ Meta: textMap })
const instanceSchema = nodeSchema.extend({ NodeMeta: textMap })
const servicesSchema = z.record(z.string(), z.array(z.string()).nullable())
const onNodeSchema = z
  .object({ Services: z.record(z.string(), z.object({ Service: z.string(), Tags: z.array(z.string()).nullable() })) })
  .nullable()

export type Entry = z.infer<typeof entrySchema>
export type Stats = z.infer<typeof selfSchema>['Stats']
export type PeerList = z.infer<typeof peersSchema>['Servers']
export type ServerHealthList = NonNullable<z.infer<typeof clusterHealthSchema>['Servers']>
export type ListedMember = z.infer<typeof memberSchema>
export type ListedNode = z.infer<typeof catalogNodeSchema>
export type ListedCheck = z.infer<typeof checkSchema>
/** By name, with the tags of all its instances. */
export type ListedServices = ReadonlyMap<string, readonly string[]>

// Each of these functions returns undefined for an answer of another shape, because any server may listen at the
// address.

export function readKeys(body: Uint8Array): readonly string[] | undefined {
  return z.array(z.string()).safeParse(jsonOrUndefined(body)).data
}

export function readEntries(body: Uint8Array): readonly Entry[] | undefined {
  // Not bounded as a request is: a prefix has as many entries as there are.
  const parsed = parseJsonInput(body)
  return parsed.ok ? z.array(entrySchema).safeParse(plainOf(parsed.value)).data : undefined
}

export function readHolders(value: Uint8Array): z.infer<typeof holdersSchema> | undefined {
  return holdersSchema.safeParse(jsonOrUndefined(value)).data
}

export function readCreated(body: Uint8Array): z.infer<typeof createdSchema> | undefined {
  return createdSchema.safeParse(jsonOrUndefined(body)).data
}

export function readStats(body: Uint8Array): Stats | undefined {
  return selfSchema.safeParse(jsonOrUndefined(body)).data?.Stats
}

export function readPeers(body: Uint8Array): PeerList | undefined {
  return peersSchema.safeParse(jsonOrUndefined(body)).data?.Servers
}

export function readClusterHealth(body: Uint8Array): ServerHealthList | undefined {
  const health = clusterHealthSchema.safeParse(jsonOrUndefined(body))
  return health.success ? (health.data.Servers ?? []) : undefined
}

export function readAutopilot(body: Uint8Array): z.infer<typeof autopilotSchema> | undefined {
  return autopilotSchema.safeParse(jsonOrUndefined(body)).data
}

export function readBoolean(body: Uint8Array): boolean | undefined {
  return z.boolean().safeParse(jsonOrUndefined(body)).data
}

export function readMembers(body: Uint8Array): readonly ListedMember[] | undefined {
  return z
    .array(memberSchema)
    .nullable()
    .transform((members) => members ?? [])
    .safeParse(jsonOrUndefined(body)).data
}

export function readKeyrings(body: Uint8Array): readonly z.infer<typeof keyringSchema>[] | undefined {
  return z.array(keyringSchema).safeParse(jsonOrUndefined(body)).data
}

export function readEvent(body: Uint8Array): z.infer<typeof eventSchema> | undefined {
  return eventSchema.safeParse(jsonOrUndefined(body)).data
}

/** By name of node. */
export function readCoordinates(body: Uint8Array): ReadonlyMap<string, Coordinate> | undefined {
  return placesOf(z.array(coordinateSchema).safeParse(jsonOrUndefined(body)).data)
}

export function readDatacenterCoordinates(body: Uint8Array): ReadonlyMap<string, Coordinate> | undefined {
  const datacenters = z
    .array(z.object({ Coordinates: z.array(coordinateSchema).nullable() }))
    .safeParse(jsonOrUndefined(body))
  return placesOf(datacenters.data?.flatMap(({ Coordinates }) => Coordinates ?? []))
}

function placesOf(
  found: readonly z.infer<typeof coordinateSchema>[] | undefined,
): ReadonlyMap<string, Coordinate> | undefined {
  if (found === undefined) return undefined
  return new Map(
    found.map(({ Node, Coord: { Vec: vec, Error: error, Adjustment: adjustment, Height: height } }) => [
      Node,
      { vec, error, adjustment, height },
    ]),
  )
}

export function readAgentRelease(body: Uint8Array): string | undefined {
  return z.object({ Config: z.object({ Version: z.string() }) }).safeParse(jsonOrUndefined(body)).data?.Config.Version
}

export function readOwnName(body: Uint8Array): { readonly node: string; readonly datacenter: string } | undefined {
  const self = ownNameSchema.safeParse(jsonOrUndefined(body)).data
  return self === undefined ? undefined : { node: self.Config.NodeName, datacenter: self.Config.Datacenter }
}

export function readChecks(body: Uint8Array): readonly ListedCheck[] | undefined {
  const checks = z.record(z.string(), checkSchema).safeParse(jsonOrUndefined(body)).data
  return checks === undefined ? undefined : Object.values(checks)
}

export function readTexts(body: Uint8Array): readonly string[] | undefined {
  return z.array(z.string()).safeParse(jsonOrUndefined(body)).data
}

export function readNodes(body: Uint8Array): readonly ListedNode[] | undefined {
  return z.array(catalogNodeSchema).safeParse(jsonOrUndefined(body)).data
}

/** The nodes of a service's instances in health. */
export function readHealthyNodes(body: Uint8Array): readonly string[] | undefined {
  const found = z.array(z.object({ Node: z.object({ Node: z.string() }) })).safeParse(jsonOrUndefined(body)).data
  return found?.map(({ Node }) => Node.Node)
}

/** The nodes of a service's instances. */
export function readInstances(body: Uint8Array): readonly ListedNode[] | undefined {
  const instances = z.array(instanceSchema).safeParse(jsonOrUndefined(body)).data
  return instances?.map((instance) => ({ ...instance, Meta: instance.NodeMeta }))
}

export function readServices(body: Uint8Array): ListedServices | undefined {
  const services = servicesSchema.safeParse(jsonOrUndefined(body)).data
  return services === undefined
    ? undefined
    : new Map(Object.entries(services).map(([name, tags]) => [name, tags ?? []]))
}

/** The services of one node; empty if the node is unknown. */
export function readServicesOfNode(body: Uint8Array): ListedServices | undefined {
  const onNode = onNodeSchema.safeParse(jsonOrUndefined(body))
  if (!onNode.success) return undefined
  const services = new Map<string, readonly string[]>()
  for (const { Service, Tags } of Object.values(onNode.data?.Services ?? {})) {
    services.set(Service, [...new Set([...(services.get(Service) ?? []), ...(Tags ?? [])])])
  }
  return services
}
