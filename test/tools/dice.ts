/**
 * Numbers that follow from a seed alone, for tests and their tools: sfc32, of which the first rounds are thrown away.
 */
export class Dice {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = seed >>> 0
    this.#b = (seed * 0x9e3779b1) >>> 0
    this.#c = 0x2545f491
    for (let i = 0; i < 12; i++) this.uint32()
  }

  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return sum >>> 0
  }

  fraction(): number {
    return this.uint32() / 4294967296
  }

  between(min: number, max: number): number {
    return min + this.fraction() * (max - min)
  }

  /** From 0 to below `count`, which is at least 1. */
  below(count: number): number {
    return Math.floor(this.fraction() * count)
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }
}
