import { type Endpoint, endpointText } from '../../env/net.ts'
import type { Member, MemberStatus, Pool } from '../../gossip/pool.ts'
import { clientNamingTags, clientRole, isServerRole, serversService } from '../../model/naming/names.ts'
import {
  hasBehaviour,
  internalProtocolsOf,
  type ProtocolRange,
  type Release,
  releaseText,
} from '../../model/release.ts'
import type { AgentConfig } from '../settings/agent-config.ts'

/**
 * `legacy`: tokens carry their rules. `enabled`: tokens name policies; there is no way back.
 * Reference: access-control.md#mode-start, access-control.md#mode-in-stats.
 */
export type AccessMode = 'disabled' | 'legacy' | 'enabled'

/** Values of the tag `acls` of servers. Releases that know only legacy access control set no tag. */
const tags: Readonly<Record<AccessMode, string>> = { disabled: '0', enabled: '1', legacy: '2' }

/** Whether agents of this release support tokens that name policies. */
export function knowsPolicies(release: Release): boolean {
  return hasBehaviour(release, 'tokens-and-policies')
}

export function modeTags(mode: AccessMode, release: Release): Readonly<Record<string, string>> {
  return knowsPolicies(release) ? { acls: tags[mode] } : {}
}

/** The mode of a server at its start, before its state says more. */
function firstMode({ access, server }: Pick<AgentConfig, 'access' | 'server'>): AccessMode {
  return access.enabled && server ? 'legacy' : 'disabled'
}

/** Whether a server with this tag supports policies; undefined: it has no such tag. */
export function supportsPolicies(acls: string | undefined): boolean {
  return acls === tags.enabled || acls === tags.legacy
}

export function hasGoneOver(acls: string | undefined): boolean {
  return acls === tags.enabled
}

export function saysDisabled(acls: string | undefined): boolean {
  return acls === tags.disabled
}

/** What the tags of a member say about the server on it. */
export interface PoolServer {
  readonly id: string
  readonly name: string
  readonly datacenter: string
  /** Address of its RPC listener: `10.0.0.1:8300`. */
  readonly address: string
  readonly raftProtocol: number
  /** `1.4.0`; empty if the tags do not say. */
  readonly release: string
  readonly status: MemberStatus
  /** Whether its RPC listener accepts TLS. */
  readonly offersTls: boolean
  /** Its port in the pool of all datacenters; undefined if the tags do not say. */
  readonly wanPort?: number | undefined
  /** Its mode of access control; undefined if the tags do not say. */
  readonly acls?: string | undefined
}

/** The tag of a server with a certificate. */
export const takesTls = { use_tls: '1' } as const

/** The tags of an agent. Clients of the field read them. Reference: agent.md#member-tags. */
export function agentTags(config: AgentConfig, nodeId: string, release: Release): Readonly<Record<string, string>> {
  const { min, max, spoken } = spokenProtocols({ ...config, release })
  const shared = {
    build: `${releaseText(release)}:`,
    dc: config.datacenter,
    id: nodeId,
    segment: '',
    vsn: String(spoken),
    vsn_max: String(max),
    vsn_min: String(min),
  }
  if (!config.server) return { ...shared, ...clientNamingTags(config.naming), role: clientRole }
  return {
    ...shared,
    ...modeTags(firstMode(config), release),
    ...(config.bootstrap ? { bootstrap: '1' } : {}),
    ...(config.bootstrapExpect > 0 ? { expect: String(config.bootstrapExpect) } : {}),
    port: String(config.ports.server),
    raft_vsn: String(config.raft.protocol),
    role: serversService(config.naming),
    ...(config.tls.certificate === undefined ? {} : takesTls),
    ...(config.ports.serfWan > 0 ? { wan_join_port: String(config.ports.serfWan) } : {}),
  }
}

/**
 * Versions of the protocol between agents: those that the release understands, and the configured one that it speaks.
 */
export function spokenProtocols({ release, pool }: Pick<AgentConfig, 'release' | 'pool'>): ProtocolRange {
  return { ...internalProtocolsOf(release), spoken: pool.protocol }
}

