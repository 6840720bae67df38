/** A test runner keeps one test for each seed; `svc-sim run --seeds` is for more of them. */
const seedsMax = 10_000

interface Asked {
  /** The options' first seed, and the number of seeds. */
  readonly seed: number
  readonly seeds: number
  /** `SVC_SIM_SEED`: only this seed. */
  readonly one: string | undefined
  /** `SVC_SIM_SEEDS`: `1..200`, or `7`. */
  readonly range: string | undefined
}

/**
 * The seeds for which each test is run: at least one, because a suite without tests would pass. Throws if a value is
 * invalid.
 */
export function seedsToRun({ seed, seeds, one, range }: Asked): readonly number[] {
  if (one !== undefined) return [seedOf('SVC_SIM_SEED', one)]
  if (range !== undefined) return seedsOf(range)
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new Error(`seed: ${seed} is no seed: write a whole number from 0 on`)
  if (!Number.isSafeInteger(seeds) || seeds < 1 || seeds > seedsMax) {
    throw new Error(`seeds: ${seeds} is not how many seeds there are: write a whole number from 1 to ${seedsMax}`)
  }
  return listed(seed, seed + seeds - 1)
}

function seedsOf(range: string): readonly number[] {
  const bounds = range.split('..')
  if (bounds.length > 2) throw new Error(`SVC_SIM_SEEDS: '${range}' is no range of seeds: write 1..200`)
  const [first = 0, last = first] = bounds.map((text) => seedOf('SVC_SIM_SEEDS', text))
  if (last < first) throw new Error(`SVC_SIM_SEEDS: '${range}' ends before it begins: write ${last}..${first}`)
  if (last - first >= seedsMax) {
    throw new Error(`SVC_SIM_SEEDS: '${range}' has more than ${seedsMax} seeds: run them in several ranges`)
  }
  return listed(first, last)
}

function listed(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

function seedOf(variable: string, text: string): number {
  const seed = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(seed)) return seed
  throw new Error(`${variable}: '${text}' is no seed: write 7, or for SVC_SIM_SEEDS 1..200`)
}
