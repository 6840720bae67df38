import type { FilmOverview, Piece } from '../../picture/film-format.ts'
import type { PlayError, PlayPiece } from '../../play/play-api.ts'
import { unpacked } from '../document-film.ts'
import { type FilmEars, OpenPieces } from '../film-source.ts'

/** An answer of the session, or the reason why there is none, as text. */
export type Answered<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string }

/** Asks the session that the page shows: over HTTP, or in a worker of the page. `body` is JSON, empty for `GET`. */
export type Channel = (method: 'GET' | 'POST', path: string, body: string) => Promise<Answered<string>>

export function parsedAnswer<Value>(answer: Answered<string>): Answered<Value> {
  return answer.ok ? { ok: true, value: JSON.parse(answer.value) as Value } : answer
}

/** The text of an answer with this status. */
export function answeredWith(isDone: boolean, text: string): Answered<string> {
  return isDone ? { ok: true, value: text } : { ok: false, error: (JSON.parse(text) as PlayError).error }
}

/** The film of a run of which the session tells. */
export function filmOf(overview: FilmOverview, channel: Channel, ears: FilmEars): OpenPieces {
  const load = async (at: number): Promise<Piece> => {
    const answer = parsedAnswer<PlayPiece>(await channel('GET', `piece?at=${at}`, ''))
    if (!answer.ok) throw new Error(answer.error)
    // A full piece is packed like those of a report's page; the last one is still growing.
    return 'packed' in answer.value ? await unpacked<Piece>(answer.value.packed) : answer.value.open
  }
  return new OpenPieces(overview, load, ears)
}
