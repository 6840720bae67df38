import asn1 from 'node-forge/lib/asn1.js'
import { byteStringOf, bytesOf, hex, utf8 } from '../base/bytes.ts'
import { invariant } from '../base/invariant.ts'
import { err, ok, type Result } from '../base/result.ts'

/**
 * Distinguished Encoding Rules of ASN.1 (ITU-T X.690), as far as certificates need them. This is the one place that
 * writes and reads them, and the only one that knows the package that does it.
 */

/**
 * One value, written here or read. `content`: the inner values of a constructed value, otherwise the bytes as a byte
 * string.
 */
export interface Der {
  /** The identifier octet: class, whether it is constructed, number. */
  readonly tag: number
  readonly parts: readonly Der[]
  readonly content: string
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  asn1Null: 0x05,
  objectId: 0x06,
  utf8Text: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  setOf: 0x31,
} as const

const constructedBit = 0x20
const classBits = 0xc0
const numberBits = 0x1f
const bmpText = 0x1e

type Asn1 = ReturnType<typeof asn1.create>

const leaf = (tag: number, content: string): Der => ({ tag, parts: [], content })
const branch = (tag: number, parts: readonly Der[]): Der => ({ tag, parts, content: '' })

export const sequence = (...parts: readonly Der[]): Der => branch(tags.sequence, parts)
export const setOf = (...parts: readonly Der[]): Der => branch(tags.setOf, parts)
export const octets = (bytes: Uint8Array): Der => leaf(tags.octets, byteStringOf(bytes))
/** Encloses a value in an octet string, as extensions do. */
export const octetsOf = (value: Der): Der => leaf(tags.octets, derText(value))
export const utf8Text = (text: string): Der => leaf(tags.utf8Text, byteStringOf(utf8(text)))
export const yes: Der = leaf(tags.boolean, '\xff')
export const asn1Null: Der = leaf(tags.asn1Null, '')

/** Encodes an unsigned number, the highest byte first. */
export function integer(bytes: Uint8Array): Der {
  let from = 0
  while (from < bytes.length - 1 && bytes[from] === 0) from++
  const digits = byteStringOf(bytes.subarray(from))
  return leaf(tags.integer, (bytes[from] ?? 0) >= 0x80 ? `\x00${digits}` : digits)
}

/** `unused`: number of bits at the end of the last byte that do not count. */
export const bits = (bytes: Uint8Array, unused = 0): Der =>
  leaf(tags.bits, String.fromCharCode(unused) + byteStringOf(bytes))

/** A context-specific tag that replaces the value's own tag (IMPLICIT). */
export const tagged = (number: number, bytes: Uint8Array): Der => leaf(0x80 | number, byteStringOf(bytes))
/** A context-specific tag around values (EXPLICIT). */
export const around = (number: number, ...parts: readonly Der[]): Der => branch(0xa0 | number, parts)

/** `2.5.4.3`. */
export const objectId = (dotted: string): Der => leaf(tags.objectId, asn1.oidToDer(dotted).getBytes())

/** `2026-11-21T03:19:40Z`: two digits of the year until 2049, four from then on. RFC 5280, section 4.1.2.5. */
export function time(utc: string): Der {
  const digits = utc.replace(/[-:T]/g, '')
  return utc < '2050' ? leaf(tags.utcTime, digits.slice(2)) : leaf(tags.generalizedTime, digits)
}

export function encoded(value: Der): Uint8Array {
  return bytesOf(derText(value))
}

/** Encodes a value as a byte string. */
export function derText(value: Der): string {
  return asn1.toDer(toPackage(value)).getBytes()
}

function toPackage({ tag, parts, content }: Der): Asn1 {
  const isBranch = (tag & constructedBit) !== 0
  return asn1.create(tag & classBits, tag & numberBits, isBranch, isBranch ? parts.map(toPackage) : content)
}

/** Maximum depth, more than that of any certificate: a name in one is at depth six. */
export const depthMax = 16
/** Maximum number of values: more than the largest certificates have. */
export const valuesMax = 2_048

/**
 * Returns the single value that these bytes encode, or what is wrong with them. Input longer than `bytesMax` is refused
 * unread.
 *
 * To check that the bytes are DER and not another encoding, the parsed value is encoded again: the result must be the
 * same bytes. So lengths are minimal, nothing follows, and the bytes of each inner value are those that `encoded`
 * returns for it.
 */
export function readDer(bytes: Uint8Array, bytesMax: number): Result<Der, string> {
  if (bytes.length > bytesMax) return err(`it is longer than ${bytesMax} bytes`)
  return readDerText(byteStringOf(bytes))
}

/** As `readDer`, for a byte string whose length is limited already, because it is part of another value. */
export function readDerText(text: string): Result<Der, string> {
  let read: Asn1
  try {
    read = asn1.fromDer(text, { strict: true, parseAllBytes: true, decodeBitStrings: false, maxDepth: depthMax })
    if (asn1.toDer(read).getBytes() !== text) return err('it is not valid DER')
  } catch {
    // The package throws for bytes that cannot be read; its message is not shown to their sender.
    return err('it is not valid DER, or nested too deeply')
  }
  const left = { values: valuesMax }
  const value = fromPackage(read, left)
  if (left.values < 0) return err(`it has more than ${valuesMax} values`)
  return value === undefined ? err('it has an ASN.1 tag that certificates do not use') : ok(value)
}

function fromPackage(read: Asn1, left: { values: number }): Der | undefined {
  if (--left.values < 0) return undefined
  // The package cannot read tag numbers from 31 on, which take more bytes; and it decodes a text of two-byte
  // characters.
  if (read.type === numberBits || read.type === bmpText) return undefined
  const tag = read.tagClass | read.type | (read.constructed ? constructedBit : 0)
  if (typeof read.value === 'string') return leaf(tag, read.value)
  const parts: Der[] = []
  for (const each of read.value) {
    const part = fromPackage(each, left)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return branch(tag, parts)
}

/** Returns for example `1.2.840.10045.2.1`; undefined if the content is not that of an object identifier. */
export function dottedId({ tag, content }: Der): string | undefined {
  if (tag !== tags.objectId || content === '' || content.charCodeAt(content.length - 1) >= 0x80) return undefined
  // A component with leading zeros has a shorter encoding.
  if (/(^|[^\x80-\xff])\x80/.test(content)) return undefined
  try {
    return asn1.derToOid(content)
  } catch {
    // An identifier of more than 53 bits is unknown here, but allowed.
    return `hex:${hex(bytesOf(content))}`
  }
}

/** Parses a value that was parsed or written before, and therefore is valid. */
export function parsed(bytes: Uint8Array): Der {
  const read = readDerText(byteStringOf(bytes))
  invariant(read.ok, 'bytes that were valid DER before are still valid DER')
  return read.value
}
