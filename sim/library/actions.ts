import { nameGiven } from './given.ts'

/** Translates the arguments of a cluster's calls into actions of the scenario language. */

type Action = Readonly<Record<string, unknown>>

/** How the clocks of an agent change: by a jump of its wall clock, or by their rate. */
type ClockFault = { readonly step: string } | { readonly rate: string }

type DiskFault = 'full' | 'stalled' | 'failing sync' | { readonly latency?: string; readonly fsync?: string }

/** `verb`: crash, kill, restart, pause, resume. */
export function process(verb: string, node: string | undefined): Action {
  return { [verb]: nameGiven(`c.${verb}`, node) }
}

export function partition(groups: readonly (readonly (string | undefined)[])[]): Action {
  if (groups.length < 2 || !groups.every((group) => Array.isArray(group)))
    throw new Error("c.partition: give two groups or more, each a list of agents: c.partition(['s1'], ['s2', 's3'])")
  return { partition: { groups: groups.map((group) => group.map((node) => nameGiven('c.partition', node))) } }
}

export function heal(): Action {
  return { heal: 'everything' }
}

export function clock(node: string | undefined, fault: ClockFault): Action {
  const nodes = nameGiven('c.clock', node)
  const { step, rate }: { readonly step?: string; readonly rate?: string } = fault ?? {}
  if (step !== undefined) return { 'step clock': { nodes, by: step } }
  if (rate !== undefined) return { 'clock rate': { nodes, rate } }
  throw new Error("c.clock: this is no fault of a clock: write { step: '5m' } or { rate: '0.5%' }")
}

export function disk(node: string | undefined, fault: DiskFault): Action {
  const nodes = nameGiven('c.disk', node)
  if (fault === 'full') return { 'fill disk': nodes }
  if (fault === 'stalled') return { 'stall disk': nodes }
  if (fault === 'failing sync') return { 'fail fsync': nodes }
  if (typeof fault === 'object') return { 'slow disk': { nodes, ...fault } }
  throw new Error(`c.disk: '${String(fault)}' is no fault: write full, stalled, failing sync or { latency, fsync }`)
}
