import { base64, utf8 } from '../../src/base/bytes.ts'
import { isRecord } from '../../src/base/shape.ts'
import type { EvidenceKind } from '../checkers/evidence.ts'
import { Events } from '../explain/events.ts'
import { explained, named, shownLines } from '../explain/explanation.ts'
import type { TraceHeader, TraceRecord } from '../report/trace-record.ts'
import { AgentNames } from './agent-names.ts'
import { Bars } from './bars.ts'
import { FaultSpans } from './faults.ts'
import {
  densitySteps,
  type FilmBlame,
  type FilmOverview,
  type FilmViolation,
  type LeftOut,
  type Piece,
  type PieceSpan,
  type StoryMoment,
} from './film-format.ts'
import { Lane } from './lanes.ts'
import { Latest } from './latest.ts'
import { AskedAndAnswered } from './operations.ts'

/** Number of events in one piece: a browser opens one in some hundredths of a second. */
const pieceEvents = 3000
/** Maximum number of violations with a chain of causes. */
const chainsMax = 4
/** Maximum number of events of each chain. */
const chainLinks = 30
/** Lines of the story that are kept: the latest. */
const storyMax = 10_000
/** Violations that are kept: the first ones, for those behind them often follow from them. */
const violationsMax = 100
/** Characters of packed pieces that a page holds: some 700 MB of trace. A browser reads the whole file. */
const packedUsual = 96 << 20

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
  /** What an invariant demands, in words; undefined: it is an expectation of the page. */
  readonly demandOf: (code: string) => string | undefined
  /** Maximum number of events kept to explain a violation; absent, like the other limits: the usual number. */
  readonly explainedEventsMax?: number
  readonly packedCharsMax?: number
  readonly operationsMax?: number
}

/** Makes the film of a run from its events, in their order. */
export class FilmMaker {
  readonly #options: FilmOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #faults: FaultSpans
  readonly #operations: AskedAndAnswered
  readonly #bars = new Bars()
  readonly #agents = new AgentNames()
  readonly #events: Events
  readonly #story = new Latest<StoryMoment>(storyMax)
  readonly #violations: Violation[] = []
  #violationsUnkept = 0
  readonly #explained = new Map<number, FilmViolation>()
  readonly #blame = new Map<number, readonly FilmBlame[]>()
  readonly #pieces: string[] = []
  readonly #spans: PieceSpan[] = []
  #piece: TraceRecord[] = []
  #packedChars = 0
  /** Pieces that were forgotten, the oldest first. */
  #gone = 0
  #states: Piece['states'] = {}
  #endUs = 0

  constructor(options: FilmOptions) {
    this.#options = options
    this.#events = new Events(options.explainedEventsMax)
    const names = ['world', ...options.header.nodes]
    for (const name of names) this.#lanes.set(name, new Lane(name))
    const places = new Map(names.map((name, place) => [name, place]))
    const placeOf = (name: string): number => places.get(name) ?? -1
    this.#faults = new FaultSpans(placeOf)
    this.#operations = new AskedAndAnswered(placeOf, options.operationsMax)
  }

