import { frameValuesMax } from './bounds.ts'
import { headAt } from './value-head.ts'

/**
 * Finds where MessagePack values end while their bytes still arrive. Goes over each byte's head once, however the bytes
 * are cut: what it keeps is where it stands and how many values are still owed.
 */
export class ValueScanner {
  /** The first byte that is not yet gone over. */
  at: number
  #owed: number
  #left = frameValuesMax

  constructor(from: number, values: number) {
    this.at = from
    this.#owed = values
  }

  /** `length`: bytes there are, of which `bytes` may have room for more. 'bad': no value begins so, or there are too many. */
  scan(bytes: Uint8Array, length: number): 'complete' | 'more' | 'bad' {
    const there = length === bytes.length ? bytes : bytes.subarray(0, length)
    while (this.#owed > 0) {
      if (this.at >= length) return 'more'
      if (there[this.at] === 0xc1 || this.#left === 0) return 'bad'
      const head = headAt(there, this.at)
      if (head === undefined) return 'more'
      this.#left--
      this.#owed += head.type === 'map' ? 2 * head.size : head.type === 'array' ? head.size : 0
      this.#owed--
      this.at += head.length + (head.type === 'raw' || head.type === 'other' ? head.size : 0)
    }
    return this.at <= length ? 'complete' : 'more'
  }
}
