import { cut, type Meaning } from '../report/meaning.ts'

/** Undecodable bytes, and the reason, as a clause. */
export function unknown(bytes: number, why?: string): Meaning {
  return { layer: 'unknown', name: 'bytes', bytes, ...(why === undefined ? {} : { why: cut(why) }) }
}

/** Bytes that complete no message: the rest of the frame is still to come. */
export function part(of: string, bytes: number, held: number): Meaning {
  return { layer: 'part', name: 'frame', of, bytes, held }
}
