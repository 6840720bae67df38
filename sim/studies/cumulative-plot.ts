import { escaped, rounded } from '../report/markup.ts'
import type { Distribution } from './distribution.ts'
import {
  gridLine,
  horizontalAxis,
  type PlotShapes,
  plotHeight,
  shareOf,
  strokeColour,
  strokeStyle,
  textStyle,
  titleText,
  plotWidth as width,
} from './drawing.ts'

export interface PlotLine {
  readonly name: string
  readonly values: Distribution
}

/** A point of another publication for comparison, at `percent` of all trials, or a mean without one. */
export interface PlotMark {
  readonly name: string
  readonly value: number
  readonly percent: number | undefined
  /** Name of its line. */
  readonly line: string
}

export interface Plot {
  readonly title: string
  readonly axis: string
  readonly scale: 'linear' | 'logarithmic'
  readonly from: number
  readonly to: number
  readonly ticks: readonly number[]
  readonly lines: readonly PlotLine[]
  readonly marks: readonly PlotMark[]
}

const left = 64
const right = 190
const top = 44
const bottom = 56

/** Cumulative shares of measured values. */
export function cumulativePlot(plot: Plot): PlotShapes {
  const x0 = left
  const x1 = width - right
  const y0 = plotHeight - bottom
  const svg = [titleText(x0, plot.title)]
  for (const percent of [0, 20, 40, 60, 80, 100]) {
    const y = yOf(percent)
    svg.push(gridLine(x0, y, x1, y))
    svg.push(`<text x="${x0 - 8}" y="${y + 4}" text-anchor="end">${percent} %</text>`)
  }
  const area = { left: x0, right: x1, top, bottom: y0 }
  svg.push(...horizontalAxis({ name: plot.axis, ticks: plot.ticks }, area, (tick) => xOf(plot, tick)))
  for (const [index, line] of plot.lines.entries()) svg.push(...curve(plot, line, index))
  for (const mark of plot.marks) svg.push(...markShapes(plot, mark))
  return svg
}

function curve(plot: Plot, { name, values }: PlotLine, index: number): readonly string[] {
  const points = [`${xOf(plot, values.min)},${yOf(0)}`]
  for (let half = 1; half <= 200; half++) {
    points.push(`${xOf(plot, values.percentile(half / 2))},${yOf(half / 2)}`)
  }
  const style = strokeStyle(index)
  const y = top + 10 + 20 * index
  const x = width - right + 14
  return [
    `<polyline points="${points.join(' ')}" fill="none" stroke-width="1.8" ${style}/>`,
    `<line x1="${x}" y1="${y}" x2="${x + 30}" y2="${y}" stroke-width="1.8" ${style}/>`,
    `<text x="${x + 38}" y="${y + 4}">${escaped(name)}</text>`,
  ]
}

function markShapes(plot: Plot, { name, value, percent, line }: PlotMark): readonly string[] {
  const index = plot.lines.findIndex((one) => one.name === line)
  const x = xOf(plot, value)
  if (percent === undefined) {
    const y = yOf(0)
    return [
      `<line x1="${x}" y1="${top}" x2="${x}" y2="${y}" ${strokeColour(index)} stroke-dasharray="1 4"/>`,
      `<text x="${x + 4}" y="${y - 6}" ${textStyle(index)}>${escaped(name)}</text>`,
    ]
  }
  const y = yOf(percent)
  // The labels of the ticks are below the axis.
  const textY = percent === 0 ? y - 10 : y + 16
  return [
    `<circle cx="${x}" cy="${y}" r="5" fill="none" stroke-width="1.8" ${strokeColour(index)}/>`,
    `<text x="${x + 8}" y="${textY}" ${textStyle(index)}>${escaped(name)}</text>`,
  ]
}

function xOf(plot: Plot, value: number): number {
  return rounded(left + shareOf(plot, value) * (width - right - left))
}

function yOf(percent: number): number {
  return rounded(plotHeight - bottom - ((plotHeight - bottom - top) * percent) / 100)
}
