import type { Endpoint } from '../../src/env/net.ts'

/**
 * Everything that names a simulated node is computed from its number, so that two runs agree and readers recognise it.
 */
export interface NodeIdentity {
  /** `s3`, `c1`. */
  readonly name: string
  /** The scenario's name of its datacenter. */
  readonly datacenter: string
  /** The name that its agents use; absent: the scenario's. */
  readonly called?: string | undefined
  /** Its datacenter knows no other one. */
  readonly apart?: boolean | undefined
  /** It does not exist at first: no group waits for it to form. */
  readonly spare?: boolean | undefined
  /** `10.0.1.3`: 10.0.<number of the datacenter>.<number of the node>, until its machine moves. */
  readonly host: string
  /** The node ID: a UUID that ends in the node's number. */
  readonly id: string
  readonly kind: 'server' | 'client'
}

export const httpPort = 8500
export const dnsPort = 8600
export const serverPort = 8300
/** Port for the gossip of agents. */
export const lanPort = 8301
/** Port for the gossip of the servers of all datacenters, if there are several. */
export const wanPort = 8302

/** Another machine with the name and address of a lost one. An agent without its data directory draws a new node ID. */
export function replacement(identity: NodeIdentity, number: number): NodeIdentity {
  return { ...identity, id: `${replacementIds}${String(number).padStart(12, '0')}` }
}

export function isReplacement(id: string): boolean {
  return id.startsWith(replacementIds)
}

const replacementIds = '00000000-0000-4000-8002-'

/** `number` counts through all datacenters, from 1 on, and so does `datacenterNumber`. */
export function serverIdentity(number: number, datacenter: string, datacenterNumber: number): NodeIdentity {
  return {
    name: `s${number}`,
    datacenter,
    host: `10.0.${datacenterNumber}.${number}`,
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    kind: 'server',
  }
}

/** Addresses to which this machine may move, besides those that others have left. */
export function furtherHosts({ host }: NodeIdentity): readonly string[] {
  const [, , ...last] = host.split('.')
  return furtherNetworks.map((network) => ['10', network, ...last].join('.'))
}

const furtherNetworks: readonly string[] = ['240', '241']

/** Whether agents of the one answer requests about the datacenter of the other. */
export function areJoined(one: NodeIdentity, other: NodeIdentity): boolean {
  return one.datacenter === other.datacenter || (one.apart !== true && other.apart !== true)
}

/** Number of clients whose addresses differ only in their last number: from 101 to 250. */
const clientsOfNetwork = 150

/**
 * A client agent: `c1` on `10.0.<datacenter>.101`. A datacenter has at most 99; `number` counts through all
 * datacenters.
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

/** The machine from which a group of clients, or the driver of the scenario, sends requests. It is in no datacenter. */
export function clientHost(number: number): string {
  return `10.0.250.${number}`
}

export function dnsEndpoint(identity: NodeIdentity): Endpoint {
  return { host: identity.host, port: dnsPort }
}

export function httpEndpoint(identity: NodeIdentity): Endpoint {
  return { host: identity.host, port: httpPort }
}
