import { Meanings } from '../meaning/meanings.ts'
import type { TraceOptions } from '../report/trace.ts'
import { traceVersion } from '../report/trace-record.ts'
import { type TextSink, TraceWriter } from '../report/trace-writer.ts'
import type { Platform } from '../world/platform.ts'
import { cannotBeWritten } from './files.ts'
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

/** The files that the trace of one run is written to while it goes on. */
export class TraceFiles {
  readonly #terminal: SimTerminal
  readonly #records: { readonly file: string; readonly sink: TextSink } | undefined
  readonly #text: { readonly file: string; readonly sink: TextSink } | undefined

  private constructor(terminal: SimTerminal, { trace, traceText }: TraceFlags) {
    this.#terminal = terminal
    if (trace !== undefined) this.#records = { file: trace, sink: terminal.createTextFile(trace) }
    if (traceText !== undefined) this.#text = { file: traceText, sink: terminal.createTextFile(traceText) }
  }

  /** Undefined: one of the files cannot be written, which was said. */
  static async open(terminal: SimTerminal, flags: TraceFlags): Promise<TraceFiles | undefined> {
    for (const file of [flags.trace, flags.traceText]) {
      const opened = file === undefined ? undefined : await terminal.disk.open(file, 'create')
      if (opened?.ok === false) {
        terminal.error(cannotBeWritten(file ?? '', opened.error.kind))
        return undefined
      }
      await opened?.value.close()
    }
    return new TraceFiles(terminal, flags)
  }

  optionsFor({ scenario, seed }: Traced): ((platform: Platform) => TraceOptions) | undefined {
    const [records, text] = [this.#records?.sink, this.#text?.sink]
    const sinks = [records, text].filter((sink) => sink !== undefined)
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
      meaning: (bytes) => meanings.of(bytes),
      onSealed: (key) => meanings.keys.sealedWith(key),
    }
  }
}