  add(event: TraceRecord): void {
    if (this.#piece.length === 0) this.#states = this.#statesNow()
    this.#endUs = event.t
    this.#events.add(event)
    const lane = this.#lanes.get(event.node)
    lane?.add(event)
    this.#faults.add(event)
    this.#agents.add(event)
    if (lane !== undefined && lane.state['datacenter'] === undefined) this.#operations.add(event)
    else if (event.state !== undefined && lane !== undefined) this.#leads(event.t, event.node, lane)
    if (event.kind === 'driver' && event.story !== undefined) this.#story.push([event.t, event.story, event.text])
    if (event.kind === 'violation') this.#violated(event)
    this.#piece.push(event)
    if (this.#piece.length >= pieceEvents) this.#endPiece()
  }

  /** What the failure needs, for a violation of this run. */
  blamed(violation: number, blame: readonly FilmBlame[]): void {
    this.#blame.set(violation, blame)
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
      agents: this.#agents.names,
      story: this.#story.steps,
      violations: this.#violations.map((violation, at) => this.#shown(violation, at)),
      faults: this.#faults.ended(endUs),
      bars: this.#bars.ended(endUs),
      operations: this.#operations.ended(endUs),
      pieces,
      leftOut: this.#leftOut(),
    }
  }

  /** A piece of the overview's list: packed, as base64; empty: forgotten; or open, for the last one, which is still growing. */
  piece(place: number): string | Piece | undefined {
    if (place < this.#pieces.length) return this.#pieces[place]
    if (place > this.#pieces.length || this.#piece.length === 0) return undefined
    return { states: this.#states, events: this.#piece }
  }

  #leads(t: number, node: string, { state }: Lane): void {
    const { datacenter, consensus, replicated, leaves } = state
    this.#bars.holdsLeaves(t, String(datacenter), node, leaves)
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
    this.#forgetPieces()
  }

  /** The oldest ones go: what a run comes to is at its end. */
  #forgetPieces(): void {
    const { packedCharsMax = packedUsual } = this.#options
    while (this.#packedChars > packedCharsMax && this.#gone < this.#pieces.length - 1) {
      const [packed, span] = [this.#pieces[this.#gone], this.#spans[this.#gone]]
      if (packed === undefined || span === undefined) return
      this.#packedChars -= packed.length
      this.#pieces[this.#gone] = ''
      this.#spans[this.#gone] = { ...span, isGone: true }
      this.#gone++
    }
  }

  #violated(event: Violation): void {
    if (this.#violations.length < violationsMax) this.#violations.push(event)
    else this.#violationsUnkept++
  }

  #leftOut(): readonly LeftOut[] {
    const last = this.#spans[this.#gone - 1]
    const found: readonly (LeftOut | undefined)[] = [
      last && { what: 'events', count: last.last, beforeUs: last.toUs },
      { what: 'lines of the story', ...this.#story.forgotten },
      { what: 'faults', ...this.#faults.forgotten },
      { what: 'bars', ...this.#bars.forgotten(this.#endUs) },
      { what: 'requests', ...this.#operations.forgotten },
      { what: 'violations', count: this.#violationsUnkept, beforeUs: this.#endUs },
      ...[...this.#lanes.values()].flatMap(({ forgotten }) => forgotten.map(([what, each]) => ({ what, ...each }))),
    ]
    const sums = new Map<LeftOut['what'], LeftOut>()
    for (const each of found) {
      if (each === undefined || each.count === 0) continue
      const { count = 0, beforeUs = 0 } = sums.get(each.what) ?? {}
      sums.set(each.what, { ...each, count: count + each.count, beforeUs: Math.max(beforeUs, each.beforeUs) })
    }
    return [...sums.values()]
  }

  #growing(): PieceSpan | undefined {
    const [first, last] = [this.#piece[0], this.#piece.at(-1)]
    if (first === undefined || last === undefined) return undefined
    return { fromUs: first.t, toUs: last.t, first: first.n, last: last.n }
  }

  #shown(violation: Violation, at: number): FilmViolation {
    const shown = this.#explained.get(violation.n) ?? this.#explain(violation, at)
    this.#explained.set(violation.n, shown)
    const blame = this.#blame.get(violation.n)
    return blame === undefined ? shown : { ...shown, blame }
  }

  #explain({ n, t, code, text }: Violation, at: number): FilmViolation {
    const place = this.#events.all.filter(({ kind }) => kind === 'violation').findIndex((event) => event.n === n)
    const isTold = at < chainsMax && place >= 0
    const found = isTold ? explained(this.#events, place, this.#options.evidenceOf(code)) : undefined
    const lines = found === undefined ? [] : shownLines(found, chainLinks)
    const chain = lines.flatMap((line) => {
      const shown = 'more' in line ? line.like : line
      const { event } = shown.chained
      const more = 'more' in line ? ` (and ${line.more} like it)` : ''
      return [{ n: event.n, atUs: event.t, node: shown.node, what: `${shown.what}${more}`, why: shown.why }]
    })
    const demands = this.#options.demandOf(code)
    const said = found === undefined ? text : named(text, found.agents)
    return { n, atUs: t, code, text: said, ...(demands === undefined ? {} : { demands }), chain }
  }
}
