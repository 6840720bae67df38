import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { FaultSpan, FilmOverview } from '../film-format.ts'
import { nameWidth } from './geometry.ts'
import { type Palette, paletteOf } from './palette.ts'
import type { View } from './view.ts'

/** Parts of the time in sight that operations are counted in. */
const parts = 150
const plotHeight = 120

export interface PlotsProps {
  readonly overview: FilmOverview
  readonly view: View
  readonly theme: string
}

/** What clients saw: how many requests were answered and how many failed, and how long answers took. */
export function Plots({ overview, view, theme }: PlotsProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null || overview.operations.atUs.length === 0) return
    const colours = paletteOf(document.documentElement)
    const counted = countedIn(overview, view)
    const width = element.clientWidth
    const plots = [
      answersPlot(width, counted, overview, colours, element),
      timesPlot(width, counted, overview, colours, element),
    ]
    return () => {
      for (const plot of plots) plot.destroy()
    }
  }, [overview, view.fromUs, view.toUs, theme])
  return overview.operations.atUs.length === 0 ? null : <div ref={place} id="plots" />
}

interface Counted {
  readonly seconds: readonly number[]
  readonly answered: readonly number[]
  readonly failed: readonly number[]
  /** Milliseconds; null where nothing was answered. */
  readonly median: readonly (number | null)[]
  readonly slow: readonly (number | null)[]
}

/** By the time at which they were asked. */
export function countedIn({ operations }: FilmOverview, { fromUs, toUs }: Pick<View, 'fromUs' | 'toUs'>): Counted {
  const each = (toUs - fromUs) / parts
  const answered = new Array<number>(parts).fill(0)
  const failed = new Array<number>(parts).fill(0)
  const times: number[][] = Array.from({ length: parts }, () => [])
  for (const [at, atUs] of operations.atUs.entries()) {
    const part = Math.floor((atUs - fromUs) / each)
    if (part < 0 || part >= parts) continue
    const status = operations.status[at] ?? 0
    const counts = status === 0 || status >= 500 ? failed : answered
    counts[part] = (counts[part] ?? 0) + 1
    if (counts === answered) times[part]?.push((operations.tookUs[at] ?? 0) / 1000)
  }
  const share = (of: number) =>
    times.map((list) => list.sort((a, b) => a - b)[Math.floor((list.length - 1) * of)] ?? null)
  return {
    seconds: answered.map((_, part) => (fromUs + (part + 0.5) * each) / 1_000_000),
    answered,
    failed,
    median: share(0.5),
    slow: share(0.99),
  }
}

function answersPlot(
  width: number,
  counted: Counted,
  overview: FilmOverview,
  colours: Palette,
  into: HTMLElement,
): uPlot {
  const series = [
    { label: 'answered', stroke: colours.progress, fill: `${colours.progress}44` },
    { label: 'failed', stroke: colours.violation, fill: `${colours.violation}66` },
  ]
  const columns: uPlot.AlignedData = [[...counted.seconds], [...counted.answered], [...counted.failed]]
  return new uPlot(optionsOf('requests by clients', width, series, overview, colours), columns, into)
}

function timesPlot(
  width: number,
  counted: Counted,
  overview: FilmOverview,
  colours: Palette,
  into: HTMLElement,
): uPlot {
  const series = [
    { label: 'median, ms', stroke: colours.progress },
    { label: 'slowest of 100, ms', stroke: colours.fault },
  ]
  const columns: uPlot.AlignedData = [[...counted.seconds], [...counted.median], [...counted.slow]]
  return new uPlot(optionsOf('time until their answers', width, series, overview, colours), columns, into)
}

function optionsOf(
  title: string,
  width: number,
  series: readonly uPlot.Series[],
  overview: FilmOverview,
  colours: Palette,
): uPlot.Options {
  const axis = { stroke: colours.faint, grid: { stroke: colours.line, width: 1 } }
  return {
    title,
    width,
    height: plotHeight,
    legend: { live: false },
    scales: { x: { time: false } },
    axes: [
      { ...axis, values: (_, marks) => marks.map((mark) => `${mark} s`) },
      { ...axis, size: nameWidth },
    ],
    series: [{}, ...series],
    hooks: { drawClear: [(plot) => drawFaultBands(plot, overview, colours)] },
  }
}

function drawFaultBands(plot: uPlot, { faults }: FilmOverview, { fault }: Palette): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.fillStyle = fault
  ctx.globalAlpha = 0.15
  for (const [fromUs, toUs] of joined(faults)) {
    const from = plot.valToPos(fromUs / 1_000_000, 'x', true)
    ctx.fillRect(from, bbox.top, Math.max(1, plot.valToPos(toUs / 1_000_000, 'x', true) - from), bbox.height)
  }
  ctx.restore()
}

/** Times in which anything was at fault, each once. They are given in the order of their beginnings. */
export function joined(faults: readonly Pick<FaultSpan, 'fromUs' | 'toUs'>[]): readonly (readonly [number, number])[] {
  const spans: [number, number][] = []
  for (const { fromUs, toUs } of faults) {
    const last = spans.at(-1)
    if (last !== undefined && fromUs <= last[1]) last[1] = Math.max(last[1], toUs)
    else spans.push([fromUs, toUs])
  }
  return spans
}
