import { compareText, textOf } from '../../base/bytes.ts'
import { metaBytesMax } from '../core/bounds.ts'
import { ValueReader } from './value-reader.ts'
import { ValueWriter } from './value-writer.ts'

/**
 * First byte of encoded tags; other bytes are the text of the one tag `role` that the first agents had. Source: serf.
 */
const tagsMark = 0xff

/** A member's tags as its `alive` carries them, in order of their keys; undefined if they take too many bytes. */
export function encodeTags(tags: Readonly<Record<string, string>>): Uint8Array | undefined {
  const entries = Object.entries(tags).sort(([a], [b]) => compareText(a, b))
  const writer = new ValueWriter(metaBytesMax)
  writer.byte(tagsMark)
  writer.mapHead(entries.length)
  for (const [key, value] of entries) {
    writer.text(key)
    writer.text(value)
  }
  const bytes = writer.take()
  return bytes.length > metaBytesMax ? undefined : bytes
}

/** The decoded tags, in order of their keys; none if the bytes are malformed. */
export function decodeTags(meta: Uint8Array): Readonly<Record<string, string>> {
  if (meta.length === 0) return {}
  if (meta[0] !== tagsMark) return { role: textOf(meta) }
  const reader = new ValueReader(meta, 1)
  const tags = new Map<string, string>()
  for (let left = reader.mapHead(); left > 0 && !reader.failed; left--) {
    const key = reader.text(metaBytesMax)
    tags.set(key, reader.text(metaBytesMax))
  }
  if (reader.failed) return {}
  return Object.fromEntries([...tags].sort(([a], [b]) => compareText(a, b)))
}
