import type { FilmOverview, Piece } from '../picture/film-format.ts'
import { type FilmEars, type FilmSource, OpenPieces } from './film-source.ts'

/** The film in this document; its overview is opened at once, and its pieces once the whole document has been read. */
export async function documentFilm(document: Document, told: FilmEars): Promise<FilmSource> {
  const overview = await unpacked<FilmOverview>(document.querySelector('#overview')?.textContent ?? '')
  const isRead = readWhole(document)
  const load = async (at: number): Promise<Piece> => {
    await isRead
    return await unpacked<Piece>(document.querySelectorAll('.piece')[at]?.textContent ?? '')
  }
  return new OpenPieces(overview, load, told)
}

function readWhole(document: Document): Promise<unknown> {
  if (document.readyState !== 'loading') return Promise.resolve()
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }))
}

/** Unpacks what `film-page.ts` packed: JSON in gzip in base64. */
export async function unpacked<Value>(text: string): Promise<Value> {
  return JSON.parse(await unpackedText(text)) as Value
}

/** Packs as `film-page.ts` does. */
export async function packedText(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

export async function unpackedText(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.trim()), (one) => one.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return await new Response(stream).text()
}
