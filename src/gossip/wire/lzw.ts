import { byteAt, wordAt } from '../../base/items.ts'
import { err, ok, type Result } from '../../base/result.ts'

const clearCode = 256
const endCode = 257
const firstWidth = 9
const lastWidth = 12
const codes = 1 << lastWidth
/** Stands for "no code before". */
const none = 0xffff
/** The first room for output; it doubles from there. */
const firstRoomBytes = 1024

/**
 * What the codes of one expansion stand for. An entry is always written before it is read: a code without a meaning is
 * refused, and a cleared table begins anew. So a table may be reused without being wiped.
 */
class CodeTable {
  /** For each code beyond `endCode`: the code that it extends, the byte that it adds, its first byte and its length. */
  readonly prefixes = new Uint16Array(codes)
  readonly suffixes = new Uint8Array(codes)
  readonly firsts = new Uint8Array(codes)
  readonly lengths = new Uint16Array(codes)
}

/** For expansions that end in the call in which they begin, so that no two of them overlap. */
const sharedTable = new CodeTable()

/**
 * Expands LZW as packets carry it: literals of 8 bits, codes from 9 to 12 bits wide, least significant bit first, as in
 * GIF. More than `bytesMax` of output is an error: a small input can ask for more than a thousand times its size.
 */
export function expandLzw(bytes: Uint8Array, bytesMax: number): Result<Uint8Array, string> {
  const expansion = new LzwExpansion(bytes, bytesMax, sharedTable)
  for (;;) {
    const whole = expansion.step(Number.POSITIVE_INFINITY)
    if (!whole.ok) return whole
    if (whole.value !== undefined) return ok(whole.value)
  }
}

/** The first bytes of the output: at least `bytesMax`, or fewer if the output ends or is malformed before. */
export function lzwBeginning(bytes: Uint8Array, bytesMax: number): Uint8Array {
  const expansion = new LzwExpansion(bytes, bytesMax + codes, sharedTable)
  expansion.step(bytesMax, bytesMax)
  return expansion.output
}

/** One expansion in slices: `step` continues where the last one stopped. */
export class LzwExpansion {
  readonly #bytes: Uint8Array
  readonly #bytesMax: number
  readonly #table: CodeTable
  #at = 0
  #bits = 0
  #held = 0
  #width = firstWidth
  /**
   * The next code to be given a meaning. A clear sets it one below the first free code, because the first code after a
   * clear gives none.
   */
  #next = endCode
  #last = none
  #out = new Uint8Array(firstRoomBytes)
  #length = 0

  constructor(bytes: Uint8Array, bytesMax: number, table = new CodeTable()) {
    this.#bytes = bytes
    this.#bytesMax = bytesMax
    this.#table = table
  }

  /** Bytes read and bytes written so far. */
  get read(): number {
    return this.#at
  }

  get written(): number {
    return this.#length
  }

  get output(): Uint8Array {
    return this.#out.subarray(0, this.#length)
  }

  /**
   * Reads up to `readMax` bytes more, and stops early once `writtenMax` more are written. Undefined: it is not
   * finished. Both bounds are needed, because codes that only clear the table take time and write nothing.
   */
  step(readMax: number, writtenMax = readMax): Result<Uint8Array | undefined, string> {
    const readEnd = this.#at + readMax
    const writtenEnd = this.#length + writtenMax
    while (this.#at < readEnd && this.#length < writtenEnd) {
      const code = this.#code()
      if (code === undefined) return err('compressed bytes are cut short')
      if (code === endCode) return ok(this.output)
      const problem = code === clearCode ? this.#clear() : this.#take(code)
      if (problem !== undefined) return err(problem)
    }
    return ok(undefined)
  }

  #code(): number | undefined {
    while (this.#held < this.#width) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) return undefined
      this.#at++
      this.#bits |= byte << this.#held
      this.#held += 8
    }
    const code = this.#bits & ((1 << this.#width) - 1)
    this.#bits >>>= this.#width
    this.#held -= this.#width
    return code
  }

  #clear(): undefined {
    this.#width = firstWidth
    this.#next = endCode
    this.#last = none
  }

  /** Expands one code; returns what is wrong with it, if anything. */
  #take(code: number): string | undefined {
    if (code > this.#next) return 'compressed bytes use a code before it has a meaning'
    this.#learn(code)
    const length = code < clearCode ? 1 : wordAt(this.#table.lengths, code)
    if (this.#length + length > this.#bytesMax) return `more than ${this.#bytesMax} bytes when expanded`
    this.#write(code, length)
    this.#last = code
    this.#grow()
    return undefined
  }

  /**
   * The next free code extends the last one by the first byte of this one; this one may be the code that is being
   * learned.
   */
  #learn(code: number): void {
    const last = this.#last
    if (last === none) return
    const { prefixes, suffixes, firsts, lengths } = this.#table
    const next = this.#next
    const lastFirst = last < clearCode ? last : byteAt(firsts, last)
    prefixes[next] = last
    firsts[next] = lastFirst
    lengths[next] = last < clearCode ? 2 : wordAt(lengths, last) + 1
    suffixes[next] = code === next ? lastFirst : code < clearCode ? code : byteAt(firsts, code)
  }

  /** Writes from the last byte to the first, which is the order of the table. */
  #write(code: number, length: number): void {
    this.#reserve(length)
    const { prefixes, suffixes } = this.#table
    const out = this.#out
    let to = this.#length + length
    this.#length = to
    let at = code
    for (; at > endCode; at = wordAt(prefixes, at)) out[--to] = byteAt(suffixes, at)
    out[--to] = at
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#out.length) return
    const wider = new Uint8Array(Math.max(this.#length + count, 2 * this.#out.length))
    wider.set(this.#out)
    this.#out = wider
  }

  /** A full table stays as it is until it is cleared. */
  #grow(): void {
    if (this.#next + 1 < 1 << this.#width) this.#next++
    else if (this.#width < lastWidth) {
      this.#next++
      this.#width++
    } else this.#last = none
  }
}
