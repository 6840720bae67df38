import type { FilmOverview, Piece, PieceSpan } from '../picture/film-format.ts'
import type { TraceRecord } from '../report/trace-record.ts'

/** A piece that was opened, with what the page looks up in it. */
export interface OpenPiece {
  readonly span: PieceSpan
  readonly states: Piece['states']
  readonly events: readonly TraceRecord[]
}

/** Where a picture has its film from: the document that it stands in, or a run that goes on. */
export interface FilmSource {
  /** Of a run that goes on it is another one after each look. */
  readonly overview: FilmOverview
  /** The pieces of these times that are open; those that are not are opened, and drawn when they are. */
  between(fromUs: number, toUs: number): readonly OpenPiece[]
  /** How many pieces lie between these times. */
  countBetween(fromUs: number, toUs: number): number
  piece(at: number): Promise<OpenPiece>
  eventOf(n: number): Promise<TraceRecord | undefined>
}

/** Called after a piece was opened in order to be drawn, or could not be. */
export interface FilmEars {
  readonly onOpen: () => void
  readonly onFailed: (reason: unknown) => void
}

/** Pieces that stay opened: each takes a few megabytes. */
const openMax = 40

/** Opens the pieces of a film when they are asked for, and forgets the oldest. */
export class OpenPieces implements FilmSource {
  #overview: FilmOverview
  readonly #load: (at: number) => Promise<Piece>
  readonly #open = new Map<number, OpenPiece>()
  readonly #opening = new Map<number, Promise<OpenPiece>>()
  readonly #told: FilmEars
  /** Rises when what was opened is not true any more. */
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
   * The film as it is now. A piece that has grown is opened anew when it is asked for, and shown as it was until then;
   * after a run went back in time no piece is known.
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
      if (span.toUs < fromUs || span.fromUs > toUs) continue
      const piece = this.#open.get(at)
      if (piece === undefined || piece.span.last !== span.last) this.#openLater(at)
      if (piece !== undefined) found.push(piece)
    }
    return found
  }

  countBetween(fromUs: number, toUs: number): number {
    return this.#overview.pieces.filter((span) => span.toUs >= fromUs && span.fromUs <= toUs).length
  }

  async piece(at: number): Promise<OpenPiece> {
    const known = this.#open.get(at)
    if (known !== undefined && known.span.last === this.#overview.pieces[at]?.last) {
      // The one that was asked for last is forgotten last.
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

  /** A piece that cannot be had now is asked for again when it is next drawn. */
  #openLater(at: number): void {
    if (!this.#opening.has(at)) this.piece(at).then(this.#told.onOpen, this.#told.onFailed)
  }

  async #opened(at: number): Promise<OpenPiece> {
    const span = this.#overview.pieces[at]
    if (span === undefined) throw new RangeError(`the film has no piece ${at}`)
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
