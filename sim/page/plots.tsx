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
    const plots = [answers(counted, colours), times(counted, colours)].map(([title, series, columns]) => {
      const data = columns.map((column) => [...column]) as uPlot.AlignedData
      return new uPlot(optionsOf(title, width, series, overview, colours), data, element)
    })
    return () => {
      for (const plot of plots) plot.destroy()
    }
  }, [overview, view.fromUs, view.toUs, theme])
  return overview.operations.atUs.length === 0 ? null : <div ref={place} id="plots" />
}

/** One plot: a column for the seconds, and one for each series. */
type Plot = readonly [title: string, series: readonly uPlot.Series[], columns: readonly Counted['median'][]]

function answers({ seconds, answered, failed }: Counted, { progress, violation }: Palette): Plot {
  const series = [
    { label: 'answered', stroke: progress, fill: `${progress}44` },
    { label: 'failed', stroke: violation, fill: `${violation}66` },
  ]
  return ['requests by clients', series, [seconds, answered, failed]]
}

function times({ seconds, median, slow }: Counted, { progress, fault }: Palette): Plot {
  const series = [
    { label: 'median, ms', stroke: progress },
    { label: 'slowest of 100, ms', stroke: fault },
  ]
  return ['time until their answers', series, [seconds, median, slow]]
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
