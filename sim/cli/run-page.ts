import { demandOf, evidenceOf } from '../explain/judged-by.ts'
import { FilmMaker } from '../picture/film.ts'
import { filmPage } from '../picture/film-page.ts'
import type { TraceHeader } from '../report/trace-record.ts'
import type { SimTerminal } from './terminal.ts'

/** Receives the events of a run. */
export function newFilm({ gzip }: SimTerminal, header: TraceHeader): FilmMaker {
  return new FilmMaker({ header, gzip, evidenceOf, demandOf })
}

/** The page of a film that has all its events. */
export function reportPage({ gzip, pageTemplate }: SimTerminal, film: FilmMaker): string {
  return filmPage(pageTemplate('report'), film.end(), gzip)
}
