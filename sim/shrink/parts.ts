import type { Account } from '../scenario/account.ts'
import { workloadKinds } from '../workload/kinds.ts'
import type { Failing } from './oracle.ts'
import { isKeyed, type Keyed, keyedAt, listAt, rulesOf, stepsOf, timeText, withKey, without } from './page.ts'

/** The smallest part that can be dropped: a firing of a rule with all its effects and their ends, or a step. */
export type Unit =
  | { readonly kind: 'firing'; readonly rule: number; readonly nth: number }
  | { readonly kind: 'step'; readonly step: number }

/** The units of a run: its firings, and the steps that had begun. */
export function unitsOf({ account, page }: Pick<Failing, 'account' | 'page'>): readonly Unit[] {
  const begun = stepsOf(page).slice(0, account.stepsUs.length)
  return [
    ...account.firings.map(({ rule, nth }) => ({ kind: 'firing', rule, nth }) as const),
    ...begun.map((_, step) => ({ kind: 'step', step }) as const),
  ]
}

/** The page with only these units. Rules keep their probability, and so do the remaining firings. */
export function pageWith(page: Keyed, units: readonly Unit[]): Keyed {
  const rules = rulesOf(page).flatMap((rule, place) => {
    const nth = units.flatMap((unit) => (unit.kind === 'firing' && unit.rule === place ? [unit.nth] : []))
    if (nth.length === 0) return []
    return rule['at'] === undefined && typeof rule['nth'] !== 'number' ? [{ ...rule, nth: unique(nth) }] : [rule]
  })
  const steps = stepsOf(page).filter((_, place) => units.some((unit) => unit.kind === 'step' && unit.step === place))
  const less = withKey(withKey(page, 'faults', rules), 'steps', steps)
  return less['steps'] === undefined && less['lasts'] === undefined ? { ...less, lasts: '1s' } : less
}

/** Keys that do not affect a failure, or that are about many seeds. */
const beside = ['about', 'tags', 'demands', 'invariants']

/** The page without everything that came after the failure, and without rules that never fired. */
export function untilFailure({ page, account, wrong }: Failing): Keyed {
  const { stepsUs, restUs, firings } = account
  const fired = new Set(firings.map(({ rule }) => rule))
  const bare = without(page, ...beside)
  const less = withKey(
    bare,
    'faults',
    rulesOf(page).filter((_, place) => fired.has(place)),
  )
  if (restUs !== undefined) return less
  const steps = stepsOf(page).slice(0, stepsUs.length)
  const last = steps.at(-1)
  const lastUs = stepsUs.at(-1) ?? 0
  const shorter = last?.['wait'] === undefined ? steps : steps.slice(0, -1)
  const kept = shorter.length === steps.length ? steps : [...shorter, { ...last, wait: timeOf(wrong.atUs - lastUs) }]
  return { ...withKey(without(less, 'quiet'), 'steps', kept), lasts: timeOf(wrong.atUs) }
}

/** A span from the start until just after this time. */
function timeOf(us: number): string {
  return timeText(Math.max(1, Math.ceil(us / 1000)))
}

/** The same page with a limit on each rule: it fires no more often than it did. */
export function bounded({ page, account }: Failing): Keyed {
  const rules = rulesOf(page).map((rule, place) => {
    const times = firingsOf(account, place)
    return rule['at'] !== undefined || times === 0 ? rule : { ...rule, times }
  })
  return withKey(page, 'faults', rules)
}

/** For other seeds: a rule may fire at any time, as often as it could. A list of times belongs to one seed. */
export function loosened(page: Keyed): Keyed {
  const rules = rulesOf(page).map((rule) => {
    const { nth } = rule
    return Array.isArray(nth) ? { ...without(rule, 'nth'), times: rule['times'] ?? nth.length } : rule
  })
  return withKey(page, 'faults', rules)
}

/** The page in which this rule fires at most this often; 0: it is removed. */
export function capped(page: Keyed, place: number, times: number): Keyed {
  const rules = rulesOf(page).flatMap((rule, at) => {
    if (at !== place) return [rule]
    return times === 0 ? [] : rule['at'] === undefined ? [{ ...rule, times }] : [rule]
  })
  return withKey(page, 'faults', rules)
}

export function firingsOf({ firings }: Account, place: number): number {
  return firings.filter(({ rule }) => rule === place).length
}

/** The size of a page for a reader. */
export interface Size {
  readonly servers: number
  readonly clients: number
  readonly groups: number
  /** Number of effects of faults, each together with its end: a crash and its restart are one. */
  readonly faults: number
  readonly steps: number
  readonly virtualMs: number
}

/** Keys of a page with workloads. */
export const workloads = Object.keys(workloadKinds)

export function sizeOf({ page, account, wrong }: Failing): Size {
  const agents = (kind: string): number =>
    Object.values(keyedAt(page, 'cluster')).reduce((sum: number, datacenter) => {
      const count = isKeyed(datacenter) ? keyedAt(datacenter, kind)['count'] : 0
      return sum + Math.max(0, ...[count ?? 0].flat().map(Number))
    }, 0)
  return {
    servers: agents('servers'),
    clients: agents('clients'),
    groups: workloads.reduce((sum, kind) => sum + Object.keys(keyedAt(page, kind)).length, 0),
    faults: account.firings.reduce((sum, { did }) => sum + did.length, 0),
    steps: Math.min(listAt(page, 'steps').length, account.stepsUs.length),
    virtualMs: wrong.atUs / 1000,
  }
}

/** `3 servers, 1 group of clients, 4 faults, 2 steps, 3.2 virtual s`. */
export function sizeText({ servers, clients, groups, faults, steps, virtualMs }: Size): string {
  const counted = (count: number, one: string, many = `${one}s`): readonly string[] =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  return [
    ...counted(servers, 'server'),
    ...counted(clients, 'client agent'),
    ...counted(groups, 'workload group'),
    `${faults} ${faults === 1 ? 'fault' : 'faults'}`,
    ...counted(steps, 'step'),
    `${(virtualMs / 1000).toFixed(1)} virtual s`,
  ].join(', ')
}

function unique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((one, other) => one - other)
}
