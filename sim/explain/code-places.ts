import { bytesOfRanges } from '../mutation/ranges.ts'

/** The lines that a run executed, as ranges, by built module. */
export type RanLines = Readonly<Record<string, string>>

/** Adjacent lines of one module. */
export interface CodePlace {
  readonly file: string
  readonly first: number
  readonly last: number
  /** No passing run executed them. */
  readonly isOfFailures: boolean
  /** They ran for the first time just before the failure. */
  readonly isLate: boolean
}

export interface RunsCompared {
  readonly failing: readonly RanLines[]
  readonly passing: readonly RanLines[]
  /** The failing run without its last moments. */
  readonly early: RanLines
}

/** A module's lines beyond this number are ignored. */
const linesMax = 20_000

/**
 * Code that ran in every failing run, and either in no passing run, or not before the last moments. Code with both
 * properties comes first, general code last of its kind, and small places before large ones.
 */
export function codePlaces({ failing, passing, early }: RunsCompared): readonly CodePlace[] {
  const [first = {}] = failing
  const found = Object.keys(first).flatMap((file) => {
    const inAll = failing.map((run) => lineBytes(run, file))
    const inPassing = passing.map((run) => lineBytes(run, file))
    const before = lineBytes(early, file)
    const kindOf = (line: number): string => {
      if (!inAll.every((run) => run[line] === 1)) return ''
      const isOfFailures = passing.length > 0 && inPassing.every((run) => run[line] !== 1)
      return `${isOfFailures ? 'failures' : ''} ${before[line] === 1 ? '' : 'late'}`.trim()
    }
    return placesIn(file, kindOf)
  })
  return found.toSorted(
    (a, b) => weight(b) - weight(a) || general(a) - general(b) || a.last - a.first - (b.last - b.first),
  )
}

function placesIn(file: string, kindOf: (line: number) => string): readonly CodePlace[] {
  const places: CodePlace[] = []
  for (let line = 1; line < linesMax; line++) {
    const kind = kindOf(line)
    if (kind === '') continue
    const before = places.at(-1)
    const place = {
      file,
      first: line,
      last: line,
      isOfFailures: kind.includes('failures'),
      isLate: kind.includes('late'),
    }
    // A brace or a comment between them does not split a place.
    if (before !== undefined && line - before.last <= 2 && weight(before) === weight(place)) {
      places[places.length - 1] = { ...before, last: line }
    } else places.push(place)
  }
  return places
}

function weight({ isOfFailures, isLate }: CodePlace): number {
  return (isOfFailures ? 2 : 0) + (isLate ? 1 : 0)
}

/** Code that everything uses explains least. */
function general({ file }: CodePlace): number {
  return /^src\/(?:base|model)\//.test(file) ? 1 : 0
}

function lineBytes(run: RanLines, file: string): Uint8Array {
  return bytesOfRanges(run[file] ?? '', linesMax)
}
