import { Meanings } from '../meaning/meanings.ts'
import type { FilmMaker } from '../picture/film.ts'
import type { TraceOptions } from '../report/trace.ts'
import { type TraceHeader, traceVersion } from '../report/trace-record.ts'
import { type TextSink, TraceWriter } from '../report/trace-writer.ts'
import type { Platform } from '../world/platform.ts'
import { openText } from './files.ts'
import { newFilm, reportPage } from './run-page.ts'
import type { SimTerminal } from './terminal.ts'

/** The run that a trace belongs to. */
interface Traced {
  readonly scenario: string
  readonly seed: number
}

/** Where to write the trace of a run. */
export interface TraceFlags {
  /** JSON lines: each event with its causes and its meaning. */
  readonly trace?: string
  /** Lines of text, without causes and meanings. */
  readonly traceText?: string
  /** A page that shows the run. */
  readonly html?: string
}

interface FileOfTrace {
  readonly file: string
  readonly sink: TextSink
}

/** The files to which the trace of one run is written during the run. */
export class TraceFiles {
  readonly #terminal: SimTerminal
  readonly #records: FileOfTrace | undefined
  readonly #text: FileOfTrace | undefined
  readonly #page: FileOfTrace | undefined
  #film: FilmMaker | undefined

  private constructor(terminal: SimTerminal, [records, text, page]: readonly (FileOfTrace | undefined)[]) {
    this.#terminal = terminal
    this.#records = records
    this.#text = text
    this.#page = page
  }

  /** Undefined: one of the files cannot be written, which was reported. */
  static async open(terminal: SimTerminal, { trace, traceText, html }: TraceFlags): Promise<TraceFiles | undefined> {
    const opened: (FileOfTrace | undefined)[] = []
    for (const file of [trace, traceText, html]) {
      const sink = file === undefined ? undefined : await openText(terminal, file)
      if (file !== undefined && sink === undefined) return undefined
      opened.push(file === undefined || sink === undefined ? undefined : { file, sink })
    }
    return new TraceFiles(terminal, opened)
  }

  /**
   * `beside`: another file that the run waits for while its buffer is full. `story`: receives each event; it does not
   * need the meaning of packets.
   */
  optionsFor(
    { scenario, seed }: Traced,
    beside?: TextSink,
    story?: Reader,
  ): ((platform: Platform) => TraceOptions) | undefined {
    const [records, text] = [this.#records?.sink, this.#text?.sink]
    const sinks = [records, text, beside].filter((sink) => sink !== undefined)
    const readers = this.#readers({ scenario, seed }, story)
    if (sinks.length === 0 && readers.length === 0) return undefined
    const hasMeanings = records !== undefined || this.#page !== undefined
    const sink = {
      get isFull() {
        return sinks.some(({ isFull }) => isFull)
      },
      settle: async () => {
        for (const each of sinks) await each.settle()
      },
    }
    return (platform) => ({
      sink,
      ...(text === undefined ? {} : { onLine: (line: string) => text.write(`${line}\n`) }),
      ...(readers.length === 0 ? {} : recordOptions(readers, hasMeanings ? new Meanings(platform) : undefined)),
    })
  }

  /** False: a file could not be written, which was reported. */
  async end(): Promise<boolean> {
    let isWhole = true
    if (this.#film !== undefined) this.#page?.sink.write(reportPage(this.#terminal, this.#film))
    for (const { file, sink } of [this.#records, this.#text, this.#page].filter((each) => each !== undefined)) {
      const problem = await sink.end()
      if (problem === undefined) continue
      this.#terminal.error(`${file}: was not written whole (${problem})\n`)
      isWhole = false
    }
    return isWhole
  }

  #readers(traced: Traced, story: Reader | undefined): readonly Reader[] {
    const { build } = this.#terminal
    const headerOf = (nodes: readonly string[]): TraceHeader => ({
      v: traceVersion,
      ...traced,
      build,
      nodes: [...nodes],
    })
    const writer = this.#records && new TraceWriter(this.#records.sink, headerOf)
    const write: Reader | undefined = writer && ((record, nodes) => writer.write(record, nodes))
    const film: Reader = (record, nodes) => {
      this.#film ??= newFilm(this.#terminal, headerOf(nodes))
      this.#film.add(record)
    }
    return [write, this.#page && film, story].filter((reader) => reader !== undefined)
  }
}

/** Receives each event of a run. */
export type Reader = NonNullable<TraceOptions['onRecord']>

/** Options by which each event of a run comes to readers; `meanings`: with what its bytes say. */
export function recordOptions(readers: readonly Reader[], meanings: Meanings | undefined): TraceOptions {
  return {
    onRecord: (record, nodes) => {
      for (const reader of readers) reader(record, nodes)
    },
    tellsStates: true,
    ...(meanings === undefined ? {} : { meaning: (bytes) => meanings.of(bytes) }),
    ...(meanings === undefined ? {} : { onSealed: (key) => meanings.keys.sealedWith(key) }),
  }
}
