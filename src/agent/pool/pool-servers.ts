import type { Endpoint } from '../../env/net.ts'
import { endpointText } from '../../env/net.ts'
import type { Member, MemberStatus, Pool } from '../../gossip/pool.ts'
import { productName } from '../../model/names.ts'
import { internalProtocolsOf, type ProtocolRange, type Release, releaseText } from '../../model/release.ts'
import { firstMode, modeTags } from '../access/mode-tags.ts'
import type { AgentConfig } from '../settings/agent-config.ts'

/** What the tags of a member of the pool say of the server on it. */
export interface PoolServer {
  readonly id: string
  readonly name: string
  readonly datacenter: string
  /** Where its RPC listener is reached: `10.0.0.1:8300`. */
  readonly address: string
  readonly raftProtocol: number
  /** `1.4.0`; empty where it does not say. */
  readonly release: string
  readonly status: MemberStatus
  /** It takes TLS on its RPC listener. */
  readonly offersTls: boolean
  /** Where it gossips with other datacenters; undefined where it does not say. */
  readonly wanPort?: number | undefined
  /** Its mode of access control (`access/mode-tags.ts`); undefined: it does not say. */
  readonly acls?: string | undefined
}

/** Of a server with a certificate. */
export const takesTls = { use_tls: '1' } as const

/** Role of a client agent among the tags. */
const clientRole = 'node'

/** The clients of the field read these tags. Reference: agent.md#member-tags. */
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
  if (!config.server) return { ...shared, role: clientRole }
  return {
    ...shared,
    ...modeTags(firstMode(config), release),
    ...(config.bootstrap ? { bootstrap: '1' } : {}),
    ...(config.bootstrapExpect > 0 ? { expect: String(config.bootstrapExpect) } : {}),
    port: String(config.ports.server),
    raft_vsn: String(config.raft.protocol),
    role: productName,
    ...(config.tls.certificate === undefined ? {} : takesTls),
    ...(config.ports.serfWan > 0 ? { wan_join_port: String(config.ports.serfWan) } : {}),
  }
}

/** Versions of the protocol between agents: understood by the release, spoken as configured. */
export function spokenProtocols({ release, pool }: Pick<AgentConfig, 'release' | 'pool'>): ProtocolRange {
  return { ...internalProtocolsOf(release), spoken: pool.protocol }
}

/** What a server says of itself in the pool of all datacenters: there nobody asks for the port of that pool. */
export function wanTags(config: AgentConfig, nodeId: string, release: Release): Readonly<Record<string, string>> {
  const { wan_join_port: _, ...tags } = agentTags(config, nodeId, release)
  return tags
}

/** Tells the pools what has changed of this agent; they are told nothing where nothing has. */
export function changeOwnTags(pools: readonly Pool[], changed: Readonly<Record<string, string>>): void {
  for (const pool of pools) {
    const { tags } = pool.self()
    if (Object.entries(changed).some(([name, value]) => tags[name] !== value)) pool.setTags({ ...tags, ...changed })
  }
}

/** Its name there. */
export function wanNameOf({ nodeName, datacenter }: Pick<AgentConfig, 'nodeName' | 'datacenter'>): string {
  return `${nodeName}.${datacenter}`
}

/** The server on this member; undefined for a client, or for tags that no server of ours sends. */
export function serverOf(member: Member): PoolServer | undefined {
  const { role, id, dc, port, raft_vsn, build, wan_join_port, use_tls, acls } = member.tags
  if (role !== productName || id === undefined || dc === undefined || port === undefined) return undefined
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

/** The servers of one datacenter that the pool holds alive, in order of name. */
export function aliveServers(members: readonly Member[], datacenter: string): readonly PoolServer[] {
  return members.flatMap((member) => {
    const server = member.status === 'alive' ? serverOf(member) : undefined
    return server?.datacenter === datacenter ? [server] : []
  })
}

/** Facts of servers from the pools, by address: a living server before one that had the address earlier. */
export class ServersByAddress {
  readonly #pools: readonly Pool[]
  /** Undefined: something has changed since. */
  #known: ReadonlyMap<string, PoolServer> | undefined

  /** For as long as the pools are open. */
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
