import { invariant } from '../../base/invariant.ts'
import { type LogIndex, logIndexOf, type Term, termOf } from '../../model/log-position.ts'

/** Big-endian numbers at a place in bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Terms and indexes on disk: 48 bits last for nine thousand years at a thousand a second. */
export const u48Bytes = 6
const u48Max = 0xffff_ffff_ffff

export function writeU48(view: DataView, at: number, value: number): void {
  invariant(Number.isInteger(value) && value >= 0 && value <= u48Max, 'a number fits 48 bits', { value })
  view.setUint16(at, Math.floor(value / 0x1_0000_0000))
  view.setUint32(at + 2, value >>> 0)
}

export function readU48(view: DataView, at: number): number {
  return view.getUint16(at) * 0x1_0000_0000 + view.getUint32(at + 2)
}

export function readIndex(view: DataView, at: number): LogIndex {
  return logIndexOf(readU48(view, at))
}

export function readTerm(view: DataView, at: number): Term {
  return termOf(readU48(view, at))
}
