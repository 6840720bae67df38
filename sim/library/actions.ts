/** Translates the arguments of a cluster's calls into actions of the scenario language. */

type Action = Readonly<Record<string, unknown>>

/** How the clocks of an agent change: by a jump of its wall clock, or by their rate. */
type ClockFault = { readonly step: string } | { readonly rate: string }

type DiskFault = 'full' | 'stalled' | 'failing sync' | { readonly latency?: string; readonly fsync?: string }

export function partition(groups: readonly (readonly string[])[]): Action {
  return { partition: { groups } }
}

export function heal(): Action {
  return { heal: 'everything' }
}

export function clock(nodes: string, fault: ClockFault): Action {
  return 'step' in fault ? { 'step clock': { nodes, by: fault.step } } : { 'clock rate': { nodes, rate: fault.rate } }
}

export function disk(nodes: string, fault: DiskFault): Action {
  if (fault === 'full') return { 'fill disk': nodes }
  if (fault === 'stalled') return { 'stall disk': nodes }
  return fault === 'failing sync' ? { 'fail fsync': nodes } : { 'slow disk': { nodes, ...fault } }
}
