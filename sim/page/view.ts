import type { FilmOverview } from '../picture/film-format.ts'

/** Layers of messages, in the order of the filter. */
export const layers = ['votes', 'raft', 'gossip', 'rpc', 'http', 'dns'] as const
export type Layer = (typeof layers)[number]

/** Panels beside the picture. */
export const tabs = ['story', 'event', 'state', 'members', 'search', 'help'] as const
export type Tab = (typeof tabs)[number]

/** What the page shows now. */
export interface View {
  readonly fromUs: number
  readonly toUs: number
  /** The moment whose states are shown. */
  readonly cursorUs: number
  /** Name of the machine whose state is shown. */
  readonly machine: string | undefined
  /** Number of the shown event. */
  readonly selected: number | undefined
  /** Position of the violation whose chain is numbered in the picture. */
  readonly violation: number
  readonly hidden: ReadonlySet<Layer>
}

/** At the highest magnification, one millisecond fills the screen. */
const spanMinUs = 1000

export function wholeView({ endUs }: FilmOverview): View {
  return {
    fromUs: 0,
    toUs: endUs,
    cursorUs: 0,
    machine: undefined,
    selected: undefined,
    violation: 0,
    hidden: new Set(),
  }
}

/** Keeps the moment under the mouse, and shows `factor` times as much time around it. */
export function zoomed(view: View, aroundUs: number, factor: number, { endUs }: FilmOverview): View {
  const span = Math.min(Math.max((view.toUs - view.fromUs) * factor, spanMinUs), Math.max(endUs, spanMinUs))
  const share = (aroundUs - view.fromUs) / (view.toUs - view.fromUs)
  return within(view, aroundUs - share * span, span, endUs)
}

export function panned(view: View, byUs: number, { endUs }: FilmOverview): View {
  return within(view, view.fromUs + byUs, view.toUs - view.fromUs, endUs)
}

/** Makes this moment visible; unchanged if it is. */
export function showing(view: View, atUs: number, { endUs }: FilmOverview): View {
  if (atUs >= view.fromUs && atUs <= view.toUs) return { ...view, cursorUs: atUs }
  const span = view.toUs - view.fromUs
  return { ...within(view, atUs - span / 2, span, endUs), cursorUs: atUs }
}

/** Shows the violation at this position and all events that explain it; the view is unchanged if there is no such violation. */
export function showingChain(view: View, place: number, { violations, endUs }: FilmOverview): View {
  const violation = violations[place]
  if (violation === undefined) return view
  const { n, atUs, chain } = violation
  const firstUs = Math.min(atUs, ...chain.map((link) => link.atUs))
  const span = Math.max(spanMinUs, (atUs - firstUs) * 1.1)
  return {
    ...within(view, firstUs - span * 0.05, Math.min(span, Math.max(endUs, spanMinUs)), endUs),
    cursorUs: atUs,
    selected: n,
    violation: place,
  }
}

/** The chain of the chosen violation; if that is in sight already, of the next one. */
export function showingNextChain(view: View, overview: FilmOverview): View {
  const isShown = view.selected !== undefined && view.selected === overview.violations[view.violation]?.n
  return showingChain(view, isShown ? (view.violation + 1) % overview.violations.length : view.violation, overview)
}

/** Numbers of the events that explain the chosen violation. */
export function explainingEvents({ violations }: FilmOverview, { violation }: View): ReadonlySet<number> {
  return new Set(violations[violation]?.chain.map(({ n }) => n))
}

/** Close enough that single events are drawn. */
export function nearEvents(view: View, overview: FilmOverview): View {
  const span = view.toUs - view.fromUs
  return span > 500_000 ? zoomed(view, view.cursorUs, 200_000 / span, overview) : view
}

function within(view: View, fromUs: number, span: number, endUs: number): View {
  const from = Math.max(0, Math.min(fromUs, endUs - span))
  return { ...view, fromUs: from, toUs: from + span }
}

/** A link to the present view: `#t=9.362&n=s3&e=1234&w=2.5`, in seconds; `v=2` is the second violation. */
export function hashOf({ fromUs, toUs, cursorUs, machine, selected, violation }: View): string {
  const parts = [`t=${seconds(cursorUs)}`]
  if (machine !== undefined) parts.push(`n=${encodeURIComponent(machine)}`)
  if (selected !== undefined) parts.push(`e=${selected}`)
  if (violation > 0) parts.push(`v=${violation + 1}`)
  return `#${[...parts, `w=${seconds(toUs - fromUs)}`].join('&')}`
}

/** The view of a link; parts that are absent or invalid stay as they are. */
export function viewOfHash(hash: string, view: View, overview: FilmOverview): View {
  const asked = new URLSearchParams(hash.replace(/^#/, ''))
  const micros = (name: string): number | undefined => {
    const text = asked.get(name)
    const value = Number(text)
    return text === null || text === '' || !(value >= 0)
      ? undefined
      : Math.min(Math.round(value * 1_000_000), overview.endUs)
  }
  const [atUs, widthUs] = [micros('t'), micros('w')]
  const selected = Number(asked.get('e') ?? '')
  const machine = asked.get('n') ?? undefined
  const violation = Number(asked.get('v') ?? '') - 1
  const isKnown = overview.machines.some(({ name }) => name === machine)
  const named = {
    ...view,
    machine: isKnown ? machine : view.machine,
    selected: Number.isSafeInteger(selected) && selected > 0 ? selected : view.selected,
    violation: overview.violations[violation] === undefined ? view.violation : violation,
  }
  if (atUs === undefined) return named
  const span = Math.max(spanMinUs, widthUs ?? view.toUs - view.fromUs)
  return { ...within(named, atUs - span / 2, span, overview.endUs), cursorUs: atUs }
}

/** To the millisecond, which is near enough for people. */
export function shortSeconds(us: number): string {
  return (us / 1_000_000).toFixed(3)
}

export function seconds(us: number): string {
  return (us / 1_000_000).toFixed(6).replace(/\.?0+$/, '')
}

/** `1.2 s`, `31 ms`, `42 us`: how long something lasts, in two digits or more. */
export function spanWords(us: number): string {
  if (us >= 1_000_000) return `${(us / 1_000_000).toFixed(1)} s`
  return us >= 1000 ? `${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms` : `${us.toFixed(0)} us`
}
