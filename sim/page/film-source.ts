import type { FilmOverview, Piece, PieceSpan } from '../picture/film-format.ts'
import type { TraceRecord } from '../report/trace-record.ts'

/** An opened piece, with the tables in which the page looks things up. */
export interface OpenPiece {
  readonly span: PieceSpan
  readonly states: Piece['states']
  /** None of one that the page had no room for. */
  readonly events: readonly TraceRecord[]
}

/** The source of a picture's film: the document, or a run that is still going on. */
export interface FilmSource {
  /** For a run that is going on, it changes with each look. */
  readonly overview: FilmOverview
  /** The opened pieces of these times; the others are opened, and drawn later. */
  between(fromUs: number, toUs: number): readonly OpenPiece[]
  /** Number of pieces between these times. */
  countBetween(fromUs: number, toUs: number): number
  piece(at: number): Promise<OpenPiece>
  eventOf(n: number): Promise<TraceRecord | undefined>
}

/** Called after a piece was opened for drawing, or could not be. */
export interface FilmEars {
  readonly onOpen: () => void
  readonly onFailed: (reason: unknown) => void
}

/** Maximum number of pieces that stay open: each takes a few megabytes. */
const openMax = 40

/** Opens the pieces of a film on demand, and forgets the oldest. */
export class OpenPieces implements FilmSource {
  #overview: FilmOverview
  readonly #load: (at: number) => Promise<Piece>
  readonly #open = new Map<number, OpenPiece>()
  readonly #opening = new Map<number, Promise<OpenPiece>>()
  readonly #told: FilmEars
  /** Incremented when opened pieces are not valid any more. */
  #age = 0

  constructor(overview: FilmOverview, load: (at: number) => Promise<Piece>, told: FilmEars) {
    this.#overview = overview
    this.#load = load
    this.#told = told
  }

  get overview(): FilmOverview {
    return this.#overview
  }

  /**
   * Sets the present film. A piece that has grown is opened anew on demand, and shown as before until then; after a run
   * went back in time, no piece is known.
   */
  replace(overview: FilmOverview): void {
    const isOther = overview.events < this.#overview.events
    this.#overview = overview
    if (isOther) this.forget()
  }

  forget(): void {
    this.#age++
    this.#open.clear()
    this.#opening.clear()
  }

  between(fromUs: number, toUs: number): readonly OpenPiece[] {
    const found: OpenPiece[] = []
    for (const [at, span] of this.#overview.pieces.entries()) {
      if (span.isGone === true || span.toUs < fromUs || span.fromUs > toUs) continue
      const piece = this.#open.get(at)
      if (piece === undefined || piece.span.last !== span.last) this.#openLater(at)
      if (piece !== undefined) found.push(piece)
    }
    return found
  }

  countBetween(fromUs: number, toUs: number): number {
    return this.#overview.pieces.filter((span) => span.isGone !== true && span.toUs >= fromUs && span.fromUs <= toUs)
      .length
  }

  async piece(at: number): Promise<OpenPiece> {
    const known = this.#open.get(at)
    if (known !== undefined && known.span.last === this.#overview.pieces[at]?.last) {
      // The most recently used piece is forgotten last.
      this.#open.delete(at)
      this.#open.set(at, known)
      return known
    }
    const opening = this.#opening.get(at) ?? this.#opened(at)
    this.#opening.set(at, opening)
    return await opening
  }

  async eventOf(n: number): Promise<TraceRecord | undefined> {
    const at = this.#overview.pieces.findIndex(({ first, last }) => n >= first && n <= last)
    return at < 0 ? undefined : (await this.piece(at)).events.find((event) => event.n === n)
  }

  /** A piece that is not available now is requested again when it is next drawn. */
  #openLater(at: number): void {
    if (!this.#opening.has(at)) this.piece(at).then(this.#told.onOpen, this.#told.onFailed)
  }

  async #opened(at: number): Promise<OpenPiece> {
    const span = this.#overview.pieces[at]
    if (span === undefined) throw new RangeError(`the film has no piece ${at}`)
    if (span.isGone === true) return { span, states: {}, events: [] }
    const age = this.#age
    try {
      const { states, events } = await this.#load(at)
      const piece: OpenPiece = { span, states, events: events as readonly TraceRecord[] }
      if (age !== this.#age) return piece
      this.#open.delete(at)
      this.#open.set(at, piece)
      for (const [oldest] of this.#open) if (this.#open.size > openMax) this.#open.delete(oldest)
      return piece
    } finally {
      if (age === this.#age) this.#opening.delete(at)
    }
  }
}
