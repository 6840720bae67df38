import { timeText } from '../report/run-report.ts'
import type { Moment } from './moments.ts'
import type { NodeState } from './node-state.ts'
import type { ReplicatedState } from './replicated.ts'
import { differencesOf } from './state-difference.ts'

/** Maximum number of file paths that are listed; the others are counted. */
const namesMax = 6

/** Every node of a moment, with a line for each existing part of its state. */
export function momentLines({ atUs, failed, nodes }: Moment, wanted: ReadonlySet<string> | undefined): string[] {
  const shown = nodes.filter(({ node }) => wanted?.has(node) ?? true)
  const failures = failed.map((failure) => `  ${failure}`)
  return [`at ${timeText(atUs).trim()}`, ...failures, ...shown.flatMap(nodeLines)]
}

/** The changes of each node from one moment to the other. */
export function changeLines(before: Moment, after: Moment, wanted: ReadonlySet<string> | undefined): string[] {
  const lines = after.nodes.flatMap((state, at) => {
    const was = before.nodes[at]
    if (was === undefined || !(wanted?.has(state.node) ?? true)) return []
    const changes = differencesOf(was, state).map(({ path, before: from, after: to }) => {
      if (from === undefined) return `  + ${path}${to === 'there' ? '' : ` = ${to}`}`
      if (to === undefined) return `  - ${path}${from === 'there' ? '' : ` = ${from}`}`
      return `    ${path}: ${from} -> ${to}`
    })
    return changes.length === 0 ? [`${state.node}  is as it was`] : [state.node, ...changes]
  })
  return [`from ${timeText(before.atUs).trim()} to ${timeText(after.atUs).trim()}`, ...lines]
}

function nodeLines(state: NodeState): readonly string[] {
  const parts: readonly (readonly [string, string])[] = [
    ...consensusParts(state),
    ...Object.entries(state.pools).map(([pool, seen]) => [`${pool} pool`, poolText(seen)] as const),
    ...(state.replicated === undefined ? [] : replicatedParts(state.replicated)),
    ...registeredParts(state),
    ...Object.entries(state.leaves).map(([serial, of]) => ['leaf', `${serial} ${of}`] as const),
    ...state.waits.reads.map((read) => ['waits', read] as const),
    ...counted(state.waits.requests).map((request) => ['serves', request] as const),
    ['disk', diskText(state)],
  ]
  return [headLine(state), ...parts.map(([name, text]) => `  ${name.padEnd(10)} ${text}`)]
}

/** Equal texts once, with their number. */
function counted(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} of these)`))
}

function headLine({ node, kind, datacenter, process }: NodeState): string {
  const { is, why, boot, release, clock } = process
  const lives = is === 'running' ? 'runs' : `is ${is}`
  const off =
    clock.aheadMs === 0 ? '' : `, wall clock ${Math.abs(clock.aheadMs)} ms ${clock.aheadMs > 0 ? 'ahead' : 'behind'}`
  const rate = clock.rate === 1 ? '' : `, clock rate ${clock.rate.toFixed(4)}`
  return `${node}  ${kind} of ${datacenter}, release ${release}, ${lives} (process ${boot})${why === undefined ? '' : `: ${why}`}${off}${rate}`
}

function consensusParts({ consensus }: NodeState): readonly (readonly [string, string])[] {
  if (consensus === undefined) return []
  const { role, term, votedFor, leader, log, configuration, lastContactMs } = consensus
  const heard = role === 'leader' || lastContactMs === undefined ? '' : `, heard from it ${lastContactMs} ms ago`
  const follows = role === 'leader' ? '' : leader === undefined ? ', knows no leader' : `, leader ${leader}${heard}`
  const full = consensus.diskIsFull ? ', no disk space for its log' : ''
  const waiting = consensus.proposalsWaiting === 0 ? '' : `, ${consensus.proposalsWaiting} proposals wait`
  const from = log.snapshot === 0 ? '' : `snapshot ${log.snapshot}, `
  return [
    ['consensus', `${role} in term ${term}, vote for ${votedFor ?? 'nobody'}${follows}${waiting}${full}`],
    ['log', `${from}ends at ${log.last} of term ${log.lastTerm}, committed ${log.committed}, applied ${log.applied}`],
    [
      'servers',
      Object.entries(configuration)
        .map(([id, what]) => `${id} ${what}`)
        .join(', '),
    ],
  ]
}

function poolText({ incarnation, health, members }: NodeState['pools'][string]): string {
  const unwell = health === 0 ? '' : `, own health ${health}`
  const each = Object.entries(members).map(([name, { status, incarnation: at, suspicion }]) => {
    if (suspicion === undefined) return `${name} ${status} (${at})`
    const by = suspicion.from.length === 0 ? '' : ` by ${suspicion.from.join(' ')}`
    return `${name} ${status} (${at})${by} for ${suspicion.sinceMs} ms, ${suspicion.endsInMs} ms left`
  })
  return `incarnation ${incarnation}${unwell}: ${each.join(', ')}`
}

function replicatedParts(state: ReplicatedState): readonly (readonly [string, string])[] {
  const { index, digest, nodes, services, checks, keys, access, mesh } = state
  const states = Object.entries(checks).map(([status, count]) => `${count} ${status}`)
  const checked = states.length === 0 ? 'no checks' : `checks ${states.join(' ')}`
  const parts: (readonly [string, string])[] = [
    [
      'state',
      `index ${index}, digest ${digest?.slice(0, 12) ?? 'none'}: ${nodes} nodes, ${services} services, ${checked}, ${keys} keys, ${state.queries} queries, ${state.intentions} intentions`,
    ],
    ['access', `${access.mode} mode, ${access.tokens} tokens, ${access.policies} policies`],
  ]
  for (const [name, about] of Object.entries(access.named)) parts.push(['token', `${name} ${about}`.trimEnd()])
  for (const session of state.sessions) parts.push(['session', session])
  for (const lock of state.locks) parts.push(['lock', lock])
  if (mesh.roots.length > 0) {
    const rotation = mesh.rotation === undefined ? '' : `, rotation: ${mesh.rotation}`
    parts.push(['mesh', `roots ${mesh.roots.join(' ')}, ${mesh.crossings} crossings${rotation}`])
  }
  return parts
}

function registeredParts({ registered: { services, checks } }: NodeState): readonly (readonly [string, string])[] {
  const checked = Object.entries(checks).map(([id, status]) => `${id} ${status}`)
  if (services.length === 0 && checked.length === 0) return []
  return [['registered', `services ${services.join(' ') || 'none'}; checks ${checked.join(', ') || 'none'}`]]
}

function diskText({ disk: { files, bytes, unsynced, isStalled } }: NodeState): string {
  const names = Object.entries(unsynced).map(([path, writes]) => `${path} (${writes})`)
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : ''
  const pending =
    names.length === 0 ? '' : `, writes that are not synced: ${names.slice(0, namesMax).join(', ')}${more}`
  return `${files} files, ${bytes} bytes${pending}${isStalled ? ', stands still' : ''}`
}
