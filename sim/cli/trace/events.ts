import { err, ok, type Result } from '../../../src/base/result.ts'
import { isRecord } from '../../../src/base/shape.ts'
import {
  type TraceHeader,
  type TraceRecord,
  traceHeaderSchema,
  traceRecordSchema,
  traceVersion,
} from '../../report/trace-record.ts'
import { unreadText } from '../files.ts'
import type { InputFailure, SimTerminal } from '../terminal.ts'
import { LineCutter, lineBytesMax } from './lines.ts'
import { clean } from './printing.ts'

/** An event with its line. */
export interface TraceLine {
  readonly n: number
  /** Time in microseconds. */
  readonly t: number
  readonly text: string
}

/** Receives the content of a trace. */
export interface TraceReader {
  /** False: nothing of this trace is wanted. */
  onHeader(header: TraceHeader, text: string): boolean
  /** An error says what is wrong with it. False: no more is wanted. */
  onLine(line: TraceLine): Result<boolean, string> | Promise<Result<boolean, string>>
}

/**
 * Reads the lines of a trace in their order, or says what is wrong with it, in one line. Only the beginning of each
 * line is parsed here, in the form of the writer: `{"n":17,"t":1500000,`.
 */
export async function readTrace(
  terminal: Pick<SimTerminal, 'readPieces'>,
  file: string,
  reader: TraceReader,
): Promise<Result<undefined, string>> {
  const reading = new Reading(reader)
  const read = await terminal.readPieces(file, (piece) => reading.push(piece))
  if (reading.problem !== undefined) return err(`${shown(file)}${clean(reading.problem)}`)
  if (!read.ok) return err(`${shown(file)}: ${problemText(read.error)}`)
  const cut = reading.ended()
  return cut === undefined ? ok(undefined) : err(`${shown(file)}${cut}`)
}

class Reading {
  /** The problem, after its place: `:17: …`. */
  problem: string | undefined
  readonly #reader: TraceReader
  readonly #cutter = new LineCutter()
  #lines = 0
  #last = 0
  #enough = false

  constructor(reader: TraceReader) {
    this.#reader = reader
  }

  async push(piece: Uint8Array): Promise<boolean> {
    const lines = this.#cutter.push(piece)
    if (lines === undefined) {
      this.problem = `:${this.#lines + 1}: ${this.#lines === 0 ? notATrace : `a line of more than ${lineBytesMax} bytes is no event`}`
      return false
    }
    for (const line of lines) {
      this.#lines++
      const more = this.#lines === 1 ? this.#header(line) : await this.#line(line)
      if (!more.ok) {
        this.problem = `:${this.#lines}: ${more.error}`
        return false
      }
      this.#enough = !more.value
      if (this.#enough) return false
    }
    return true
  }

  /** What is wrong with the end of the input, if anything is. */
  ended(): string | undefined {
    if (this.#enough) return undefined
    if (this.#lines === 0) return `: ${this.#cutter.rest === undefined ? 'it is empty: ' : ''}${notATrace}`
    if (this.#cutter.rest === undefined) return undefined
    return `:${this.#lines + 1}: the last line is cut short: the run that wrote the trace did not end, and the lines before are all there is`
  }

  #header(text: string): Result<boolean, string> {
    const value = parsed(text)
    const version = isRecord(value) ? value['v'] : undefined
    if (version === undefined) return err(notATrace)
    if (version !== traceVersion) {
      return err(`a trace of version ${JSON.stringify(version)}: this release reads version ${traceVersion}`)
    }
    const header = traceHeaderSchema.safeParse(value)
    return header.success ? ok(this.#reader.onHeader(header.data, text)) : err(notATrace)
  }

  #line(text: string): Result<boolean, string> | Promise<Result<boolean, string>> {
    const match = /^\{"n":(\d{1,15}),"t":(\d{1,16}),/.exec(text)
    if (match === null) return err('it is not an event: {"n":…,"t":… begins one')
    const n = Number(match[1])
    if (n <= this.#last) return err(`event ${n} does not follow event ${this.#last}`)
    this.#last = n
    return this.#reader.onLine({ n, t: Number(match[2]), text })
  }
}

/** The event of a line, or what is wrong with it. */
export function eventOf({ text }: TraceLine): Result<TraceRecord, string> {
  const record = traceRecordSchema.safeParse(parsed(text))
  if (record.success) return ok(record.data)
  const [issue] = record.error.issues
  return err(
    `it is not an event: ${[issue?.path.join('.') ?? '', issue?.message ?? ''].filter((part) => part !== '').join(': ')}`,
  )
}

/** Undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const notATrace = 'it is not a trace: svc-sim run SCENARIO --seed N --trace FILE writes one'

function shown(file: string): string {
  return file === '-' ? 'standard input' : file
}

function problemText(failure: InputFailure): string {
  const text = unreadText(failure, 'name a trace in it')
  return failure.kind === 'damaged' ? `${text}: only what is before that can be read` : text
}
