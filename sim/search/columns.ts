/** Numbers in order, without a limit: an array that doubles. */
export class Column {
  #numbers = new Int32Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  get bytes(): number {
    return this.#numbers.byteLength
  }

  at(place: number): number {
    return this.#numbers[place] ?? 0
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) this.#grow(2 * this.#length)
    this.#numbers[this.#length++] = number
  }

  /** Appends the first `count` of these; returns the position of the first. */
  append(numbers: Int32Array, count: number): number {
    const begin = this.#length
    if (begin + count > this.#numbers.length) this.#grow(Math.max(2 * this.#numbers.length, begin + count))
    this.#numbers.set(numbers.subarray(0, count), begin)
    this.#length += count
    return begin
  }

  set(place: number, number: number): void {
    this.#numbers[place] = number
  }

  #grow(length: number): void {
    const larger = new Int32Array(length)
    larger.set(this.#numbers)
    this.#numbers = larger
  }
}

const emptySlot = 0

/** A map from two numbers to one that is not negative: open addressing, at least twice as large as its content. */
export class PairTable {
  #firsts = new Int32Array(1 << 10)
  #seconds = new Int32Array(1 << 10)
  /** The number plus one. */
  #values = new Int32Array(1 << 10)
  #size = 0

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return 3 * this.#firsts.byteLength
  }

  get(first: number, second: number): number | undefined {
    const value = this.#values[this.#slotOf(first, second)] ?? emptySlot
    return value === emptySlot ? undefined : value - 1
  }

  /** Only for a pair that is not in the table. */
  add(first: number, second: number, number: number): void {
    if (2 * this.#size >= this.#firsts.length) this.#grow()
    this.#put(first, second, number + 1)
    this.#size++
  }

  #put(first: number, second: number, value: number): void {
    const slot = this.#slotOf(first, second)
    this.#firsts[slot] = first
    this.#seconds[slot] = second
    this.#values[slot] = value
  }

  #slotOf(first: number, second: number): number {
    const mask = this.#firsts.length - 1
    let slot = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77)) >>> 7
    for (slot &= mask; this.#values[slot] !== emptySlot; slot = (slot + 1) & mask) {
      if (this.#firsts[slot] === first && this.#seconds[slot] === second) return slot
    }
    return slot
  }

  #grow(): void {
    const [firsts, seconds, values] = [this.#firsts, this.#seconds, this.#values]
    this.#firsts = new Int32Array(2 * firsts.length)
    this.#seconds = new Int32Array(2 * firsts.length)
    this.#values = new Int32Array(2 * firsts.length)
    for (const [at, value] of values.entries()) {
      if (value !== emptySlot) this.#put(firsts[at] ?? 0, seconds[at] ?? 0, value)
    }
  }
}
