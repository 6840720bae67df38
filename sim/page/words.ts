import type { Palette } from './palette.ts'

interface Taken {
  readonly x: number
  readonly end: number
  readonly y: number
}

/** Words whose middles are closer than this cover one another. */
const lineHeight = 11

/** Writes words into lanes so that none covers another: what is written first keeps its place. */
export class Words {
  readonly #context: CanvasRenderingContext2D
  readonly #palette: Palette
  readonly #taken: Taken[] = []

  constructor(context: CanvasRenderingContext2D, palette: Palette) {
    this.#context = context
    this.#palette = palette
  }

  /** False: other words stand there. `y` is the middle of the line. */
  write(text: string, x: number, y: number, colour: string): boolean {
    const end = this.#claim(text, x, y)
    if (end === undefined) return false
    this.#context.fillStyle = colour
    this.#context.fillText(text, x, y)
    return true
  }

  /** On a ground of their own, for words over bands of any colour. */
  writePlated(text: string, x: number, y: number, colour: string): boolean {
    const end = this.#claim(text, x, y)
    if (end === undefined) return false
    this.#context.fillStyle = this.#palette.lane
    this.#context.globalAlpha = 0.8
    this.#context.fillRect(x - 2, y - lineHeight / 2, end - x + 2, lineHeight)
    this.#context.globalAlpha = 1
    this.#context.fillStyle = colour
    this.#context.fillText(text, x, y)
    return true
  }

  #claim(text: string, x: number, y: number): number | undefined {
    const end = x + this.#context.measureText(text).width + 3
    const isTaken = this.#taken.some((other) => {
      return Math.abs(other.y - y) < lineHeight && x < other.end && other.x < end
    })
    if (isTaken) return undefined
    this.#taken.push({ x, end, y })
    return end
  }
}

/** As much of a text as fits, with an ellipsis; empty if that would be a letter or two. The font has letters of one width. */
export function fitted(text: string, width: number, letterWidth: number): string {
  const letters = Math.floor(width / letterWidth)
  if (text.length <= letters) return text
  return letters < 5 ? '' : `${text.slice(0, letters - 1)}…`
}
