import { escaped } from '../report/markup.ts'
import { seconds } from './fork-text.ts'
import type { ForkPoint } from './tally.ts'

const width = 720
const height = 340
const left = 64
const right = 24
const top = 44
const bottom = 56

/** The colours of the reader's system, light or dark. */
const style = `
text { font: 12px system-ui, sans-serif; fill: #1b1f24; } .title { font-size: 15px; font-weight: 600; }
.ground { fill: #ffffff; } .grid { stroke: #d5d9de; } .band { fill: #4a7fb8; fill-opacity: 0.2; }
.curve { fill: none; stroke: #1b6ca8; stroke-width: 2; } .point { fill: #ffffff; stroke: #1b6ca8; stroke-width: 1.5; }
.failure { stroke: #b3261e; stroke-dasharray: 5 3; } .failure-text { fill: #b3261e; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e9ed; } .ground { fill: #15181c; } .grid { stroke: #3a4048; } .band { fill: #7fb2e5; }
  .curve { stroke: #7fb2e5; } .point { fill: #15181c; stroke: #7fb2e5; }
  .failure { stroke: #ff8a80; } .failure-text { fill: #ff8a80; }
}`

/** The content of a picture of a curve. */
export interface Curve {
  readonly title: string
  readonly points: readonly ForkPoint[]
  /** When the unforked run fails, in milliseconds; undefined: it does not. */
  readonly failsMs: number | undefined
}

/**
 * The share of failing forks over the time of the fork, with the 95 % interval as a band, as one self-contained SVG
 * document: it fetches nothing and runs nothing. Equal curves give equal bytes.
 */
export function curvePicture({ title, points, failsMs }: Curve): string {
  const times = points.map(({ atMs }) => atMs)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  const xOf = (ms: number): number =>
    rounded(left + (to === from ? 0.5 : (ms - from) / (to - from)) * (width - left - right))
  const upper = points.map(({ atMs, same }) => `${xOf(atMs)},${yOf(same.high)}`)
  const lower = points.map(({ atMs, same }) => `${xOf(atMs)},${yOf(same.low)}`).reverse()
  const line = points.map(({ atMs, same }) => `${xOf(atMs)},${yOf(shareOf(same))}`)
  const isSeen = failsMs !== undefined && failsMs >= from && failsMs <= to + 1
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="curve-title curve-text">`,
    `<title id="curve-title">${escaped(title)}</title>`,
    `<desc id="curve-text">${escaped(description(points))}</desc>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    `<text class="title" x="${left}" y="24">${escaped(title)}</text>`,
    ...axes(from, to, xOf),
    `<polygon class="band" points="${[...upper, ...lower].join(' ')}"/>`,
    `<polyline class="curve" points="${line.join(' ')}"/>`,
    ...points.map(pointShape(xOf)),
    ...(isSeen ? failureShapes(xOf(Math.min(failsMs, to)), failsMs) : []),
    '</svg>',
    '',
  ].join('\n')
}

/** For readers that see no picture. */
function description(points: readonly ForkPoint[]): string {
  const said = points.map(({ atMs, same }) => `${seconds(atMs)}: ${same.fails} of ${same.tries}`)
  return `Runs that fail, by the time from which on chance is another: ${said.join('; ')}.`
}

const xParts = 5

function axes(from: number, to: number, xOf: (ms: number) => number): readonly string[] {
  const shapes: string[] = []
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const y = yOf(share)
    shapes.push(`<line class="grid" x1="${left}" y1="${y}" x2="${width - right}" y2="${y}"/>`)
    shapes.push(`<text x="${left - 8}" y="${y + 4}" text-anchor="end">${100 * share} %</text>`)
  }
  for (let part = 0; part <= xParts; part++) {
    const ms = from + ((to - from) * part) / xParts
    shapes.push(`<text x="${xOf(ms)}" y="${height - bottom + 20}" text-anchor="middle">${seconds(ms)}</text>`)
  }
  const middle = (left + width - right) / 2
  shapes.push(
    `<text x="${middle}" y="${height - 14}" text-anchor="middle">virtual time from which on chance is another</text>`,
  )
  return shapes
}

/** A tooltip shows the numbers of each point. */
function pointShape(xOf: (ms: number) => number): (point: ForkPoint) => string {
  return ({ atMs, same }) => {
    const words = `${seconds(atMs)}: ${same.fails} of ${same.tries} fail`
    return `<circle class="point" cx="${xOf(atMs)}" cy="${yOf(shareOf(same))}" r="3.5"><title>${words}</title></circle>`
  }
}

function failureShapes(x: number, failsMs: number): readonly string[] {
  return [
    `<line class="failure" x1="${x}" y1="${top - 8}" x2="${x}" y2="${height - bottom}"/>`,
    `<text class="failure-text" x="${x - 6}" y="${top - 2}" text-anchor="end">the run fails at ${seconds(failsMs)}</text>`,
  ]
}

function shareOf({ fails, tries }: ForkPoint['same']): number {
  return tries === 0 ? 0 : fails / tries
}

function yOf(share: number): number {
  return rounded(height - bottom - share * (height - bottom - top))
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
