import { escaped } from '../report/markup.ts'
import type { StillPage } from '../report/still-page.ts'

/** Lines that differ in colour and in dashes, so that they can be printed in grey. */
const strokes = [
  { colour: '#1b6ca8', dash: '' },
  { colour: '#c0392b', dash: '7 3' },
  { colour: '#2e8b57', dash: '2 3' },
  { colour: '#8e44ad', dash: '9 3 2 3' },
  { colour: '#b9770e', dash: '5 2 1 2 1 2' },
  { colour: '#34495e', dash: '12 4' },
  { colour: '#7f8c8d', dash: '1 3' },
] as const

function strokeAt(index: number): number {
  return Math.max(0, index) % strokes.length
}

/** The style of a line as attributes. The class lets a page with a dark scheme choose colours of its own. */
export function strokeStyle(index: number): string {
  const { dash } = strokes[strokeAt(index)] as (typeof strokes)[number]
  return `${strokeColour(index)}${dash === '' ? '' : ` stroke-dasharray="${dash}"`}`
}

/** The colour of a line, without its dashes. */
export function strokeColour(index: number): string {
  return `class="s${strokeAt(index)}" stroke="${strokes[strokeAt(index)]?.colour}"`
}

/** The style of a text in the colour of a line. */
export function textStyle(index: number): string {
  const { colour } = strokes[strokeAt(index)] as (typeof strokes)[number]
  return `class="s${strokeAt(index)}" fill="${colour}"`
}

export interface Axis {
  readonly name: string
  readonly scale: 'linear' | 'logarithmic'
  readonly from: number
  readonly to: number
  readonly ticks: readonly number[]
}

/** The position of a value on an axis, from 0 to 1. Values beyond the axis are drawn at its end. */
export function shareOf({ scale, from, to }: Omit<Axis, 'name' | 'ticks'>, value: number): number {
  const inside = Math.min(to, Math.max(from, value))
  return scale === 'linear' ? (inside - from) / (to - from) : Math.log10(inside / from) / Math.log10(to / from)
}

/** Shapes and texts of one plot. */
export type PlotShapes = readonly string[]

/** The plots of a study, and a sentence that describes them. */
export interface Drawing {
  readonly description: string
  readonly plots: readonly PlotShapes[]
}

export const plotWidth = 800
export const plotHeight = 380

export function titleText(x: number, title: string): string {
  return `<text class="title" x="${x}" y="24" font-size="15">${escaped(title)}</text>`
}

export function gridLine(x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="grid" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#dddddd"/>`
}

/** The edges of a plot's area, in pixels. */
export interface PlotArea {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/**
 * Draws a vertical line at each tick, the label below the area, and the name of the axis; `at` returns the pixel of a
 * value.
 */
export function horizontalAxis(
  { name, ticks }: Pick<Axis, 'name' | 'ticks'>,
  { left, right, top, bottom }: PlotArea,
  at: (value: number) => number,
): PlotShapes {
  const lines = ticks.flatMap((tick) => [
    gridLine(at(tick), top, at(tick), bottom),
    `<text x="${at(tick)}" y="${bottom + 18}" text-anchor="middle">${tick}</text>`,
  ])
  return [...lines, `<text x="${(left + right) / 2}" y="${bottom + 38}" text-anchor="middle">${escaped(name)}</text>`]
}

/** One self-contained document: plots, one below the other. */
export function svgDocument({ description, plots }: Drawing): string {
  const height = plots.length * plotHeight
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="plots" viewBox="0 0 ${plotWidth} ${height}" width="${plotWidth}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(description)}</title>`,
    `<rect class="ground" width="${plotWidth}" height="${height}" fill="#ffffff"/>`,
    ...plots.flatMap((shapes, index) => [`<g transform="translate(0 ${index * plotHeight})">`, ...shapes, '</g>']),
    '</svg>',
    '',
  ].join('\n')
}

/** The page of a study: its plots, followed by the lines that it printed. */
export function studyPage(drawing: Drawing, lines: readonly string[]): StillPage {
  const body = [
    `<h1>${escaped(drawing.description)}</h1>`,
    `<div class="picture plots" tabindex="0">${svgDocument(drawing)}</div>`,
    '<h2>The table</h2>',
    `<pre tabindex="0">${escaped(lines.join('\n'))}</pre>`,
  ]
  return { title: drawing.description, body: body.join('\n') }
}
