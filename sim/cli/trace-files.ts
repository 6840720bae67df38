import { Meanings } from '../meaning/meanings.ts'
import type { TraceOptions } from '../report/trace.ts'
import { traceVersion } from '../report/trace-record.ts'
import { type TextSink, TraceWriter } from '../report/trace-writer.ts'
import type { Platform } from '../world/platform.ts'
import { openText } from './files.ts'
import type { SimTerminal } from './terminal.ts'

/** Of which run a trace is. */
interface Traced {
  readonly scenario: string
  readonly seed: number
}

/** Where to write the trace of a run. */
export interface TraceFlags {
  /** JSON lines: each event with its causes and its meaning. */
  readonly trace?: string
  /** Lines of text, without these. */
  readonly traceText?: string
}

interface FileOfTrace {
  readonly file: string
  readonly sink: TextSink
}

/** The files that the trace of one run is written to while it goes on. */
export class TraceFiles {
  readonly #terminal: SimTerminal
  readonly #records: FileOfTrace | undefined
  readonly #text: FileOfTrace | undefined

  private constructor(terminal: SimTerminal, records: FileOfTrace | undefined, text: FileOfTrace | undefined) {
    this.#terminal = terminal
    this.#records = records
    this.#text = text
  }

  /** Undefined: one of the files cannot be written, which was said. */
  static async open(terminal: SimTerminal, { trace, traceText }: TraceFlags): Promise<TraceFiles | undefined> {
    const opened: (FileOfTrace | undefined)[] = []
    for (const file of [trace, traceText]) {
      const sink = file === undefined ? undefined : await openText(terminal, file)
      if (file !== undefined && sink === undefined) return undefined
      opened.push(file === undefined || sink === undefined ? undefined : { file, sink })
    }
    return new TraceFiles(terminal, opened[0], opened[1])
  }

  /** `beside`: another file that the run waits for while it is full. */
  optionsFor({ scenario, seed }: Traced, beside?: TextSink): ((platform: Platform) => TraceOptions) | undefined {
    const [records, text] = [this.#records?.sink, this.#text?.sink]
    const sinks = [records, text, beside].filter((sink) => sink !== undefined)
    if (sinks.length === 0) return undefined
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
      ...(records === undefined ? {} : this.#recordOptions(records, { scenario, seed }, platform)),
    })
  }

  /** False: something could not be written, which was said. */
  async end(): Promise<boolean> {
    let isWhole = true
    for (const { file, sink } of [this.#records, this.#text].filter((each) => each !== undefined)) {
      const problem = await sink.end()
      if (problem === undefined) continue
      this.#terminal.error(`${file}: was not written whole (${problem})\n`)
      isWhole = false
    }
    return isWhole
  }

  #recordOptions(sink: TextSink, traced: Traced, platform: Platform): TraceOptions {
    const meanings = new Meanings(platform)
    const { build } = this.#terminal
    const writer = new TraceWriter(sink, (nodes) => ({ v: traceVersion, ...traced, build, nodes: [...nodes] }))
    return {
      onRecord: (record, nodes) => writer.write(record, nodes),
      tellsStates: true,
      meaning: (bytes) => meanings.of(bytes),
      onSealed: (key) => meanings.keys.sealedWith(key),
    }
  }
}
