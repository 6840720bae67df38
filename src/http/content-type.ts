import { byteAt } from '../base/items.ts'

/** The first 512 bytes decide. Source: WHATWG MIME Sniffing, the tables that the field's servers use. */
const sniffedBytes = 512

export const plainText = 'text/plain; charset=utf-8'
const html = 'text/html; charset=utf-8'
const unknown = 'application/octet-stream'

/** Tags that make a document HTML when a space or `>` follows; any case, after white space. */
const htmlTags = [
  '<!DOCTYPE HTML',
  '<HTML',
  '<HEAD',
  '<SCRIPT',
  '<IFRAME',
  '<H1',
  '<DIV',
  '<FONT',
  '<TABLE',
  '<A',
  '<STYLE',
  '<TITLE',
  '<B',
  '<BODY',
  '<BR',
  '<P',
  '<!--',
]

/** In a pattern: matches any byte. No byte has this code. */
const any = '\u0100'
const anyFour = any.repeat(4)

/** Byte patterns from the start, as byte strings. Tried in order. */
const patterns: readonly (readonly [pattern: string, type: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['%!PS-Adobe-', 'application/postscript'],
  [`\xfe\xff${any}${any}`, 'text/plain; charset=utf-16be'],
  [`\xff\xfe${any}${any}`, 'text/plain; charset=utf-16le'],
  [`\xef\xbb\xbf${any}`, plainText],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['BM', 'image/bmp'],
  [`RIFF${anyFour}WEBPVP`, 'image/webp'],
  ['\x00\x00\x01\x00', 'image/vnd.microsoft.icon'],
  [`RIFF${anyFour}WAVE`, 'audio/wave'],
  [`FORM${anyFour}AIFF`, 'audio/aiff'],
  ['.snd', 'audio/basic'],
  ['OggS\x00', 'application/ogg'],
  ['MThd\x00\x00\x00\x06', 'audio/midi'],
  ['ID3', 'audio/mpeg'],
  [`RIFF${anyFour}AVI `, 'video/avi'],
  [`${any.repeat(34)}LP`, 'application/vnd.ms-fontobject'],
  ['\x00\x01\x00\x00', 'application/font-ttf'],
  ['OTTO', 'application/font-off'],
  ['ttcf', 'application/font-cff'],
  ['wOFF', 'application/font-woff'],
  ['\x1a\x45\xdf\xa3', 'video/webm'],
  ['Rar \x1a\x07\x00', 'application/x-rar-compressed'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b\x08', 'application/x-gzip'],
]

/** The type of bytes without a declared type. Always a valid type. */
export function sniffContentType(bytes: Uint8Array): string {
  const data = bytes.subarray(0, sniffedBytes)
  const start = firstNonSpace(data)
  if (data[start] === 0x3c) {
    if (htmlTags.some((tag) => beginsWithTag(data, start, tag))) return html
    if (matches(data, start, '<?xml')) return 'text/xml; charset=utf-8'
  }
  for (const [pattern, type] of patterns) if (matches(data, 0, pattern)) return type
  if (isMp4(data)) return 'video/mp4'
  return data.subarray(start).some(isBinaryByte) ? unknown : plainText
}

function firstNonSpace(data: Uint8Array): number {
  let at = 0
  while (at < data.length && (data[at] === 0x20 || [0x09, 0x0a, 0x0c, 0x0d].includes(byteAt(data, at)))) at++
  return at
}

function beginsWithTag(data: Uint8Array, from: number, tag: string): boolean {
  if (data.length - from <= tag.length) return false
  for (let i = 0; i < tag.length; i++) {
    const wanted = tag.charCodeAt(i)
    const letter = wanted >= 0x41 && wanted <= 0x5a
    const byte = byteAt(data, from + i)
    if ((letter ? byte & 0xdf : byte) !== wanted) return false
  }
  const next = data[from + tag.length]
  return next === 0x20 || next === 0x3e
}

function matches(data: Uint8Array, from: number, pattern: string): boolean {
  if (data.length - from < pattern.length) return false
  for (let i = 0; i < pattern.length; i++) {
    const wanted = pattern.charCodeAt(i)
    if (wanted < 0x100 && data[from + i] !== wanted) return false
  }
  return true
}

/** WHATWG MIME Sniffing 6.2.1: a `ftyp` box that names an mp4 brand. */
function isMp4(data: Uint8Array): boolean {
  if (data.length < 12 || !matches(data, 4, 'ftyp')) return false
  const boxSize = new DataView(data.buffer, data.byteOffset).getUint32(0)
  if (boxSize % 4 !== 0 || data.length < boxSize) return false
  for (let at = 8; at < boxSize; at += 4) if (at !== 12 && matches(data, at, 'mp4')) return true
  return false
}

function isBinaryByte(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f)
}
