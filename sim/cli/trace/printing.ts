import { recordWords } from '../../report/record-text.ts'
import type { TraceHeader, TraceRecord } from '../../report/trace-record.ts'

/** Maximum length of the text of an event or cause. */
const wordsMax = 260
const causeWordsMax = 130
/** Default number of an event's causes that are shown as text. */
export const usualArrows = 4
/** Maximum number of causes shown by number only. */
const numberedMax = 8
/** A cause that was printed at most this many lines above, as an event or a cause, is not described again. */
const nearLines = 60
/** Maximum number of machines listed in one line. */
const machinesMax = 100
/** Minimum width of the column of machines; a longer name shifts the rest of its own line. */
const nodeWidthMin = 5
const nodeWidthMax = 16
/** Maximum number of agents whose names are remembered by ID. */
const namesMax = 1_000

/** Looks up an event of the window; undefined if it is not known. */
export type Known = (n: number) => TraceRecord | undefined

/**
 * Events as lines of text: time in seconds, machine, number, what happens; and after `←` its causes:
 *
 *        9.412803  s3  #1234  gets from s1 on 12: append-entries term 4: 90 after 89 of term 4, commit 88
 *                             ← 1230 at 9.410020 s1 sends it
 */
export class TracePrinter {
  readonly #known: Known
  readonly #arrows: number
  readonly #nodeWidth: number
  readonly #names = new Map<string, string>()
  /** Numbers of the events printed last, as lines of their own or as causes. */
  readonly #near: number[] = []
  /** Machines whose process has died, until the next boot. */
  readonly #dead = new Set<string>()
  #header: string

  /** `arrows`: maximum number of causes of one event that are shown as text. */
  constructor({ scenario, seed, build, nodes }: TraceHeader, known: Known, arrows: number) {
    this.#header = `${cut(clean(scenario), wordsMax)}, seed ${seed}, build ${cut(clean(build), wordsMax)}, machines ${machinesText(nodes)}\n`
    this.#known = known
    this.#arrows = arrows
    this.#nodeWidth = columnWidth(nodes)
  }

  /** An agent announces its name and ID: from here on, its ID is printed as its name. Processes die and boot. */
  learn(record: TraceRecord): void {
    if (record.kind === 'crash') this.#dead.add(record.node)
    if (record.kind === 'boot') this.#dead.delete(record.node)
    if (!('means' in record)) return
    for (const meaning of record.means ?? []) {
      if (meaning.layer !== 'rpc' || meaning.name !== 'hello' || this.#names.size >= namesMax) continue
      this.#names.set(meaning.id, meaning.node)
    }
  }

  /** The header of the trace precedes the first event. */
  lines(record: TraceRecord): string {
    const above = this.#header
    this.#header = ''
    const head = `${seconds(record.t).padStart(11)}  ${clean(record.node).padEnd(this.#nodeWidth)}  ${`#${record.n}`.padStart(8)}  `
    const { near, worded } = this.#causes(record)
    const inline = near === '' ? '' : `  ← ${near}`
    const indent = ' '.repeat(head.length)
    const behind = worded.map((line) => `${indent}${line}\n`).join('')
    this.#printed(record.n)
    return `${above}${head}${cut(this.#eventWords(record), wordsMax)}${inline}\n${behind}`
  }

  /** `near`: numbers only, for events just above or unknown ones. `worded`: one line each. */
  #causes(record: TraceRecord): { readonly near: string; readonly worded: readonly string[] } {
    const numbers: number[] = []
    const worded: string[] = []
    for (const cause of record.causes) {
      const known = this.#near.includes(cause) || worded.length >= this.#arrows ? undefined : this.#known(cause)
      if (known === undefined) numbers.push(cause)
      else {
        worded.push(`← ${cause} at ${seconds(known.t)} ${clean(known.node)} ${this.#causeWords(known, record)}`)
        this.#printed(cause)
      }
    }
    const more = numbers.length > numberedMax ? `, ${numbers.length - numberedMax} more` : ''
    return { near: `${numbers.slice(0, numberedMax).join(', ')}${more}`, worded }
  }

  #printed(n: number): void {
    this.#near.push(n)
    if (this.#near.length > nearLines) this.#near.shift()
  }

  #causeWords(cause: TraceRecord, of: TraceRecord): string {
    return isSendingOf(cause, of) ? 'sends it' : cut(this.#words(cause), causeWordsMax)
  }

  /** A message to a machine without a process reaches no process. */
  #eventWords(record: TraceRecord): string {
    const words = this.#words(record)
    const arrives = record.kind === 'segment' || (record.kind === 'datagram' && record.fate === 'arrives')
    return arrives && this.#dead.has(record.node)
      ? words.replace(/^gets/, () => `reaches ${clean(record.node)}, where nothing runs,`)
      : words
  }

  #words(record: TraceRecord): string {
    return clean(recordWords(record)).replaceAll(
      /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
      (id) => this.#names.get(id) ?? id,
    )
  }
}

/** Names of machines in one line, up to a readable number. */
export function machinesText(nodes: readonly string[]): string {
  const shown = nodes.slice(0, machinesMax).map((node) => cut(clean(node), wordsMax))
  const more = nodes.length - shown.length
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`
}

function columnWidth(nodes: readonly string[]): number {
  const longest = nodes.reduce((width, { length }) => Math.max(width, length), nodeWidthMin)
  return Math.min(longest, nodeWidthMax)
}

/** Text of a file, without characters that move the cursor of a terminal or change its colours. */
export function clean(text: string): string {
  return text.replaceAll(/[\p{Cc}]+/gu, ' ')
}

function seconds(us: number): string {
  return (us / 1_000_000).toFixed(6)
}

/** Whether the cause is the sending of what arrives, which was described above in the same words. */
function isSendingOf(cause: TraceRecord, of: TraceRecord): boolean {
  if (cause.kind === 'segmentSent') return of.kind === 'segment' && of.stream === cause.stream
  return cause.kind === 'datagramSent' && of.kind === 'datagram' && cause.to === of.node
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
