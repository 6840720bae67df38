import { base64, utf8 } from '../../src/base/bytes.ts'
import { isRecord } from '../../src/base/shape.ts'
import type { EvidenceKind } from '../checkers/evidence.ts'
import { Events } from '../explain/events.ts'
import { explained, named, shownLines } from '../explain/explanation.ts'
import type { TraceHeader, TraceRecord } from '../report/trace-record.ts'
import { Bars } from './bars.ts'
import { FaultSpans } from './faults.ts'
import {
  densitySteps,
  type FilmOverview,
  type FilmViolation,
  type Piece,
  type PieceSpan,
  type StoryMoment,
} from './film-format.ts'
import { Lane } from './lanes.ts'
import { AskedAndAnswered } from './operations.ts'

/** Number of events in one piece: a browser opens one in some hundredths of a second. */
const pieceEvents = 3000
/** Maximum number of violations with a chain of causes. */
const chainsMax = 4
/** Maximum number of events of each chain. */
const chainLinks = 30

type Violation = Extract<TraceRecord, { readonly kind: 'violation' }>

/** The content of a run's page, packed. */
export interface Film {
  readonly overview: FilmOverview
  /** As base64 of gzip, in the order of the overview's list. */
  readonly pieces: readonly string[]
}

export interface FilmOptions {
  readonly header: TraceHeader
  readonly gzip: (bytes: Uint8Array) => Uint8Array
  /** The kinds of evidence that an invariant declares; expectations of pages have the usual ones. */
  readonly evidenceOf: (code: string) => readonly EvidenceKind[]
  /** Maximum number of events kept to explain a violation; absent: the usual number. */
  readonly explainedEventsMax?: number
}

/** Makes the film of a run from its events, in their order. */
export class FilmMaker {
  readonly #options: FilmOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #faults: FaultSpans
  readonly #operations = new AskedAndAnswered()
  readonly #bars = new Bars()
  readonly #events: Events
  readonly #story: StoryMoment[] = []
  readonly #violations: Violation[] = []
  readonly #pieces: string[] = []
  readonly #spans: PieceSpan[] = []
  #piece: TraceRecord[] = []
  #packedChars = 0
  #states: Piece['states'] = {}
  #endUs = 0

  constructor(options: FilmOptions) {
    this.#options = options
    this.#events = new Events(options.explainedEventsMax)
    const names = ['world', ...options.header.nodes]
    for (const name of names) this.#lanes.set(name, new Lane(name))
    this.#faults = new FaultSpans((name) => names.indexOf(name))
  }

  add(event: TraceRecord): void {
    if (this.#piece.length === 0) this.#states = this.#statesNow()
    this.#endUs = event.t
    this.#events.add(event)
    const lane = this.#lanes.get(event.node)
    lane?.add(event)
    this.#faults.add(event)
    if (lane !== undefined && lane.state['datacenter'] === undefined) this.#operations.add(event)
    else if (event.state !== undefined && lane !== undefined) this.#leads(event.t, lane)
    if (event.kind === 'driver' && event.story !== undefined) this.#story.push([event.t, event.story, event.text])
    if (event.kind === 'violation') this.#violations.push(event)
    this.#piece.push(event)
    if (this.#piece.length >= pieceEvents) this.#endPiece()
  }

  end(): Film {
    this.#endPiece()
    return { pieces: this.#pieces, overview: this.overview() }
  }

  /** The overview of the events so far; more may follow. */
  overview(): FilmOverview {
    const endUs = this.#endUs
    const { scenario, seed, build } = this.#options.header
    const growing = this.#growing()
    const pieces = growing === undefined ? this.#spans : [...this.#spans, growing]
    return {
      scenario,
      seed,
      build,
      endUs,
      events: pieces.at(-1)?.last ?? 0,
      machines: [...this.#lanes.values()].map((lane) => lane.lane(endUs, densitySteps)),
      story: this.#story,
      violations: this.#violations.map((violation, at) => this.#explained(violation, at)),
      faults: this.#faults.ended(endUs),
      bars: this.#bars.ended(endUs),
      operations: this.#operations.ended(endUs),
      pieces,
    }
  }

  /** A piece of the overview's list: packed, as base64; or open, for the last one, which is still growing. */
  piece(place: number): string | Piece | undefined {
    if (place < this.#pieces.length) return this.#pieces[place]
    if (place > this.#pieces.length || this.#piece.length === 0) return undefined
    return { states: this.#states, events: this.#piece }
  }

  /** Number of characters of the packed pieces. */
  get packedChars(): number {
    return this.#packedChars
  }

  #leads(t: number, { state }: Lane): void {
    const { datacenter, consensus, replicated } = state
    if (!isRecord(consensus) || consensus['role'] !== 'leader') return
    this.#bars.leads(t, String(datacenter), replicated)
  }

  #statesNow(): Piece['states'] {
    return Object.fromEntries([...this.#lanes].map(([name, { state }]) => [name, state]))
  }

  #endPiece(): void {
    const span = this.#growing()
    if (span === undefined) return
    const piece: Piece = { states: this.#states, events: this.#piece }
    const packed = base64(this.#options.gzip(utf8(JSON.stringify(piece))))
    this.#packedChars += packed.length
    this.#pieces.push(packed)
    this.#spans.push(span)
    this.#piece = []
  }

  #growing(): PieceSpan | undefined {
    const [first, last] = [this.#piece[0], this.#piece.at(-1)]
    if (first === undefined || last === undefined) return undefined
    return { fromUs: first.t, toUs: last.t, first: first.n, last: last.n }
  }

  #explained({ n, t, code, text }: Violation, place: number): FilmViolation {
    const found = place < chainsMax ? explained(this.#events, place, this.#options.evidenceOf(code)) : undefined
    const lines = found === undefined ? [] : shownLines(found, chainLinks)
    const chain = lines.flatMap((line) => {
      const shown = 'more' in line ? line.like : line
      const { event } = shown.chained
      const more = 'more' in line ? ` (and ${line.more} like it)` : ''
      return [{ n: event.n, atUs: event.t, node: shown.node, what: `${shown.what}${more}`, why: shown.why }]
    })
    return { n, atUs: t, code, text: found === undefined ? text : named(text, found.agents), chain }
  }
}
