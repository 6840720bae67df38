import { useEffect, useMemo, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { FilmOverview } from '../picture/film-format.ts'
import { type Counted, countedIn, parts } from './counts.ts'
import { joined } from './fault-times.ts'
import { nameWidth } from './geometry.ts'
import { type Palette, paletteOf } from './palette.ts'
import { useRedrawForPrint } from './printing.ts'
import { spanWords, type View } from './view.ts'
import { useWidth } from './width.ts'

const plotHeight = 90
const timesHeight = 22
/** Pixels from one mark of time to the next, so that marks of six digits do not touch. */
const markRoom = 85

export interface PlotsProps {
  readonly overview: FilmOverview
  readonly view: View
  readonly theme: string
}

/** What clients saw: how many requests were answered and how many failed, and how long answers took. */
export function Plots({ overview, view, theme }: PlotsProps) {
  const places = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)] as const
  const all = useRef<HTMLDivElement>(null)
  const width = useWidth(all)
  const { fromUs, toUs } = view
  const counted = useMemo(() => countedIn(overview, { fromUs, toUs }), [overview, fromUs, toUs])
  const drawn = useRef<readonly uPlot[]>([])
  const draw = (): void => {
    for (const plot of drawn.current) plot.destroy()
    const colours = paletteOf(document.documentElement)
    drawn.current = [answers(counted, colours), times(counted, colours)].flatMap((plot, at) => {
      const element = places[at]?.current
      if (element === null || element === undefined || width === 0) return []
      return [plotIn(element, plot, { overview, view, colours, width })]
    })
  }
  useEffect(draw, [counted, theme, width])
  useRedrawForPrint(draw)
  const isEmpty = overview.operations.atUs.length === 0
  const share = (view.cursorUs - fromUs) / (toUs - fromUs)
  const isSeen = share >= 0 && share <= 1
  return (
    <div id="plots" ref={all} hidden={isEmpty}>
      <p class="plot-title">
        Requests by clients in each {spanWords((toUs - fromUs) / parts)}: <span class="answered">answered</span>
        <span class="failed">failed</span>
      </p>
      <div ref={places[0]} />
      <p class="plot-title">
        Time until their answers, in ms: <span class="answered">median</span>
        <span class="slow">slowest of 100</span>
      </p>
      <div ref={places[1]} />
      {isSeen ? (
        <div class="plot-cursor" style={{ left: `calc(${nameWidth}px + (100% - ${nameWidth}px) * ${share})` }} />
      ) : null}
    </div>
  )
}

interface Plot {
  readonly series: readonly uPlot.Series[]
  /** One for the seconds, and one for each series. */
  readonly columns: readonly Counted['median'][]
  /** Each mark is ten times the one before. */
  readonly isLogarithmic: boolean
}

function answers({ seconds, answered, failed }: Counted, { progress, violation }: Palette): Plot {
  const series = [
    { stroke: progress, fill: `${progress}44` },
    { stroke: violation, fill: `${violation}66` },
  ]
  return { series, columns: [seconds, answered, failed], isLogarithmic: false }
}

function times({ seconds, median, slow }: Counted, { progress, fault }: Palette): Plot {
  const points = { show: true, size: 3 }
  const series = [
    { stroke: progress, points },
    { stroke: fault, points },
  ]
  return { series, columns: [seconds, median, slow], isLogarithmic: true }
}

interface Shown {
  readonly overview: FilmOverview
  readonly view: View
  readonly colours: Palette
  readonly width: number
}

function plotIn(
  element: HTMLElement,
  { series, columns, isLogarithmic }: Plot,
  { overview, view, colours, width }: Shown,
): uPlot {
  const data = columns.map((column) => [...column]) as uPlot.AlignedData
  const isPower = (mark: number): boolean => Number.isInteger(Math.log10(mark))
  const powers = (_: uPlot, marks: readonly number[]): (number | null)[] =>
    marks.map((mark) => (isLogarithmic && !isPower(mark) ? null : mark))
  const axis = { stroke: colours.faint, grid: { stroke: colours.line, width: 1 }, ticks: { show: false } }
  const options: uPlot.Options = {
    width,
    height: plotHeight,
    padding: [6, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [view.fromUs / 1_000_000, view.toUs / 1_000_000] },
      y: isLogarithmic ? { distr: 3, range: powersAround } : { range: (_, __, most) => [0, Math.max(1, most)] },
    },
    axes: [
      { ...axis, size: timesHeight, space: markRoom, values: (_, marks) => marks.map((mark) => `${mark} s`) },
      { ...axis, size: nameWidth, space: 25, filter: powers, grid: { ...axis.grid, filter: powers } },
    ],
    series: [{}, ...series],
    hooks: { drawClear: [(plot) => drawFaultBands(plot, overview, colours)] },
  }
  return new uPlot(options, data, element)
}

/** From a power of ten to another one; without a value from 1 to 10, so that the axes are there all the same. */
function powersAround(_: uPlot, least: number | null, most: number | null): uPlot.Range.MinMax {
  return least === null || most === null ? [1, 10] : uPlot.rangeLog(least, most, 10, true)
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
