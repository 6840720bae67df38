import { isList, isRecord } from './shape.ts'

/** Estimated bytes of a list, object or map, of each of its members, and of each text and byte string. */
const containerBytes = 48
const memberBytes = 16
const textBytes = 24
const bytesBytes = 128

/**
 * Estimates the memory of plain data: numbers, texts, byte strings, lists, objects and maps. It is too large rather than
 * too small, because it serves as the measure of bounds. A part that the value has twice counts twice.
 */
export function memoryOf(value: unknown): number {
  if (typeof value === 'string') return textBytes + value.length * 2
  if (value instanceof Uint8Array) return bytesBytes + value.length
  if (isList(value)) return value.reduce<number>((sum, item) => sum + memberBytes + memoryOf(item), containerBytes)
  if (value instanceof Map) {
    let sum = containerBytes
    for (const [key, member] of value) sum += 2 * memberBytes + memoryOf(key) + memoryOf(member)
    return sum
  }
  if (!isRecord(value)) return 0
  let sum = containerBytes
  for (const name of Object.keys(value)) sum += memberBytes + memoryOf(value[name])
  return sum
}
