/**
 * The catalog: nodes, service instances and health checks, and the registrations of an agent. Plain data in this
 * program's own names; each interface has its own JSON.
 */

import { metadataKeyMax, metadataPairsMax, metadataValueMax } from './limits.ts'
import type { ModifyIndex } from './log-position.ts'
import type { ManagedFacts, MeshFacts } from './mesh-service.ts'

export type CheckStatus = 'passing' | 'warning' | 'critical'

/** Weights of a service instance in DNS answers. Reference: definitions.md#service-weights, dns.md#fact-60. */
export interface ServiceWeights {
  readonly passing: number
  readonly warning: number
}

/** Pairs of text, in order of key. A list and no object, because a key from outside must never become a member name. */
export type TextPairs = readonly (readonly [key: string, value: string])[]

/** A node without its indexes in the catalog. */
export interface NodeFacts {
  /** A UUID in lower case; empty for a node without an agent. */
  readonly id: string
  readonly node: string
  readonly address: string
  /** For `lan` and `wan`; null if none were given. */
  readonly taggedAddresses: TextPairs | null
  readonly meta: TextPairs | null
}

/** One instance of a service on one node. */
export interface ServiceFacts {
  /** `''` for a typical service, or `connect-proxy`. */
  readonly kind: string
  /** Unique on its node. */
  readonly id: string
  readonly service: string
  readonly tags: readonly string[]
  /** Empty: the node's address applies. */
  readonly address: string
  readonly meta: TextPairs | null
  readonly port: number
  readonly weights: ServiceWeights
  /** Whether tags that were changed in the catalog survive anti-entropy. */
  readonly enableTagOverride: boolean
  /** Absent: the instance takes no part in the mesh. */
  readonly mesh?: MeshFacts | undefined
}

/** One health check of a node, or of one service instance on it. */
export interface CheckFacts {
  readonly node: string
  /** Unique on its node. */
  readonly checkId: string
  readonly name: string
  /** Catalog registration stores any text. */
  readonly status: string
  readonly notes: string
  readonly output: string
  /** Empty for a check of the node. */
  readonly serviceId: string
  readonly serviceName: string
  readonly serviceTags: readonly string[]
  /** As registered over the catalog; null for what an agent runs itself. Reference: catalog.md#check-definition. */
  readonly definition: CatalogCheckDefinition | null
}

/**
 * How an external monitor is to run a check that is registered in the catalog. Durations in milliseconds; 0 or '' is
 * unset.
 */
export interface CatalogCheckDefinition {
  readonly http: string
  readonly tlsSkipVerify: boolean
  readonly header: readonly (readonly [name: string, values: readonly string[]])[]
  readonly method: string
  readonly tcp: string
  readonly intervalMs: number
  readonly timeoutMs: number
  readonly deregisterCriticalServiceAfterMs: number
}

