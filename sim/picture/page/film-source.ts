import type { TraceRecord } from '../../report/trace-record.ts'
import type { FilmOverview, Piece, PieceSpan } from '../film-format.ts'

/** Pieces that stay opened: each takes a few megabytes. */
const openMax = 40

/** A piece that was opened, with what the page looks up in it. */
export interface OpenPiece {
  readonly span: PieceSpan
  readonly states: Piece['states']
  readonly events: readonly TraceRecord[]
}

/** The film in this document: its overview at once, its pieces when they are asked for. */
export class FilmSource {
  readonly overview: FilmOverview
  readonly #packed: readonly Element[]
  readonly #open = new Map<number, OpenPiece>()
  readonly #opening = new Map<number, Promise<OpenPiece>>()
  readonly #onOpen: () => void

  private constructor(overview: FilmOverview, packed: readonly Element[], onOpen: () => void) {
    this.overview = overview
    this.#packed = packed
    this.#onOpen = onOpen
  }

  static async of(document: Document, onOpen: () => void): Promise<FilmSource> {
    const overview = await unpacked<FilmOverview>(document.querySelector('#overview')?.textContent ?? '')
    return new FilmSource(overview, [...document.querySelectorAll('.piece')], onOpen)
  }

  /** The pieces of these times that are open; those that are not are opened, and `onOpen` is called then. */
  between(fromUs: number, toUs: number): readonly OpenPiece[] {
    const found: OpenPiece[] = []
    for (const [at, span] of this.overview.pieces.entries()) {
      if (span.toUs < fromUs || span.fromUs > toUs) continue
      const piece = this.#open.get(at)
      if (piece === undefined) void this.piece(at).then(this.#onOpen)
      else found.push(piece)
    }
    return found
  }

  /** How many pieces lie between these times. */
  countBetween(fromUs: number, toUs: number): number {
    return this.overview.pieces.filter((span) => span.toUs >= fromUs && span.fromUs <= toUs).length
  }

  async piece(at: number): Promise<OpenPiece> {
    const known = this.#open.get(at)
    if (known !== undefined) {
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
    const at = this.overview.pieces.findIndex(({ first, last }) => n >= first && n <= last)
    return at < 0 ? undefined : (await this.piece(at)).events.find((event) => event.n === n)
  }

  async #opened(at: number): Promise<OpenPiece> {
    const span = this.overview.pieces[at]
    if (span === undefined) throw new RangeError(`the film has no piece ${at}`)
    const { states, events } = await unpacked<Piece>(this.#packed[at]?.textContent ?? '')
    const piece: OpenPiece = { span, states, events: events as readonly TraceRecord[] }
    this.#opening.delete(at)
    this.#open.set(at, piece)
    for (const [oldest] of this.#open) if (this.#open.size > openMax) this.#open.delete(oldest)
    return piece
  }
}

/** What `film-page.ts` packed: JSON in gzip in base64. */
async function unpacked<Value>(text: string): Promise<Value> {
  const bytes = Uint8Array.from(atob(text.trim()), (one) => one.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return (await new Response(stream).json()) as Value
}
