import { formatDuration } from '../../src/base/duration.ts'
import type { CountBound } from '../notation/quantities.ts'
import type { Selector } from '../notation/selector.ts'
import type { askedKeys, Condition } from './language/condition-schema.ts'

/** The present state that conditions are judged by. */
export interface Observed {
  readonly servers: readonly string[]
  /** Servers and clients. */
  readonly nodes: readonly string[]
  /** How this agent sees that member; undefined if it does not know the member, or does not run. */
  readonly memberStatus: (observer: string, member: string) => string | undefined
  readonly isRunning: (server: string) => boolean
  /** Servers that believe they lead. */
  readonly leaders: () => readonly string[]
  readonly appliedIndex: (server: string) => number
  readonly elections: number
  readonly writesAcknowledged: number
  /** For one datacenter, the first if none is named; undefined: it has no mesh to observe. */
  readonly mesh: (datacenter: string | undefined) => ObservedMesh | undefined
  readonly tunnels: ObservedTunnels
  /** How the present state of a running server differs from the one remembered under that name, in words. */
  readonly heldOtherwise: (name: string) => string | undefined
  readonly select: (selector: Selector) => readonly string[]
}

export interface ObservedTunnels {
  readonly made: number
  readonly failed: number
  readonly broken: number
  /** The longest time in which some failed. */
  readonly longestMs: number
  readonly lastWhy: string
}

export interface ObservedMesh {
  readonly roots: number
  readonly rotation: string
  readonly rotations: number
  readonly connections: number
  readonly leaves: number
  /** The proxies whose configuration is behind the cluster's, and why. */
  readonly behind: () => readonly string[]
}

/**
 * Judges all stated conditions: undefined if they hold, otherwise what is true instead, as one clause. Conditions that
 * need requests are judged elsewhere.
 */
export function judge(condition: Omit<Condition, (typeof askedKeys)[number]>, now: Observed): string | undefined {
  const among = condition.among === undefined ? now.servers : now.select(condition.among)
  return (
    judgeLeader(condition.leader, among, now) ??
    judgeApplied(condition['raft.applied'], among, now) ??
    judgeRunning(condition.running, true, now) ??
    judgeRunning(condition.stopped, false, now) ??
    judgeMembers(condition.members, condition.among === undefined ? now.nodes : among, now) ??
    judgeMesh(condition.mesh, now) ??
    judgeTunnels(condition.tunnels, now) ??
    (condition.holds === undefined ? undefined : now.heldOtherwise(condition.holds)) ??
    judgeCount(condition.elections, now.elections, 'elections') ??
    judgeCount(condition['writes acknowledged'], now.writesAcknowledged, 'writes acknowledged')
  )
}

function judgeLeader(bound: Condition['leader'], among: readonly string[], now: Observed): string | undefined {
  if (bound === undefined) return undefined
  const leaders = now.leaders().filter((server) => among.includes(server))
  const found =
    leaders.length === 0 ? 'nobody leads' : `${leaders.join(' and ')} ${leaders.length > 1 ? 'lead' : 'leads'}`
  if (bound.kind === 'none') return leaders.length === 0 ? undefined : found
  if (leaders.length !== 1) return found
  if (bound.kind === 'one') return undefined
  const named = now.select(bound.nodes).includes(leaders[0] as string)
  return named === (bound.kind === 'among') ? undefined : found
}

function judgeApplied(bound: Condition['raft.applied'], among: readonly string[], now: Observed): string | undefined {
  if (bound === undefined) return undefined
  const running = among.filter(now.isRunning)
  const indexes = running.map((server) => now.appliedIndex(server))
  if (new Set(indexes).size <= 1) return undefined
  return `applied: ${running.map((server, at) => `${server} ${indexes[at]}`).join(', ')}`
}

function judgeRunning(selector: Selector | undefined, expected: boolean, now: Observed): string | undefined {
  if (selector === undefined) return undefined
  const wrong = now.select(selector).filter((server) => now.isRunning(server) !== expected)
  if (wrong.length === 0) return undefined
  return `${wrong.join(' and ')} ${expected ? 'down' : 'running'}`
}

function judgeMembers(bound: Condition['members'], observers: readonly string[], now: Observed): string | undefined {
  for (const [member, status] of Object.entries(bound ?? {})) {
    for (const observer of observers.filter(now.isRunning)) {
      const seen = now.memberStatus(observer, member) ?? 'unknown'
      if (seen !== status) return `${observer} sees ${member} as ${seen}`
    }
  }
  return undefined
}

function judgeMesh(bound: Condition['mesh'], now: Observed): string | undefined {
  if (bound === undefined) return undefined
  const mesh = now.mesh(bound.datacenter)
  if (mesh === undefined) return 'nobody looks at the mesh'
  if (bound.rotation !== undefined && bound.rotation !== mesh.rotation) return `rotation: ${mesh.rotation}`
  return (
    judgeCount(bound.roots, mesh.roots, 'roots') ??
    judgeCount(bound.rotations, mesh.rotations, 'rotations') ??
    judgeCount(bound.connections, mesh.connections, 'connections') ??
    judgeCount(bound.leaves, mesh.leaves, 'leaves') ??
    (bound.proxies === undefined ? undefined : mesh.behind()[0])
  )
}

function judgeTunnels(bound: Condition['tunnels'], { tunnels }: Observed): string | undefined {
  if (bound === undefined) return undefined
  const { made, failed, broken, longestMs, lastWhy } = tunnels
  const mostMs = bound['failing for at most'] ?? Number.POSITIVE_INFINITY
  const why = lastWhy === '' ? '' : ` (${lastWhy})`
  if (longestMs > mostMs) return `new connections failed for ${formatDuration(longestMs)}${why}`
  return (
    judgeCount(bound.made, made, 'connections made') ??
    judgeCount(bound.failed, failed, `connections failed${why}`) ??
    judgeCount(bound.broken, broken, `connections broken${why}`)
  )
}

function judgeCount(bound: CountBound | undefined, count: number, what: string): string | undefined {
  if (bound === undefined || (count >= bound.min && count <= bound.max)) return undefined
  return `${count} ${what}`
}

/** A condition as it is written, for a report: `leader: exactly one, running: s1`. */
export function conditionText(condition: object): string {
  const parts = Object.entries(condition).filter(([key]) => key !== 'within' && key !== 'for')
  return parts.map(([key, value]) => `${key}: ${valueText(value)}`).join(', ')
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if ('text' in value) return String(value.text)
  if ('kind' in value) {
    if (value.kind === 'one') return 'exactly one'
    if (value.kind === 'none') return 'none'
    const nodes = 'nodes' in value ? valueText(value.nodes) : ''
    return value.kind === 'not' ? `not ${nodes}` : nodes
  }
  return `{ ${conditionText(value)} }`
}
