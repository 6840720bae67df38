import type { Command } from 'commander'
import { err, ok, type Result } from '../../src/base/result.ts'
import {
  decisionBytesMax,
  decisionKinds,
  decisionsMax,
  type ListedDecision,
  listedDecision,
  type RunDecided,
  runInHeader,
} from '../report/decision-file.ts'
import { DecisionWords } from '../report/decision-words.ts'
import { unreadText } from './files.ts'
import { type Ended, gathered } from './flag-values.ts'
import { exits, type SimTerminal } from './terminal.ts'
import { LineCutter } from './trace/lines.ts'
import { clean } from './trace/printing.ts'

interface DecisionsFlags {
  readonly kind?: readonly string[]
  readonly about?: readonly string[]
}

type Terminal = Pick<SimTerminal, 'out' | 'outLeft' | 'error' | 'readPieces'>

export function addDecisions(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('decisions')
    .description('Show the list of decisions of a run as text: what was decided, about which packet, firing or turn.')
    .argument('<file>', 'a list of run --decisions, compressed or not; - reads the standard input')
    .option('--kind <names>', `only these kinds: ${decisionKinds.join(', ')}; may be repeated`, gathered)
    .option(
      '--about <text>',
      'only decisions about this: s3, "link s1 s2", fault; if repeated, about all of these',
      gathered,
    )
    .action(async (file: string, flags: DecisionsFlags) => {
      ended(await printDecisions(file, flags, terminal))
    })
}

/** `svc-sim decisions`: prints the requested decisions of a list. */
export async function printDecisions(file: string, flags: DecisionsFlags, terminal: Terminal): Promise<number> {
  const printed = await print(file, flags, terminal)
  if (printed.ok) return exits.passed
  terminal.error(`${printed.error}\n`)
  return exits.usage
}

async function print(file: string, flags: DecisionsFlags, terminal: Terminal): Promise<Result<undefined, string>> {
  const kinds = flags.kind?.flatMap((names) => names.split(','))
  const unknown = kinds?.find((kind) => !decisionKinds.some((each) => each === kind))
  if (unknown !== undefined) return err(`--kind ${unknown}: the kinds are ${decisionKinds.join(', ')}`)
  const isWanted = ({ kind, what = '' }: ListedDecision): boolean =>
    (kinds?.includes(kind) ?? true) && (flags.about ?? []).every((text) => what.includes(text))
  const listing = new Listing(isWanted, terminal)
  const cutter = new LineCutter()
  let bytes = 0
  let wrong: string | undefined
  const read = await terminal.readPieces(file, async (piece) => {
    bytes += piece.length
    const lines = cutter.push(piece)
    if (bytes > decisionBytesMax || lines === undefined) wrong = 'it, or a line of it, is larger than a list of one run'
    else wrong = listing.take(lines)
    await terminal.outLeft()
    return wrong === undefined
  })
  if (!read.ok) return err(`${file}: ${unreadText(read.error, 'name a list of decisions in it')}`)
  wrong ??= listing.take(cutter.rest === undefined ? [] : [cutter.rest]) ?? listing.end()
  return wrong === undefined ? ok(undefined) : err(`${file}: ${wrong}`)
}

/** Prints a list while it is read. */
class Listing {
  readonly #isWanted: (decision: ListedDecision) => boolean
  readonly #terminal: Terminal
  readonly #words = new DecisionWords()
  #lines = 0

  constructor(isWanted: (decision: ListedDecision) => boolean, terminal: Terminal) {
    this.#isWanted = isWanted
    this.#terminal = terminal
  }

  /** What is wrong with one of these lines; undefined: nothing. */
  take(lines: readonly string[]): string | undefined {
    for (const line of lines) {
      this.#lines++
      const problem = this.#lines === 1 ? this.#header(line) : this.#decision(line)
      if (problem !== undefined) return `line ${this.#lines}: ${problem}`
    }
    return undefined
  }

  /** What is wrong if the file had no list; undefined: it had one. */
  end(): string | undefined {
    if (this.#lines === 0) return 'empty: it is no list of decisions'
    this.#terminal.out(`${this.#words.summary}\n`)
    return undefined
  }

  #header(line: string): string | undefined {
    const run = runInHeader(line)
    if (!run.ok) return `${run.error}: the first line is that of a list of decisions`
    this.#terminal.out(`${headText(run.value)}\n`)
    return undefined
  }

  #decision(line: string): string | undefined {
    if (this.#lines > decisionsMax + 1) return `more than ${decisionsMax} decisions`
    const decision = listedDecision(line)
    if (!decision.ok) return decision.error
    if (!this.#isWanted(decision.value)) return undefined
    for (const text of this.#words.linesOf(decision.value)) this.#terminal.out(`${clean(text)}\n`)
    return undefined
  }
}

function headText({ scenario, seed, program, build }: RunDecided): string {
  return `${clean(scenario)}, seed ${seed}, by svc-sim ${clean(program)} (${clean(build)}): what was not decided as usual`
}
