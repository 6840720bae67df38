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
  return await unpackedBody(text).text()
}

/** A body of this media type, such as that of a script, without a copy of it as text. */
export async function unpackedBlob(text: string, type: string): Promise<Blob> {
  return new Blob([await unpackedBody(text).arrayBuffer()], { type })
}

function unpackedBody(text: string): Response {
  const packed = atob(text.trim())
  const bytes = new Uint8Array(packed.length)
  // A megabyte takes a few milliseconds; by way of an iterator over characters it takes half a second.
  for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at)
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')))
}
