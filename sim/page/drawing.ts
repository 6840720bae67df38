import type { FilmOverview } from '../picture/film-format.ts'
import type { OpenPiece } from './film-source.ts'
import type { Geometry, TimeScale } from './geometry.ts'
import type { Arrow } from './messages.ts'
import type { Palette } from './palette.ts'
import type { View } from './view.ts'

/** The input of one drawing. */
export interface Drawing {
  readonly context: CanvasRenderingContext2D
  readonly overview: FilmOverview
  readonly geometry: Geometry
  readonly scale: TimeScale
  readonly palette: Palette
  readonly view: View
  /** The visible events; empty: there are too many, and their number is drawn. */
  readonly pieces: readonly OpenPiece[]
  readonly arrows: readonly Arrow[]
  /** Highlighted events: the chain of a violation, or those about the selected one. */
  readonly lit: ReadonlySet<number>
}

export const usualFont = '11px ui-monospace, monospace'
export const smallFont = '10px ui-monospace, monospace'
