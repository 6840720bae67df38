import { wordAt } from './items.ts'

const wordBytes = 4
const blockWords = 8

/**
 * The length of the bytes without the zeros at their end. A file that was allocated beforehand ends in megabytes of
 * zeros, so the zeros are passed over in blocks of words: that takes a fifth of the time that single bytes take.
 */
export function lengthWithoutZeros(bytes: Uint8Array): number {
  let end = bytes.length
  while (end > 0 && (bytes.byteOffset + end) % wordBytes !== 0 && bytes[end - 1] === 0) end--
  if (end === 0 || bytes[end - 1] !== 0) return end
  // The last zero is the end of a word now.
  const firstWord = -bytes.byteOffset & (wordBytes - 1)
  if (end >= firstWord) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + firstWord, Math.trunc((end - firstWord) / wordBytes))
    end = firstWord + wordBytes * lengthWithoutZeroBlocks(words)
  }
  while (end > 0 && bytes[end - 1] === 0) end--
  return end
}

function lengthWithoutZeroBlocks(words: Int32Array): number {
  let end = words.length
  while (end >= blockWords && orOf(words, end - blockWords) === 0) end -= blockWords
  return end
}

function orOf(words: Int32Array, at: number): number {
  return (
    wordAt(words, at) |
    wordAt(words, at + 1) |
    wordAt(words, at + 2) |
    wordAt(words, at + 3) |
    wordAt(words, at + 4) |
    wordAt(words, at + 5) |
    wordAt(words, at + 6) |
    wordAt(words, at + 7)
  )
}
