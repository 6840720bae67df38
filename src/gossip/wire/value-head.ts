import { byteAt } from '../../base/items.ts'

/**
 * The head of the MessagePack value that begins at one place. `size`: the number itself for a `uint` and a `bool` (0 or
 * 1), bytes of content for `raw` and `other`, items of an array, entries of a map. `length`: bytes of the head alone.
 * Signed integers that are not negative count as unsigned.
 */
export interface Head {
  readonly type: 'uint' | 'nil' | 'bool' | 'raw' | 'array' | 'map' | 'other'
  readonly size: number
  readonly length: number
}

/** Undefined if the bytes end within the head, or for the one byte with which no value begins. */
export function headAt(bytes: Uint8Array, at: number): Head | undefined {
  if (at >= bytes.length) return undefined
  const first = byteAt(bytes, at)
  if (first < 0x80) return { type: 'uint', size: first, length: 1 }
  if (first < 0x90) return { type: 'map', size: first & 15, length: 1 }
  if (first < 0xa0) return { type: 'array', size: first & 15, length: 1 }
  if (first < 0xc0) return { type: 'raw', size: first & 31, length: 1 }
  // A small negative number.
  if (first >= 0xe0) return { type: 'other', size: 0, length: 1 }
  const form = forms[first - 0xc0]
  if (form === undefined || at + 1 + form.width > bytes.length) return undefined
  const size = form.width === 0 ? form.size : form.size + digitsAt(bytes, at + 1, form.width)
  if (form.type === 'int') {
    const negative = byteAt(bytes, at + 1) >= 0x80
    return { type: negative ? 'other' : 'uint', size: negative ? 0 : size, length: 1 + form.width }
  }
  return { type: form.type, size, length: 1 + form.width }
}

/** Beyond 2^53 the number is only approximate, which suffices to refuse it as too large. */
function digitsAt(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let i = 0; i < width; i++) value = value * 256 + byteAt(bytes, at + i)
  return value
}

interface Form {
  readonly type: Head['type'] | 'int'
  /** Bytes after the first one that belong to the head. */
  readonly width: number
  /** Added to the number in the head. */
  readonly size: number
}

function form(type: Form['type'], width: number, size = 0): Form {
  return { type, width, size }
}

/** By first byte, from 0xc0 to 0xdf. Source: the MessagePack specification, "formats". */
const forms: readonly (Form | undefined)[] = [
  form('nil', 0),
  undefined,
  form('bool', 0, 0),
  form('bool', 0, 1),
  // bin 8 to 32
  form('raw', 1),
  form('raw', 2),
  form('raw', 4),
  // ext 8 to 32: a type byte goes before the content
  form('other', 1, 1),
  form('other', 2, 1),
  form('other', 4, 1),
  // float 32 and 64
  form('other', 0, 4),
  form('other', 0, 8),
  form('uint', 1),
  form('uint', 2),
  form('uint', 4),
  form('uint', 8),
  form('int', 1),
  form('int', 2),
  form('int', 4),
  form('int', 8),
  // fixext 1 to 16
  form('other', 0, 2),
  form('other', 0, 3),
  form('other', 0, 5),
  form('other', 0, 9),
  form('other', 0, 17),
  // str 8 to 32; the last two are the old raw 16 and 32
  form('raw', 1),
  form('raw', 2),
  form('raw', 4),
  form('array', 2),
  form('array', 4),
  form('map', 2),
  form('map', 4),
]
