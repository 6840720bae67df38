/** Seeded randomness for the model world: sfc32, keyed by a number. */
export class Dice {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = seed >>> 0
    this.#b = (seed * 0x9e3779b1) >>> 0
    this.#c = 0x2545f491
    for (let i = 0; i < 12; i++) this.fraction()
  }

  fraction(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return (sum >>> 0) / 4294967296
  }

  between(min: number, max: number): number {
    return min + this.fraction() * (max - min)
  }

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
