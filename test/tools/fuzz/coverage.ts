/** What `main.mjs` sets up for instrumented modules. */
interface Counting {
  readonly counters: Uint32Array
  /** Behind the last one that is used. */
  readonly end: number
  readonly modules: readonly {
    readonly first: number
    readonly end: number
    readonly words: readonly (string | number)[]
  }[]
}

const counting = (globalThis as unknown as { readonly svcFuzz: Counting }).svcFuzz

/** How often, roughly: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, more. Each is a bit. */
function bitOf(count: number): number {
  if (count < 4) return 1 << (count - 1)
  if (count < 8) return 8
  if (count < 16) return 16
  if (count < 32) return 32
  return count < 128 ? 64 : 128
}

/** Which places inputs have come to, and roughly how often. */
export class Coverage {
  readonly #seen = new Uint8Array(counting.counters.length)
  /** Places that some input has come to. */
  places = 0

  /** Whether some input has come to one of these. */
  hasCome(first: number, end: number): boolean {
    return this.#seen.subarray(first, end).some((bits) => bits > 0)
  }

  begin(): void {
    counting.counters.fill(0, 0, counting.end)
  }

  /** Steps of the input that has just been run, and whether it went a way that none before it went. */
  end(): { readonly steps: number; readonly isNew: boolean } {
    const { counters, end } = counting
    let [steps, isNew] = [0, false]
    for (let at = 0; at < end; at++) {
      const count = counters[at] as number
      if (count === 0) continue
      steps += count
      const [seen, bit] = [this.#seen[at] as number, bitOf(count)]
      if ((seen & bit) !== 0) continue
      if (seen === 0) this.places++
      this.#seen[at] = seen | bit
      isNew = true
    }
    return { steps, isNew }
  }
}

/** Names that every object has, and that a table which is looked up by name may take for its own. */
const names = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'prototype', 'length', 'then']

/** Words of formats, as bytes. */
export interface Words {
  readonly own: readonly Uint8Array[]
  /** Names that objects have anyway. */
  readonly odd: readonly Uint8Array[]
}

/** Words and numbers in the modules that inputs have come to: texts as they are, numbers as they may be written. */
export function wordsFor(coverage: Coverage, more: readonly string[] = []): Words {
  const encoder = new TextEncoder()
  const numbers: Uint8Array[] = []
  const texts = new Set(more)
  for (const { first, end, words } of counting.modules) {
    if (!coverage.hasCome(first, end)) continue
    for (const word of words) {
      if (typeof word === 'string') texts.add(word)
      else if (word >= 0 && word <= 0xffff_ffff) numbers.push(written(word))
    }
  }
  const bytesOf = (text: string): Uint8Array => encoder.encode(text)
  return { own: [...[...texts].map(bytesOf), ...numbers], odd: names.map(bytesOf) }
}

function written(number: number): Uint8Array {
  const bytes = Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number)
  return number < 256 ? bytes.subarray(3) : number < 65_536 ? bytes.subarray(2) : bytes
}