interface RowIndexes {
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

export type CatalogNode = NodeFacts & RowIndexes
export type CatalogService = ServiceFacts & RowIndexes & { readonly node: string }
export type CatalogCheck = CheckFacts & RowIndexes

/**
 * Adds or changes a node, an instance and checks, all or nothing. Reference: catalog.md#register-body,
 * catalog.md#atomic-registration.
 */
export interface RegisterRequest {
  readonly node: NodeFacts
  /** Whether the node's own data stay as they are; the node is created if it does not exist. */
  readonly skipNodeUpdate: boolean
  readonly service: ServiceFacts | null
  readonly checks: readonly CheckFacts[]
}

/** The registrations of one agent's node in one request: each offer is applied as a whole or refused, in this order. */
export interface RegisterAllRequest extends Pick<RegisterRequest, 'node' | 'skipNodeUpdate'> {
  readonly offers: readonly Pick<RegisterRequest, 'service' | 'checks'>[]
}

/** Removes an instance with its checks, or else a check, or else the node with everything on it. */
export interface DeregisterRequest {
  readonly node: string
  readonly serviceId: string
  readonly checkId: string
}

/** An instance with its node and its checks: HTTP and DNS answer from these. */
export interface HealthServiceEntry {
  readonly node: CatalogNode
  readonly service: CatalogService
  /** Checks of the instance and of the node. */
  readonly checks: readonly CatalogCheck[]
}

/** How an agent runs a check. Durations in milliseconds. Reference: definitions.md#check-types. */
export type CheckProbe =
  | { readonly kind: 'ttl'; readonly ttlMs: number }
  | {
      readonly kind: 'http'
      readonly url: string
      readonly method: string
      readonly header: readonly (readonly [name: string, values: readonly string[]])[]
      readonly tlsSkipVerify: boolean
      readonly intervalMs: number
      readonly timeoutMs: number
    }
  | { readonly kind: 'tcp'; readonly address: string; readonly intervalMs: number; readonly timeoutMs: number }
  | {
      readonly kind: 'script'
      readonly argv: readonly [string, ...string[]]
      readonly intervalMs: number
      readonly timeoutMs: number
    }
  | {
      readonly kind: 'grpc'
      /** `host:port`, or `host:port/service`. */
      readonly target: string
      readonly useTls: boolean
      readonly tlsSkipVerify: boolean
      readonly intervalMs: number
      readonly timeoutMs: number
    }
  /** A program inside a container. */
  | {
      readonly kind: 'container'
      readonly container: string
      readonly argv: readonly [string, ...string[]]
      readonly intervalMs: number
      readonly timeoutMs: number
    }
  /** The status of another service, by its ID and its node. `node`: empty for this agent's own. */
  | { readonly kind: 'alias'; readonly node: string; readonly service: string }
  /** Keeps its status until it is removed: maintenance. */
  | { readonly kind: 'fixed' }

const runningPrograms: Readonly<Record<CheckProbe['kind'], boolean>> = {
  ttl: false,
  http: false,
  tcp: false,
  script: true,
  grpc: false,
  container: true,
  alias: false,
  fixed: false,
}

/** Whether running the check means running a program that its author chose. */
export function runsProgram({ kind }: CheckProbe): boolean {
  return runningPrograms[kind]
}

/** A check definition of an agent. */
export interface CheckDefinition {
  readonly checkId: string
  readonly name: string
  readonly notes: string
  /** Empty for a check of the node. */
  readonly serviceId: string
  /** The status until the first result of the check. */
  readonly status: CheckStatus
  readonly probe: CheckProbe
  /** The service is deregistered when the check has been critical for this long; 0: never. */
  readonly deregisterCriticalServiceAfterMs: number
  /** The secret with which the agent registers it in the catalog; absent: the agent's default token. */
  readonly token?: string | undefined
}

/** A service definition of an agent. */
export interface OfferedService extends ServiceFacts {
  /** The secret with which the agent registers it in the catalog; absent: the agent's default token. */
  readonly token?: string | undefined
  /** The ID of the service for which this one, its sidecar, was registered, and with which it is removed. */
  readonly sidecarOf?: string | undefined
  /** Whether its agent runs it as a process of its own: a managed proxy. */
  readonly managed?: ManagedFacts | undefined
  /** Whether its definition has no weights: those of `ServiceFacts` apply, and the agent shows none. */
  readonly weightless?: true | undefined
}

/** A service definition of an agent, with its checks. */
export interface ServiceDefinition {
  readonly service: OfferedService
  readonly checks: readonly CheckDefinition[]
  /**
   * A sidecar proxy that is registered with it, or a managed one. Its port is 0 if the agent is to choose one, and its
   * checks are empty if the default ones apply.
   */
  readonly sidecar?: Pick<ServiceDefinition, 'service' | 'checks'>
}

/** The check by which the pool's failure detection shows in the catalog. Reference: catalog.md#gossip-check. */
export const membershipCheckId = 'serfHealth'
export const membershipCheckName = 'Serf Health Status'
export const membershipPassingOutput = 'Agent alive and reachable'
export const membershipCriticalOutput = 'Agent not live or unreachable'

/**
 * Prefix of the IDs of checks that put one service under maintenance; the rest is the ID of the service.
 * Reference: health.md#maintenance-checks.
 */
export const serviceMaintenancePrefix = '_service_maintenance:'

/**
 * Why such metadata of a node or a service cannot be taken, in the field's words; undefined where they can.
 * `reserved`: how keys of the product's own begin; absent: they are as good as others, because pairs are asked for and not
 * given. Reference: catalog.md#metadata-limits.
 */
export function metadataProblem(pairs: TextPairs, reserved?: string): string | undefined {
  if (pairs.length > metadataPairsMax) {
    return `Node metadata cannot contain more than ${metadataPairsMax} key/value pairs`
  }
  for (const [key, value] of pairs) {
    const reason = pairProblem(key, value, reserved)
    if (reason !== undefined) return `Couldn't load metadata pair ('${key}', '${value}'): ${reason}`
  }
  return undefined
}

function pairProblem(key: string, value: string, reserved: string | undefined): string | undefined {
  if (key === '') return 'Key cannot be blank'
  if (!/^[A-Za-z0-9_-]+$/.test(key)) return 'Key contains invalid characters'
  if (key.length > metadataKeyMax) return `Key is too long (limit: ${metadataKeyMax} characters)`
  if (reserved !== undefined && key.startsWith(reserved)) return `Key prefix '${reserved}' is reserved for internal use`
  if (value.length > metadataValueMax) return `Value is too long (limit: ${metadataValueMax} characters)`
  return undefined
}