/** The tags of a server in the pool of all datacenters, where no member needs the port of that pool. */
export function wanTags(config: AgentConfig, nodeId: string, release: Release): Readonly<Record<string, string>> {
  const { wan_join_port: _, ...tags } = agentTags(config, nodeId, release)
  return tags
}

/** Announces changed tags of this agent to the pools; does nothing if none changed. */
export function changeOwnTags(pools: readonly Pool[], changed: Readonly<Record<string, string>>): void {
  for (const pool of pools) {
    const { tags } = pool.self()
    if (Object.entries(changed).some(([name, value]) => tags[name] !== value)) pool.setTags({ ...tags, ...changed })
  }
}

/** The agent's name in the pool of all datacenters. */
export function wanNameOf({ nodeName, datacenter }: Pick<AgentConfig, 'nodeName' | 'datacenter'>): string {
  return `${nodeName}.${datacenter}`
}

/** The server on this member; undefined for a client, or if the tags are not those of a server of this product. */
export function serverOf(member: Member): PoolServer | undefined {
  const { role, id, dc, port, raft_vsn, build, wan_join_port, use_tls, acls } = member.tags
  if (!isServerRole(role) || id === undefined || dc === undefined || port === undefined) return undefined
  const rpcPort = portOf(port)
  if (rpcPort === undefined) return undefined
  const at: Endpoint = { host: member.endpoint.host, port: rpcPort }
  return {
    id,
    name: member.name,
    datacenter: dc,
    address: endpointText(at),
    raftProtocol: raft_vsn === undefined ? 1 : Number(raft_vsn),
    release: build?.split(':')[0] ?? '',
    status: member.status,
    wanPort: portOf(wan_join_port),
    offersTls: use_tls === '1',
    acls,
  }
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[1-9]\d{0,4}$/.test(text)) return undefined
  return Number(text) > 65_535 ? undefined : Number(text)
}

/**
 * The servers of one datacenter that the pool knows, whatever their status, in order of name. The pool keeps the former
 * name of a renamed server for days, as a failed or left member with the same node ID: the server is known by the name
 * that shows more life.
 */
export function knownServers(members: readonly Member[], datacenter: string): readonly PoolServer[] {
  const servers = members.flatMap((member) => {
    const server = serverOf(member)
    return server?.datacenter === datacenter ? [server] : []
  })
  const liveliest = new Map<string, PoolServer>()
  for (const server of servers) {
    const before = liveliest.get(server.id)
    if (before === undefined || life[server.status] > life[before.status]) liveliest.set(server.id, server)
  }
  return servers.filter((server) => server.id === '' || liveliest.get(server.id) === server)
}

/** Of several members that may be one agent, the one with the greatest number is the present one. */
export const life: Readonly<Record<MemberStatus, number>> = { left: 0, failed: 1, leaving: 2, alive: 3 }

/** Those that the pool considers alive. */
export function aliveServers(members: readonly Member[], datacenter: string): readonly PoolServer[] {
  return knownServers(
    members.filter(({ status }) => status === 'alive'),
    datacenter,
  )
}

/** Servers of the pools by address: a living server takes precedence over one that had the address earlier. */
export class ServersByAddress {
  readonly #pools: readonly Pool[]
  /** Undefined: the pools have changed since it was computed. */
  #known: ReadonlyMap<string, PoolServer> | undefined

  /** Valid as long as the pools are open. */
  constructor(pools: readonly Pool[]) {
    this.#pools = pools
    for (const pool of pools) {
      pool.onChange(() => {
        this.#known = undefined
      })
    }
  }

  get(address: string): PoolServer | undefined {
    this.#known ??= this.#gathered()
    return this.#known.get(address)
  }

  #gathered(): ReadonlyMap<string, PoolServer> {
    const known = new Map<string, PoolServer>()
    for (const member of this.#pools.flatMap((pool) => pool.members())) {
      const server = serverOf(member)
      if (server === undefined) continue
      const before = known.get(server.address)
      if (before === undefined || (before.status !== 'alive' && server.status === 'alive'))
        known.set(server.address, server)
    }
    return known
  }
}
