import type { Account, Firing } from '../scenario/account.ts'
import type { Failing } from './oracle.ts'
import { isKeyed, type Keyed, rulesOf, timeText, type Value, withKey, without } from './page.ts'

/** Faults as a person writes them for one run, the most explicit form first. */
export function explicitPages({ page, account }: Failing): readonly Keyed[] {
  const rules = rulesOf(page)
  const all = (each: (rule: Keyed, place: number) => readonly Keyed[]): Keyed => {
    return withKey(
      page,
      'faults',
      rules.flatMap((rule, place) => (isExplicit(rule) ? [rule] : each(rule, place))),
    )
  }
  const timed = (rule: Keyed, place: number): readonly Keyed[] => firingsAt(account, place).map(atItsTime(rule))
  const counted = (rule: Keyed, place: number): readonly Keyed[] => firingsAt(account, place).map(whenItWas(rule))
  const pages = [all(timed), all(counted)]
  // If not all of them can be written so, some can.
  const open = rules.flatMap((rule, place) => (isExplicit(rule) ? [] : [place]))
  const some = open.flatMap((chosen) =>
    [timed, counted].map((form) => all((rule, place) => (place === chosen ? form(rule, place) : [rule]))),
  )
  return open.length === 0 ? [] : open.length === 1 ? pages : [...pages, ...some]
}

/** Whether nothing about its firing is left to chance. */
function isExplicit(rule: Keyed): boolean {
  if (rule['chance'] !== undefined || rule['one of'] !== undefined || rule['swarm'] !== undefined) return false
  const isFixed = (key: string): boolean => !String(rule[key] ?? '').includes('..')
  if (rule['at'] !== undefined) return isFixed('at')
  return rule['when'] !== undefined && typeof rule['nth'] === 'number' && isFixed('after')
}

function firingsAt({ firings }: Account, place: number): readonly Firing[] {
  return firings.filter(({ rule, did }) => rule === place && did.length > 0)
}

/** `at: 3.2s, do: [{ crash: s2, for: 12ms }]`. */
function atItsTime(_: Keyed): (firing: Firing) => Keyed {
  return ({ atUs, did }) => ({ at: timeText(atUs / 1000), do: did as readonly Value[] })
}

/**
 * `when: vote given, nth: 7, after: 2ms, do: [{ crash: it, for: 12ms }]`: named by the event that it follows, if that
 * is known.
 */
function whenItWas(rule: Keyed): (firing: Firing) => Keyed {
  const event = rule['when']
  if (event === undefined) return atItsTime(rule)
  return ({ nth, afterMs, it, did }) => ({
    when: event,
    nth,
    ...(afterMs === 0 ? {} : { after: timeText(afterMs) }),
    do: (did as readonly Value[]).map((action) => asOfIt(action, it)),
  })
}

/** Replaces the node of the event by `it`, because with other draws it may be another one. */
function asOfIt(value: Value, it: string | undefined): Value {
  if (Array.isArray(value)) return value.map((item) => asOfIt(item, it))
  if (isKeyed(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asOfIt(item, it)]))
  return value === it && it !== undefined ? 'it' : value
}

/** Leaves out limits that the end of the run makes superfluous. */
export function withoutLimits(page: Keyed): Keyed {
  return withKey(
    page,
    'faults',
    rulesOf(page).map((rule) => without(rule, 'times')),
  )
}

/** Precisions to which times of faults are rounded, in milliseconds, the roundest first. */
const rounds = [100, 10, 1] as const

/** The same page with rounder times, and with all faults earlier by as much as possible. */
export function rounderPages(page: Keyed): readonly Keyed[] {
  const round = (value: Value, key: string | undefined, toMs: number): Value => {
    if (Array.isArray(value)) return value.map((item) => round(item, key, toMs))
    if (isKeyed(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, round(item, name, toMs)]))
    }
    const ms = key !== undefined && ['at', 'after', 'for'].includes(key) ? exactMs(value) : undefined
    return ms === undefined || ms < toMs ? value : timeText(Math.round(ms / toMs) * toMs)
  }
  const pages = rounds.map((toMs) => {
    return withKey(
      page,
      'faults',
      rulesOf(page).map((rule) => round(rule, undefined, toMs)),
    )
  })
  const texts = new Set([JSON.stringify(page)])
  return pages.filter((each) => !texts.has(JSON.stringify(each)) && texts.add(JSON.stringify(each)))
}

/** The value of a single time; undefined: it is a range, or not a time. */
function exactMs(value: Value): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(String(value))
  return match === null ? undefined : Number(match[1]) * (match[2] === 's' ? 1000 : 1)
}

/** Faults at fixed times come earlier by these shares of the time before the first of them. */
const earlier = [0.75, 0.5, 0.25] as const

export function earlierPages(page: Keyed): readonly Keyed[] {
  const rules = rulesOf(page)
  const times = rules.map((rule) => exactMs(rule['at'] ?? ''))
  const first = Math.min(...times.filter((ms) => ms !== undefined))
  // A cluster needs a second or two to start.
  if (!Number.isFinite(first) || first < 3_000) return []
  return earlier.map((share) => {
    const byMs = Math.floor(((first - 1_500) * share) / 100) * 100
    const moved = rules.map((rule, place) => {
      const ms = times[place]
      return ms === undefined ? rule : { ...rule, at: timeText(ms - byMs) }
    })
    return withKey(page, 'faults', moved)
  })
}
