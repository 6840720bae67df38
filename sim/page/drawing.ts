import type { FilmOverview } from '../picture/film-format.ts'
import type { OpenPiece } from './film-source.ts'
import type { Geometry, TimeScale } from './geometry.ts'
import type { Arrow } from './messages.ts'
import type { OperationsByMachine } from './operations.ts'
import type { Palette } from './palette.ts'
import type { View } from './view.ts'
import type { Words } from './words.ts'

/** The input of one drawing. */
export interface Drawing {
  readonly context: CanvasRenderingContext2D
  readonly overview: FilmOverview
  readonly geometry: Geometry
  readonly scale: TimeScale
  readonly palette: Palette
  /** The words of lanes, none of which covers another. */
  readonly words: Words
  readonly view: View
  /** The visible events; empty: there are too many, and their number is drawn. */
  readonly pieces: readonly OpenPiece[]
  readonly arrows: readonly Arrow[]
  readonly operations: OperationsByMachine
  /** Highlighted events: the chain of a violation, or those about the selected one. */
  readonly lit: ReadonlySet<number>
}

export const usualFont = '11px ui-monospace, monospace'
export const smallFont = '10px ui-monospace, monospace'
