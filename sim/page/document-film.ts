import type { FilmOverview, Piece } from '../picture/film-format.ts'
import { type FilmEars, type FilmSource, OpenPieces } from './film-source.ts'

/** The film in this document; its overview is opened at once. */
export async function documentFilm(document: Document, told: FilmEars): Promise<FilmSource> {
  const overview = await unpacked<FilmOverview>(document.querySelector('#overview')?.textContent ?? '')
  const packed = [...document.querySelectorAll('.piece')]
  return new OpenPieces(overview, (at) => unpacked<Piece>(packed[at]?.textContent ?? ''), told)
}

/** Unpacks what `film-page.ts` packed: JSON in gzip in base64. */
export async function unpacked<Value>(text: string): Promise<Value> {
  const bytes = Uint8Array.from(atob(text.trim()), (one) => one.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return (await new Response(stream).json()) as Value
}
