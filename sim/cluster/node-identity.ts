import type { Endpoint } from '../../src/env/net.ts'

/**
 * Everything that names a simulated node is computed from its number, so that two runs agree and people recognise it.
 */
export interface NodeIdentity {
  /** `s3`, `c1`. */
  readonly name: string
  /** As the scenario calls it. */
  readonly datacenter: string
  /** What its agents call it; as the scenario does, if absent. */
  readonly called?: string | undefined
  /** Its datacenter knows no other one. */
  readonly apart?: boolean | undefined
  /** It is not there at first: nobody waits for it to form a group. */
  readonly spare?: boolean | undefined
  /** `10.0.1.3`: 10.0.<number of the datacenter>.<number of the node>. */
  readonly host: string
  /** The node ID: a UUID that ends in the node's number. */
  readonly id: string
  readonly kind: 'server' | 'client'
}

export const httpPort = 8500
export const dnsPort = 8600
export const serverPort = 8300
/** Where agents gossip. */
export const lanPort = 8301
/** Where servers of all datacenters gossip, if there are several. */
export const wanPort = 8302

/** Another machine with the name and address of a lost one. An agent without its data directory draws a new node ID. */
export function replacement(identity: NodeIdentity, number: number): NodeIdentity {
  return { ...identity, id: `${replacementIds}${String(number).padStart(12, '0')}` }
}

export function isReplacement(id: string): boolean {
  return id.startsWith(replacementIds)
}

const replacementIds = '00000000-0000-4000-8002-'

/** `number` from 1 on counts through all datacenters; `datacenterNumber` from 1 on. */
export function serverIdentity(number: number, datacenter: string, datacenterNumber: number): NodeIdentity {
  return {
    name: `s${number}`,
    datacenter,
    host: `10.0.${datacenterNumber}.${number}`,
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    kind: 'server',
  }
}

/** Whether agents of the one can be asked for what is in the datacenter of the other. */
export function areJoined(one: NodeIdentity, other: NodeIdentity): boolean {
  return one.datacenter === other.datacenter || (one.apart !== true && other.apart !== true)
}

/** Clients whose addresses differ in their last number alone: from 101 to 250. */
const clientsOfNetwork = 150

/**
 * A client agent: `c1` on `10.0.<datacenter>.101`. At most 99 of them in a datacenter; `number` counts through all of
 * them.
 */
export function clientIdentity(number: number, datacenter: string, datacenterNumber: number): NodeIdentity {
  return {
    name: `c${number}`,
    datacenter,
    host: `10.${Math.floor((number - 1) / clientsOfNetwork)}.${datacenterNumber}.${101 + ((number - 1) % clientsOfNetwork)}`,
    id: `00000000-0000-4000-8001-${String(number).padStart(12, '0')}`,
    kind: 'client',
  }
}

/** The machine from which a group of clients, or the driver of the scenario, asks. Not in any datacenter. */
export function clientHost(number: number): string {
  return `10.0.250.${number}`
}

export function dnsEndpoint(identity: NodeIdentity): Endpoint {
  return { host: identity.host, port: dnsPort }
}

export function httpEndpoint(identity: NodeIdentity): Endpoint {
  return { host: identity.host, port: httpPort }
}
