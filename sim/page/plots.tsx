import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { FilmOverview } from '../picture/film-format.ts'
import { type Counted, countedIn } from './counts.ts'
import { joined } from './fault-times.ts'
import { nameWidth } from './geometry.ts'
import { type Palette, paletteOf } from './palette.ts'
import type { View } from './view.ts'

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
