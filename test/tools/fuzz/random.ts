/** Numbers that follow from a seed alone: sfc32, of which the first rounds are thrown away. */
export class Dice {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = seed >>> 0
    this.#b = Math.floor(seed / 2 ** 32) >>> 0
    this.#c = 0x9e37_79b9
    for (let round = 0; round < 16; round++) this.uint32()
  }

  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** From 0 to below `bound`, which is at least 1. */
  below(bound: number): number {
    return this.uint32() % bound
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }
}
