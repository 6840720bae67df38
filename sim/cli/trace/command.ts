import { err, ok, type Result } from '../../../src/base/result.ts'
import type { TraceHeader, TraceRecord } from '../../report/trace-record.ts'
import { isSelected, isShownBeside } from '../../report/trace-selection.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { CauseGraph } from './cause-walk.ts'
import { eventOf, readTrace, type TraceLine, type TraceReader } from './events.ts'
import { type Asked, askedOf, type TraceFlags, unknownNode } from './flags.ts'
import { KeptLines } from './kept-lines.ts'
import { TracePrinter, usualArrows } from './printing.ts'

/** Maximum number of characters of kept lines. Half of it holds some hundred thousand events. */
const keptMax = 32 << 20
/** Number of characters after which the reader waits until they are written. */
const writtenMax = 256 << 10
/** Number of arrows that are followed back from the requested event. */
const usualSteps = 8

type Terminal = Pick<SimTerminal, 'out' | 'outLeft' | 'error' | 'readPieces'>

/** `svc-sim trace`: prints the requested events of a trace. */
export async function printTrace(file: string, flags: TraceFlags, terminal: Terminal): Promise<number> {
  const failed = (message: string): number => {
    terminal.error(`${message}\n`)
    return exits.usage
  }
  const asked = askedOf(flags)
  if (!asked.ok) return failed(asked.error)
  let ancestors: ReadonlySet<number> | undefined
  if (flags.causesOf !== undefined) {
    if (file === '-') return failed('--causes-of reads the trace twice: name a file, not -')
    const walked = await walkBack(terminal, file, flags.causesOf, flags.steps ?? usualSteps)
    if (!walked.ok) return failed(walked.error)
    ancestors = walked.value
  }
  const printing = new Printing(asked.value, flags, ancestors, terminal)
  const read = await readTrace(terminal, file, printing)
  if (printing.misuse !== undefined) return failed(printing.misuse)
  if (!read.ok) return failed(read.error)
  if (printing.found === 0) terminal.error(`none of ${printing.seen} events matches the options\n`)
  return exits.passed
}

/** The event and its causes. The file is read up to the event. */
async function walkBack(
  terminal: Terminal,
  file: string,
  of: number,
  steps: number,
): Promise<Result<ReadonlySet<number>, string>> {
  const graph = new CauseGraph()
  let last = 0
  const read = await readTrace(terminal, file, {
    onHeader: () => true,
    onLine: (line) => {
      last = line.n
      graph.add(line.n, causesIn(line))
      return ok(line.n < of)
    },
  })
  if (!read.ok) return read
  return last === of ? ok(graph.ancestors(of, steps)) : err(`--causes-of ${of}: the trace has no such event`)
}

/** Numbers of the causes, without parsing the rest of the line. Quotes within texts are escaped. */
function causesIn({ text }: TraceLine): readonly number[] {
  const list = /"causes":\[([\d,]*)\]/.exec(text)?.[1] ?? ''
  return list === '' ? [] : list.split(',').map(Number)
}

class Printing implements TraceReader {
  seen = 0
  /** Number of printed events. */
  found = 0
  /** What is wrong with the command line, as the header shows. */
  misuse: string | undefined
  readonly #asked: Asked
  readonly #json: boolean
  readonly #arrows: number
  readonly #ancestors: ReadonlySet<number> | undefined
  readonly #terminal: Terminal
  readonly #kept = new KeptLines(keptMax)
  #printer: TracePrinter | undefined
  #written = 0

  constructor(asked: Asked, flags: TraceFlags, ancestors: ReadonlySet<number> | undefined, terminal: Terminal) {
    this.#asked = asked
    this.#json = flags.json === true
    this.#arrows = flags.arrows ?? usualArrows
    this.#ancestors = ancestors
    this.#terminal = terminal
  }

  onHeader(header: TraceHeader, text: string): boolean {
    this.misuse = unknownNode(this.#asked, header)
    if (this.misuse !== undefined) return false
    this.#printer = new TracePrinter(header, (n) => this.#known(n), this.#arrows)
    if (this.#json) this.#terminal.out(`${text}\n`)
    return true
  }

  onLine(line: TraceLine): Result<boolean, string> | Promise<Result<boolean, string>> {
    const { selection } = this.#asked
    const { fromUs, toUs, fromEvent, toEvent } = selection
    if (line.t > toUs || line.n > toEvent) return ok(false)
    this.seen++
    const isWithin = line.t >= fromUs && line.n >= fromEvent && this.#ancestors?.has(line.n) !== false
    // Agents announce their name and ID when they connect, mostly before the window; processes may have died before it.
    const mayTeach = /"name":"hello"|"kind":"(?:boot|crash)"/.test(line.text)
    if (line.t >= fromUs && !this.#json) this.#kept.add(line)
    if (!isWithin && !mayTeach) return ok(true)
    const record = eventOf(line)
    if (!record.ok) return record
    if (mayTeach) this.#printer?.learn(record.value)
    if (!isWithin) return ok(true)
    const isFound = isSelected(record.value, selection)
    if (isFound) this.found++
    return isFound || isShownBeside(record.value, selection) ? this.#print(record.value, line) : ok(true)
  }

  #print(record: TraceRecord, { text }: TraceLine): Result<boolean, string> | Promise<Result<boolean, string>> {
    const lines = this.#json ? `${text}\n` : (this.#printer?.lines(record) ?? '')
    this.#terminal.out(lines)
    this.#written += lines.length
    if (this.#written < writtenMax) return ok(true)
    this.#written = 0
    return this.#terminal.outLeft().then(() => ok(true))
  }

  #known(n: number): TraceRecord | undefined {
    const line = this.#kept.get(n)
    const record = line === undefined ? undefined : eventOf(line)
    return record?.ok === true ? record.value : undefined
  }
}
