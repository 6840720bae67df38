import type { IncomingMessage } from 'node:http'
import { emptyBytes } from '../base/bytes.ts'
import { itemAt } from '../base/items.ts'
import { Pieces } from '../base/pieces.ts'
import { sourceOf } from '../base/source-shares.ts'
import { bodyBytesMax, type HttpHeaders } from '../env/http.ts'
import { plainBytes } from '../native/plain-bytes.ts'
import { BodyPace, type PacedBody } from './http-pace.ts'

/**
 * Number of further bytes of a too large body that are read and dropped, so that a client which writes everything
 * before it reads gets its answer; a client that sends more is cut off.
 */
const drainedBytesMax = 16 << 20

/**
 * Further bytes as which each piece of a body counts while it is dropped: chunks of single bytes (RFC 9112, section 7.1)
 * take some hundred times the CPU time of the same bytes in one piece.
 */
const pieceBytes = 64
/**
 * A client whose pieces of a body have fewer bytes on average than this is cut off, beyond some of them. A producer that
 * writes line by line has more.
 */
const meanPieceBytesMin = 4
const smallPiecesMax = 16_384

/**
 * Maximum size of all bodies that one listener holds while they are read and answered; one that does not fit is
 * refused. Bodies that may be larger than others have as much for themselves, because two of them would otherwise leave
 * no room for any write.
 */
export const heldBodyBytesMax = 256 << 20

/** Maximum share of one source, except for bodies that may be larger than others: half. */
export const heldBodyBytesPerSourceMax = heldBodyBytesMax / 2

/** The bodies of one listener that are held now: their sizes, and how fast those come that are being read. */
export class HeldBodies {
  readonly pace = new BodyPace()
  heldBytes = 0
  /** Size of those that may be larger than `bodyBytesMax`. */
  heldLargeBytes = 0
  /** Of the others, the size by source. */
  readonly #ofSources = new Map<string, number>()

  /** Negative: they are released. `source` undefined: a client of this machine, which has no share. */
  add(bytes: number, isLarge: boolean, source: string | undefined): void {
    if (isLarge) {
      this.heldLargeBytes += bytes
      return
    }
    this.heldBytes += bytes
    if (source === undefined) return
    const now = (this.#ofSources.get(source) ?? 0) + bytes
    if (now > 0) this.#ofSources.set(source, now)
    else this.#ofSources.delete(source)
  }

  areTooMany(isLarge: boolean, source: string | undefined): boolean {
    if (isLarge) return this.heldLargeBytes > heldBodyBytesMax
    if (this.heldBytes > heldBodyBytesMax) return true
    return source !== undefined && (this.#ofSources.get(source) ?? 0) > heldBodyBytesPerSourceMax
  }
}

type Unread = 'too-large' | 'no-room' | 'too-slow' | 'broken'

/** A body, which counts as held until `release`. */
export interface ReceivedBody {
  readonly body: Uint8Array | Unread
  release(): void
}

const noBody: ReceivedBody = { body: emptyBytes, release: () => undefined }

export function isWithoutBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
}

/**
 * The whole body; `too-slow` if it did not come in its time, and then the rest is not read; `broken` if the client
 * disconnected or was cut off in the middle of it. `from`: the client's address; empty for one that came through a Unix
 * socket.
 */
export function readBody(
  request: IncomingMessage,
  held: HeldBodies,
  from: string,
  bytesMax = bodyBytesMax,
): Promise<ReceivedBody> {
  if (isWithoutBody(request)) return Promise.resolve(noBody)
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    drain(request, held.pace)
    return Promise.resolve({ ...noBody, body: 'too-large' })
  }
  const isLarge = bytesMax > bodyBytesMax
  const source = from === '' ? undefined : sourceOf(from)
  return new Promise((resolve) => {
    const pieces = new Pieces()
    let count = 0
    let length = 0
    const release = (): void => {
      held.add(-length, isLarge, source)
      length = 0
    }
    const giveUp = (body: Unread): void => {
      held.pace.end(paced)
      pieces.take()
      release()
      request.off('data', take)
      if (body === 'too-large' || body === 'no-room') drain(request, held.pace)
      resolve({ ...noBody, body })
    }
    const paced = held.pace.begin(() => giveUp('too-slow'))
    const take = (piece: Uint8Array): void => {
      length += piece.length
      paced.bytes += piece.length
      held.add(piece.length, isLarge, source)
      pieces.push(piece)
      count++
      if (count > smallPiecesMax + length / meanPieceBytesMin) request.socket.destroy()
      else if (length > bytesMax) giveUp('too-large')
      else if (held.areTooMany(isLarge, source)) giveUp('no-room')
    }
    const broken = (): void => giveUp('broken')
    request.on('data', take)
    request.once('close', broken)
    request.once('end', () => {
      request.off('close', broken)
      held.pace.end(paced)
      resolve({ body: plainBytes(pieces.take()), release })
    })
  })
}

function drain(request: IncomingMessage, pace: BodyPace): void {
  const paced: PacedBody = pace.begin(() => request.socket.destroy())
  request.once('close', () => pace.end(paced))
  let dropped = 0
  request.on('data', (piece: Uint8Array) => {
    paced.bytes += piece.length
    dropped += piece.length + pieceBytes
    if (dropped > drainedBytesMax) request.socket.destroy()
  })
}

/** Headers in the form of the contract, from Node's list of alternating names and values as sent. */
export function joinedHeaders(raw: readonly string[]): HttpHeaders {
  const headers = new Map<string, string>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = itemAt(raw, at).toLowerCase()
    const value = itemAt(raw, at + 1)
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return headers
}
