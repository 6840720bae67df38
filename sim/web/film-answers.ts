import type { FilmMaker } from '../picture/film.ts'
import type { PlayOverview, PlayPiece } from '../play/play-api.ts'
import { type Answered, refused, said } from './going.ts'

/** The film of a run, to look at. */
export type ShownFilm = Pick<FilmMaker, 'overview' | 'piece'>

/** `version`: grows with the run. */
export function overviewAnswer(film: ShownFilm | undefined, version: number): Answered {
  if (film === undefined) return refused(404, 'nothing has happened that could be shown')
  const told: PlayOverview = { ...film.overview(), world: 1, version }
  return said(told)
}

export function pieceAnswer(film: ShownFilm | undefined, at: number): Answered {
  const found = film?.piece(at)
  if (found === undefined || found === '') return refused(404, 'there is no such piece')
  const piece: PlayPiece = typeof found === 'string' ? { world: 1, packed: found } : { world: 1, open: found }
  return said(piece)
}
