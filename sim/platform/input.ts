import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { done, err, type Result } from '../../src/base/result.ts'
import type { InputFailure, TakePiece } from '../cli/terminal.ts'

/** Number of bytes that are read at a time. */
const chunkBytes = 256 << 10

/**
 * Reads a file, a pipe, or with `-` standard input, piece by piece, and decompresses it if its first bytes are gzip's.
 * At most a few pieces are in memory. Rejects with an exception of `take`, and with one that is not a system error:
 * those are errors of the program, and say nothing about the file.
 */
export async function readPieces(file: string, take: TakePiece): Promise<Result<undefined, InputFailure>> {
  const source: Readable = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: chunkBytes })
  let isTaking = false
  try {
    for await (const piece of await expanded(source)) {
      isTaking = true
      if (!(await take(piece as Uint8Array))) break
      isTaking = false
    }
    return done
  } catch (cause) {
    const failure = isTaking ? undefined : failureOf(cause)
    if (failure === undefined) throw cause
    return err(failure)
  } finally {
    source.destroy()
  }
}

async function expanded(source: Readable): Promise<AsyncIterable<unknown>> {
  const pieces = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const first = await pieces.next()
  const all = rejoined(first, pieces)
  const isGzip = first.done !== true && first.value[0] === 0x1f && first.value[1] === 0x8b
  if (!isGzip) return all
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  const packed = Readable.from(all, { objectMode: false })
  packed.on('error', (cause) => gunzip.destroy(cause))
  return packed.pipe(gunzip)
}

async function* rejoined(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  for (let piece = first; piece.done !== true; piece = await rest.next()) yield piece.value
}

const kinds: Readonly<Record<string, InputFailure['kind']>> = {
  ENOENT: 'not-found',
  ENOTDIR: 'not-found',
  EACCES: 'permission',
  EPERM: 'permission',
  EISDIR: 'is-directory',
}

/** Errors of the system, of streams and of zlib have a code; undefined: this one has none. */
function failureOf(cause: unknown): InputFailure | undefined {
  if (!(cause instanceof Error && 'code' in cause)) return undefined
  const { message } = cause
  const code = String(cause.code)
  if (code.startsWith('Z_')) return { kind: 'damaged', message }
  return { kind: kinds[code] ?? 'io', message }
}
