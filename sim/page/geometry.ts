import type { Bar, FilmOverview, MachineLane } from '../picture/film-format.ts'
import type { View } from './view.ts'

export const nameWidth = 120
export const rulerHeight = 40
const laneHeights = { server: 50, client: 34, other: 24 } as const
/** From this many agents on, lanes are lower, so that thirty of them fit on a screen. */
const manyAgents = 14
export const barHeight = 15

export interface LaneBox {
  readonly lane: MachineLane
  /** Its position in the film's list of machines. */
  readonly place: number
  readonly top: number
  readonly height: number
}

export interface BarBox {
  readonly bar: Bar
  readonly top: number
  readonly height: number
}

/** A heading and the bars below it. */
export interface BarRow {
  readonly name: string
  readonly top: number
  readonly boxes: readonly BarBox[]
  /** Bars for which there is no line: as many others hold at their time. */
  readonly unseen: number
}

/** The positions of everything, from top to bottom, in CSS pixels. */
export interface Geometry {
  readonly lanes: readonly LaneBox[]
  readonly rows: readonly BarRow[]
  readonly height: number
}

/** Maximum number of lines of one row; with more bars at the same time, the later ones are counted. */
const stackMax = 8

export function geometryOf({ machines, bars }: FilmOverview): Geometry {
  const shown = machines.flatMap((lane, place) => (isEmpty(lane) ? [] : [{ lane, place }]))
  const isMany = shown.filter(({ lane }) => lane.kind !== 'other').length >= manyAgents
  let top = rulerHeight
  const lanes = shown.map(({ lane, place }) => {
    const height = Math.round(laneHeights[lane.kind] * (isMany ? 0.6 : 1))
    const box = { lane, place, top, height }
    top += height + 3
    return box
  })
  top += 8
  const rows = [...new Set(bars.map(({ row }) => row))].map((name) => {
    const ofRow = bars.filter(({ row }) => row === name)
    const boxes = stacked(ofRow, top)
    const row = { name, top, boxes, unseen: ofRow.length - boxes.length }
    top = Math.max(top, ...boxes.map((box) => box.top)) + barHeight + 4
    return row
  })
  return { lanes, rows, height: top + 6 }
}

/** A machine without events has no lane; the story shows the world of a run. */
export function isEmpty({ name, density }: MachineLane): boolean {
  return name === 'world' || density.every((count) => count === 0)
}

/** Bars that overlap in time are placed below one another. */
function stacked(bars: readonly Bar[], top: number): readonly BarBox[] {
  const ends: number[] = []
  return bars.flatMap((bar) => {
    const free = ends.findIndex((endUs) => endUs <= bar.fromUs)
    const at = free < 0 ? ends.length : free
    if (at >= stackMax) return []
    ends[at] = bar.toUs
    return [{ bar, top: top + at * (barHeight + 1), height: barHeight }]
  })
}

/** Maps times to positions on the screen, and back. */
export class TimeScale {
  readonly fromUs: number
  readonly usPerPixel: number
  readonly width: number

  constructor({ fromUs, toUs }: View, width: number) {
    this.fromUs = fromUs
    this.width = width
    this.usPerPixel = (toUs - fromUs) / Math.max(1, width - nameWidth)
  }

  x(us: number): number {
    return nameWidth + (us - this.fromUs) / this.usPerPixel
  }

  us(x: number): number {
    return this.fromUs + (x - nameWidth) * this.usPerPixel
  }

  /** The visible beginning and width of a span. Undefined: it is not on the screen. */
  span(fromUs: number, toUs: number): { readonly x: number; readonly width: number } | undefined {
    const x = Math.max(nameWidth, this.x(fromUs))
    const end = Math.min(this.width, this.x(toUs))
    return end < nameWidth || x > this.width ? undefined : { x, width: Math.max(1, end - x) }
  }

  /** A round span of time that takes at least so many pixels. */
  step(pixels: number): number {
    const least = this.usPerPixel * pixels
    const power = 10 ** Math.floor(Math.log10(least))
    return [1, 2, 5, 10].map((times) => times * power).find((each) => each >= least) ?? power * 10
  }

  /** Times for the marks of a ruler, at round intervals. */
  marks(): readonly number[] {
    const step = this.step(90)
    const first = Math.ceil(this.fromUs / step) * step
    const count = Math.max(0, Math.floor((this.us(this.width) - first) / step) + 1)
    return Array.from({ length: count }, (_, at) => first + at * step)
  }
}
