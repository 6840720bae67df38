import { cut, type Meaning } from '../report/meaning.ts'

/** Bytes that cannot be read, and why, in one clause. */
export function unknown(bytes: number, why?: string): Meaning {
  return { layer: 'unknown', name: 'bytes', bytes, ...(why === undefined ? {} : { why: cut(why) }) }
}

/** Bytes that complete nothing: the rest of the frame is still to come. */
export function part(of: string, bytes: number, held: number): Meaning {
  return { layer: 'part', name: 'frame', of, bytes, held }
}
