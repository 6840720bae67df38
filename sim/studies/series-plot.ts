import { escaped, rounded } from '../report/markup.ts'
import {
  type Axis,
  gridLine,
  horizontalAxis,
  type PlotShapes,
  plotHeight,
  shareOf,
  strokeStyle,
  titleText,
  plotWidth as width,
} from './drawing.ts'

export interface SeriesLine {
  readonly name: string
  /** In order of `x`. A value of 0 or less has no place on a logarithmic axis, and is left out. */
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

export interface SeriesPlot {
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  readonly lines: readonly SeriesLine[]
}

const left = 76
const right = 200
const top = 44
const bottom = 56

/** Measured points joined by lines. */
export function seriesPlot(plot: SeriesPlot): PlotShapes {
  const { x, y, title, lines } = plot
  const [x0, x1, y0] = [left, width - right, plotHeight - bottom]
  const svg = [titleText(x0, title)]
  for (const tick of y.ticks) {
    const at = yOf(y, tick)
    svg.push(gridLine(x0, at, x1, at))
    svg.push(`<text x="${x0 - 8}" y="${at + 4}" text-anchor="end">${tick}</text>`)
  }
  svg.push(...horizontalAxis(x, { left: x0, right: x1, top, bottom: y0 }, (tick) => xOf(x, tick)))
  svg.push(
    `<text transform="translate(18 ${(top + y0) / 2}) rotate(-90)" text-anchor="middle">${escaped(y.name)}</text>`,
  )
  for (const [index, line] of lines.entries()) svg.push(...lineShapes(plot, line, index))
  return svg
}

function lineShapes({ x, y }: SeriesPlot, { name, points }: SeriesLine, index: number): readonly string[] {
  const style = strokeStyle(index)
  const shown = points.filter((point) => y.scale === 'linear' || point.y > 0)
  const places = shown.map((point) => `${xOf(x, point.x)},${yOf(y, point.y)}`)
  const legendY = top + 10 + 20 * index
  const legendX = width - right + 14
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke-width="1.8" ${style}/>`,
    ...shown.map((point) => `<circle cx="${xOf(x, point.x)}" cy="${yOf(y, point.y)}" r="3" fill="#ffffff" ${style}/>`),
    `<line x1="${legendX}" y1="${legendY}" x2="${legendX + 30}" y2="${legendY}" stroke-width="1.8" ${style}/>`,
    `<text x="${legendX + 38}" y="${legendY + 4}">${escaped(shown.length === 0 ? `${name}: none` : name)}</text>`,
  ]
}

function xOf(axis: Axis, value: number): number {
  return rounded(left + shareOf(axis, value) * (width - right - left))
}

function yOf(axis: Axis, value: number): number {
  return rounded(plotHeight - bottom - shareOf(axis, value) * (plotHeight - bottom - top))
}
