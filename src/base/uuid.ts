import { hex } from './bytes.ts'
import { byteAt } from './items.ts'

/** A UUID of version 4 made of 16 random bytes. Source: RFC 4122, section 4.4. */
export function uuidOf(random: Uint8Array): string {
  const bytes = random.slice()
  bytes[6] = (byteAt(bytes, 6) & 0x0f) | 0x40
  bytes[8] = (byteAt(bytes, 8) & 0x3f) | 0x80
  const text = hex(bytes)
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-')
}

const uuidForm = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/gi

/**
 * The text for a log, with everything removed that has the form of a UUID in any spelling, because it may be a secret.
 */
export function hideUuids(text: string): string {
  return text.length < 32 ? text : text.replace(uuidForm, '<hidden>')
}
