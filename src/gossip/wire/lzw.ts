import { err, ok, type Result } from '../../base/result.ts'

const clearCode = 256
const endCode = 257
const firstWidth = 9
const lastWidth = 12
/** Stands for "no code before". */
const none = 0xffff

/**
 * Undoes LZW as packets carry it: literals of 8 bits, codes from 9 to 12 bits wide, least significant bit first, as GIF
 * has it. More than `bytesMax` of output is an error: little input can ask for very much.
 */
export function expandLzw(bytes: Uint8Array, bytesMax: number): Result<Uint8Array, string> {
  const state = new Expansion(bytesMax)
  let at = 0
  let bits = 0
  let held = 0
  for (;;) {
    while (held < state.width) {
      if (at >= bytes.length) return err('compressed bytes are cut short')
      bits |= (bytes[at++] as number) << held
      held += 8
    }
    const code = bits & ((1 << state.width) - 1)
    bits >>>= state.width
    held -= state.width
    if (code === endCode) return ok(state.output())
    const problem = state.take(code)
    if (problem !== undefined) return err(problem)
  }
}

class Expansion {
  width = firstWidth
  /** Of each code beyond `endCode`: the code that it goes on from, and the byte that it adds. */
  readonly #prefixes = new Uint16Array(1 << lastWidth)
  readonly #suffixes = new Uint8Array(1 << lastWidth)
  readonly #bytesMax: number
  readonly #reversed = new Uint8Array(1 << lastWidth)
  /** The next code to be given a meaning; two codes after a clear it is the first free one. */
  #next = endCode
  #last = none
  #lastFirst = 0
  #out = new Uint8Array(256)
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  output(): Uint8Array {
    return this.#out.subarray(0, this.#length)
  }

  /** What is wrong with the code, if something is. */
  take(code: number): string | undefined {
    if (code === clearCode) {
      this.width = firstWidth
      this.#next = endCode
      this.#last = none
      return undefined
    }
    if (code > this.#next) return 'compressed bytes use a code before it has a meaning'
    const first = this.#firstOf(code)
    if (this.#last !== none) {
      this.#prefixes[this.#next] = this.#last
      this.#suffixes[this.#next] = first
    }
    if (!this.#write(code)) return `more than ${this.#bytesMax} bytes when expanded`
    this.#last = code
    this.#lastFirst = first
    this.#grow()
    return undefined
  }

  /** The first byte that a code stands for; a code that is only now given its meaning begins as the one before it. */
  #firstOf(code: number): number {
    if (code === this.#next && this.#last !== none) return this.#lastFirst
    let at = code
    while (at > endCode) at = this.#prefixes[at] as number
    return at
  }

  #write(code: number): boolean {
    let count = 0
    let at = code
    for (; at > endCode; at = this.#prefixes[at] as number) this.#reversed[count++] = this.#suffixes[at] as number
    this.#reversed[count++] = at
    if (this.#length + count > this.#bytesMax) return false
    this.#reserve(count)
    while (count > 0) this.#out[this.#length++] = this.#reversed[--count] as number
    return true
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#out.length) return
    const wider = new Uint8Array(Math.max(this.#length + count, 2 * this.#out.length))
    wider.set(this.#out)
    this.#out = wider
  }

  /** A full table stays as it is until it is cleared. */
  #grow(): void {
    if (this.#next + 1 < 1 << this.width) this.#next++
    else if (this.width < lastWidth) {
      this.#next++
      this.width++
    } else this.#last = none
  }
}
