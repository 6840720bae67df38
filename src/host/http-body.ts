import type { IncomingMessage } from 'node:http'
import { emptyBytes } from '../base/bytes.ts'
import { itemAt } from '../base/items.ts'
import { bodyBytesMax, type HttpHeaders } from '../env/http.ts'
import { plainBytes } from '../native/plain-bytes.ts'

/**
 * Number of further bytes of a too large body that are read and dropped, so that a client which writes everything
 * before it reads gets its answer; a client that sends more is cut off.
 */
const drainedBytesMax = 16 << 20

/**
 * Maximum size of all bodies that one listener holds while they are read and answered; one that does not fit is
 * refused. Bodies that may be larger than others have as much for themselves, because two of them would otherwise leave
 * no room for any write.
 */
export const heldBodyBytesMax = 256 << 20

/** The sizes of the listener's bodies that are held now. */
export interface HeldBodies {
  heldBytes: number
  /** Size of those that may be larger than `bodyBytesMax`. */
  heldLargeBytes: number
}

/** A body, which counts as held until `release`. */
export interface ReceivedBody {
  readonly body: Uint8Array | 'too-large' | 'no-room' | 'broken'
  release(): void
}

const noBody: ReceivedBody = { body: emptyBytes, release: () => undefined }

export function isWithoutBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
}

/** The whole body; `broken` if the client disconnected or was cut off in the middle of it. */
export function readBody(request: IncomingMessage, held: HeldBodies, bytesMax = bodyBytesMax): Promise<ReceivedBody> {
  if (isWithoutBody(request)) return Promise.resolve(noBody)
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    drain(request)
    return Promise.resolve({ ...noBody, body: 'too-large' })
  }
  const room = bytesMax > bodyBytesMax ? 'heldLargeBytes' : 'heldBytes'
  return new Promise((resolve) => {
    let pieces: Uint8Array[] = []
    let length = 0
    const release = (): void => {
      held[room] -= length
      length = 0
    }
    const giveUp = (body: 'too-large' | 'no-room' | 'broken'): void => {
      pieces = []
      release()
      request.off('data', take)
      if (body !== 'broken') drain(request)
      resolve({ ...noBody, body })
    }
    const take = (piece: Uint8Array): void => {
      length += piece.length
      held[room] += piece.length
      pieces.push(piece)
      if (length > bytesMax) giveUp('too-large')
      else if (held[room] > heldBodyBytesMax) giveUp('no-room')
    }
    const broken = (): void => giveUp('broken')
    request.on('data', take)
    request.once('close', broken)
    request.once('end', () => {
      request.off('close', broken)
      resolve({ body: joined(pieces, length), release })
    })
  })
}

function drain(request: IncomingMessage): void {
  let dropped = 0
  request.on('data', (piece: Uint8Array) => {
    dropped += piece.length
    if (dropped > drainedBytesMax) request.socket.destroy()
  })
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = pieces
  if (first === undefined) return emptyBytes
  return plainBytes(pieces.length === 1 ? first : Buffer.concat(pieces, length))
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
