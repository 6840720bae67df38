import { escaped, rounded } from '../report/markup.ts'
import type { Distribution } from './distribution.ts'
import {
  type Axis,
  horizontalAxis,
  type PlotShapes,
  plotHeight,
  plotWidth,
  shareOf,
  strokeColour,
  titleText,
} from './drawing.ts'

/** One row: the distribution of measured values, or a single figure. */
export interface PlotRow {
  readonly name: string
  readonly is: Distribution | number
}

export interface RowPlot {
  readonly title: string
  readonly x: Axis
  readonly rows: readonly PlotRow[]
}

const left = 120
const right = 100
const top = 44
const bottom = 74

/**
 * Draws rows of a table as shapes. For values, the row has a line from the least to the greatest, a tall stroke at the
 * median, low strokes that 90 and 99 % do not exceed, a ring at the mean, and the median as text beside it. For a
 * figure, the row has a bar from the left edge.
 */
export function rowPlot({ title, x, rows }: RowPlot): PlotShapes {
  const [x1, y0] = [plotWidth - right, plotHeight - bottom]
  const svg = [titleText(left, title)]
  svg.push(...horizontalAxis(x, { left, right: x1, top, bottom: y0 }, (tick) => xOf(x, tick)))
  if (rows.some(({ is }) => typeof is !== 'number')) {
    svg.push(`<text x="${(left + x1) / 2}" y="${y0 + 58}" text-anchor="middle">${spreadLegend}</text>`)
  }
  const height = (y0 - top) / Math.max(1, rows.length)
  for (const [at, row] of rows.entries()) svg.push(...rowShapes(x, row, top + (at + 0.5) * height, at))
  return svg
}

const spreadLegend = 'line: least to worst; strokes: median (tall), 90 %, 99 %; ring: mean; figure: median'

function rowShapes(axis: Axis, { name, is }: PlotRow, y: number, index: number): PlotShapes {
  const middle = rounded(y)
  const stroke = strokeColour(index)
  const value = typeof is === 'number' ? is : is.median
  const texts = [
    `<text x="${left - 8}" y="${middle + 4}" text-anchor="end">${escaped(name)}</text>`,
    `<text x="${plotWidth - right + 8}" y="${middle + 4}">${figure(value)}</text>`,
  ]
  if (typeof is === 'number') {
    const width = xOf(axis, is)
    return [`<line x1="${left}" y1="${middle}" x2="${width}" y2="${middle}" stroke-width="9" ${stroke}/>`, ...texts]
  }
  const mark = (percent: number, half: number): string => {
    const x = xOf(axis, is.percentile(percent))
    return `<line x1="${x}" y1="${middle - half}" x2="${x}" y2="${middle + half}" stroke-width="2" ${stroke}/>`
  }
  return [
    `<line x1="${xOf(axis, is.min)}" y1="${middle}" x2="${xOf(axis, is.max)}" y2="${middle}" stroke-width="1.5" ${stroke}/>`,
    mark(50, 9),
    mark(90, 5),
    mark(99, 5),
    `<circle cx="${xOf(axis, is.mean)}" cy="${middle}" r="4" fill="#ffffff" stroke-width="1.8" ${stroke}/>`,
    ...texts,
  ]
}

function xOf(axis: Axis, value: number): number {
  return rounded(left + shareOf(axis, value) * (plotWidth - right - left))
}

/** The text of a number: three significant digits, or a whole number from 100 on. */
function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)))
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]

/**
 * An axis from 0 with room for the values. It has at most five ticks besides 0, at round numbers for values up to
 * 100,000.
 */
export function axisUpTo(name: string, values: readonly number[]): Axis {
  const most = Math.max(...values, 0) || 1
  const step = steps.find((each) => most <= each * 5) ?? most / 5
  const count = Math.max(1, Math.ceil(most / step))
  const ticks = Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(6)))
  return { name, scale: 'linear', from: 0, to: ticks.at(-1) ?? 1, ticks }
}
