import { randomFillSync } from 'node:crypto'
import { invariant } from '../base/invariant.ts'
import type { Random, RandomStream } from '../env/random.ts'

/**
 * Number of random values fetched from the system at once: asking for four bytes costs as much as asking for a page.
 */
const bufferedNumbers = 1024

/** All decisions share one source, because entropy has no order that a further decision could shift. */
export class HostRandom implements Random {
  readonly #stream = new EntropyStream()

  draws(): RandomStream {
    return this.#stream
  }
}

class EntropyStream implements RandomStream {
  readonly #numbers = new Uint32Array(bufferedNumbers)
  #next = bufferedNumbers

  uint32(): number {
    if (this.#next === bufferedNumbers) {
      randomFillSync(this.#numbers)
      this.#next = 0
    }
    return this.#numbers[this.#next++] as number
  }

  below(bound: number): number {
    invariant(Number.isInteger(bound) && bound >= 1 && bound <= 2 ** 32, 'a bound from 1 to 2^32', { bound })
    // Numbers beyond the last whole multiple of the bound are drawn again, because they would favour small results.
    const fair = 2 ** 32 - (2 ** 32 % bound)
    for (;;) {
      const drawn = this.uint32()
      if (drawn < fair) return drawn % bound
    }
  }

  fraction(): number {
    return this.uint32() / 2 ** 32
  }
}
