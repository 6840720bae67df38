import type { RandomStream } from '../../src/env/random.ts'
import type { Range } from '../scenario/language/quantities.ts'

/** A range of milliseconds under its name in the world's options; nothing where none is given. */
export function given(name: string, range: Range | undefined): Readonly<Record<string, readonly [number, number]>> {
  return range === undefined ? {} : { [name]: [range.min, range.max] }
}

/** Evenly from the range, to the thousandth. */
export function drawRange(draw: RandomStream, range: Range): number {
  if (range.max === range.min) return range.min
  return range.min + draw.fraction() * (range.max - range.min)
}
