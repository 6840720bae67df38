import type { Pick, Selector } from './selector.ts'

/** Numbers of one decision that give names an order. */
export interface NamesDrawn {
  inOrder<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[]
}

/** What selecting needs to know of the cluster at this moment. */
export interface Selectable {
  /** Every server, in order of name. */
  readonly servers: readonly string[]
  /** Every client agent, in order of name. */
  readonly clients: readonly string[]
  readonly datacenterOf: (server: string) => string
  readonly isRunning: (server: string) => boolean
  /** In the first datacenter if none is named. */
  readonly leader: (datacenter?: string) => string | undefined
  readonly saved: (name: string) => readonly string[] | undefined
  /** The server whose event triggered a fault. */
  readonly it: string | undefined
  /** Servers that `others` excludes, besides `it`. */
  readonly except: readonly string[]
  /** Gives each agent its place where some of several are chosen. */
  readonly draw: NamesDrawn
}

/** The selected agents, servers first, in order of name, each once. May be empty, for example without a leader. */
export function select(selector: Selector, among: Selectable): readonly string[] {
  const chosen = new Set(picked(selector.pick, among))
  return [...among.servers, ...among.clients].filter((node) => chosen.has(node))
}

function picked(pick: Pick, among: Selectable): readonly string[] {
  switch (pick.kind) {
    case 'node':
      return [pick.name]
    case 'saved':
      return among.saved(pick.name) ?? []
    case 'it':
      return among.it === undefined ? [] : [among.it]
    case 'union':
      return pick.parts.flatMap((part) => picked(part, among))
    case 'some': {
      const all = picked(pick.of, among)
      return drawn(all, pick.count === 'half' ? Math.ceil(all.length / 2) : pick.count, among)
    }
    case 'rest': {
      const within = pick.datacenter === undefined ? among : inDatacenter(among, pick.datacenter)
      const without = picked(pick.of, within)
      const all = groupOf(pick.group === 'others' ? 'servers' : 'nodes', within)
      return all.filter((node) => !without.includes(node))
    }
    default: {
      const { datacenter } = pick
      const within = datacenter === undefined ? among : inDatacenter(among, datacenter)
      return groupOf(pick.group, within)
    }
  }
}

function inDatacenter(among: Selectable, datacenter: string): Selectable {
  const isHere = (node: string): boolean => among.datacenterOf(node) === datacenter
  return {
    ...among,
    servers: among.servers.filter(isHere),
    clients: among.clients.filter(isHere),
    leader: () => among.leader(datacenter),
  }
}

function groupOf(group: Extract<Pick, { kind: 'group' }>['group'], among: Selectable): readonly string[] {
  const { servers, isRunning } = among
  const leader = among.leader()
  const leaders = leader !== undefined && servers.includes(leader) ? [leader] : []
  const majority = Math.floor(servers.length / 2) + 1
  const minority = servers.length - majority
  switch (group) {
    case 'leader':
      return leaders
    case 'followers':
      return servers.filter((server) => server !== leader && isRunning(server))
    case 'servers':
      return servers
    case 'running':
      return servers.filter(isRunning)
    case 'crashed':
      return servers.filter((server) => !isRunning(server))
    case 'minority':
      return drawn(servers, minority, among)
    case 'majority':
      return drawn(servers, majority, among)
    case 'minority with the leader':
      return withLeader(leaders, minority, among)
    case 'majority with the leader':
      return withLeader(leaders, majority, among)
    case 'clients':
      return among.clients
    case 'nodes':
      return [...servers, ...among.clients]
    case 'others':
      return servers.filter((server) => server !== among.it && !among.except.includes(server))
    case 'other nodes':
      return [...servers, ...among.clients].filter((node) => node !== among.it && !among.except.includes(node))
  }
}

function withLeader(leaders: readonly string[], count: number, among: Selectable): readonly string[] {
  if (leaders.length === 0) return []
  const rest = among.servers.filter((server) => !leaders.includes(server))
  return [...leaders, ...drawn(rest, count - leaders.length, among)]
}

function drawn(from: readonly string[], count: number, among: Selectable): readonly string[] {
  return among.draw.inOrder(from, (name) => name).slice(0, Math.max(0, count))
}
