import type { Dice } from '../dice.ts'
import type { Words } from './coverage.ts'

const oddNumbers = [0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 129, 191, 192, 223, 224, 255]
const oddLengths = [
  0, 1, 255, 256, 1_024, 4_095, 4_096, 32_767, 32_768, 65_535, 65_536, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff,
]

export interface MutationParts {
  readonly dice: Dice
  readonly words: Words
  /** Others to take pieces from. */
  readonly corpus: readonly Uint8Array[]
  readonly lengthMax: number
}

type Change = (bytes: Uint8Array, parts: MutationParts) => Uint8Array

/** One input made from another by a few changes, each of a kind that breaks decoders. */
export function mutated(from: Uint8Array, parts: MutationParts): Uint8Array {
  let bytes = from
  // Mostly one or two, now and then many.
  const changes = 1 << parts.dice.below(parts.dice.below(4) + 1)
  for (let times = 0; times < changes; times++) bytes = parts.dice.pick(kinds)(bytes, parts)
  return bytes.length > parts.lengthMax ? bytes.slice(0, parts.lengthMax) : bytes
}

/** How often each comes is in how often it stands here. */
const kinds: readonly Change[] = [
  flipBit,
  setByte,
  setByte,
  setByte,
  setOdd,
  setOdd,
  setNumber,
  addNumber,
  insertRandom,
  remove,
  remove,
  remove,
  duplicate,
  repeat,
  putWord,
  putWord,
  insertWord,
  insertWord,
  replaceShort,
  replaceShort,
  splice,
  insertFromOther,
  truncate,
]

function flipBit(bytes: Uint8Array, { dice }: MutationParts): Uint8Array {
  return changed(bytes, dice, (copy, at) => {
    copy[at] = (copy[at] ?? 0) ^ (1 << dice.below(8))
  })
}

function setByte(bytes: Uint8Array, { dice }: MutationParts): Uint8Array {
  return changed(bytes, dice, (copy, at) => {
    copy[at] = dice.below(256)
  })
}

function setOdd(bytes: Uint8Array, { dice }: MutationParts): Uint8Array {
  return changed(bytes, dice, (copy, at) => {
    copy[at] = dice.pick(oddNumbers)
  })
}

/** Numbers of two or four bytes, in either order: lengths and counts. */
function setNumber(bytes: Uint8Array, { dice }: MutationParts): Uint8Array {
  const [width, value] = [dice.pick([2, 4]), dice.pick(oddLengths)]
  const isLittle = dice.below(2) === 0
  return changed(bytes, dice, (copy, at) => {
    for (let i = 0; i < width && at + i < copy.length; i++) {
      copy[at + i] = value >>> (8 * (isLittle ? i : width - 1 - i))
    }
  })
}

function addNumber(bytes: Uint8Array, { dice }: MutationParts): Uint8Array {
  return changed(bytes, dice, (copy, at) => {
    copy[at] = (copy[at] ?? 0) + dice.below(17) - 8
  })
}

function insertRandom(bytes: Uint8Array, { dice }: MutationParts): Uint8Array {
  const more = Uint8Array.from({ length: 1 + dice.below(8) }, () => dice.below(256))
  return inserted(bytes, dice.below(bytes.length + 1), more)
}

function remove(bytes: Uint8Array, { dice }: MutationParts): Uint8Array {
  const [from, to] = span(bytes, dice)
  return joined(bytes.subarray(0, from), bytes.subarray(to))
}

function duplicate(bytes: Uint8Array, { dice }: MutationParts): Uint8Array {
  const [from, to] = span(bytes, dice)
  return inserted(bytes, to, bytes.subarray(from, to))
}

/** Many times over: what takes more than its share of time or memory shows itself by that. */
function repeat(bytes: Uint8Array, { dice, lengthMax }: MutationParts): Uint8Array {
  const [from, to] = span(bytes, dice)
  const piece = bytes.subarray(from, to)
  const room = Math.max(0, lengthMax - bytes.length)
  const times = Math.min(1 << dice.below(dice.below(13) + 1), Math.floor(room / Math.max(1, piece.length)))
  const more = new Uint8Array(piece.length * times)
  for (let at = 0; at < more.length; at += piece.length) more.set(piece, at)
  return inserted(bytes, to, more)
}

function wordOf({ own, odd }: Words, dice: Dice): Uint8Array {
  return dice.pick(own.length === 0 || dice.below(8) === 0 ? odd : own)
}

function putWord(bytes: Uint8Array, { dice, words }: MutationParts): Uint8Array {
  const word = wordOf(words, dice)
  return changed(bytes, dice, (copy, at) => copy.set(word.subarray(0, copy.length - at), at))
}

function insertWord(bytes: Uint8Array, { dice, words }: MutationParts): Uint8Array {
  return inserted(bytes, dice.below(bytes.length + 1), wordOf(words, dice))
}

/** Other texts where one stands behind its length: as MessagePack has short ones, or with a byte for the length. */
function replaceShort(bytes: Uint8Array, { dice, words }: MutationParts): Uint8Array {
  const word = wordOf(words, dice).subarray(0, 31)
  const [base, mask] = dice.pick([
    [0xa0, 0x1f],
    [0, 0xff],
  ] as const)
  const from = dice.below(bytes.length + 1)
  for (let at = from; at < Math.min(bytes.length, from + scanned); at++) {
    const [head, length] = [bytes[at] as number, (bytes[at] as number) & mask]
    if ((head & ~mask) !== base || length === 0 || length > 64 || at + 1 + length > bytes.length) continue
    return joined(bytes.subarray(0, at), Uint8Array.of(base | word.length), word, bytes.subarray(at + 1 + length))
  }
  return inserted(bytes, from, joined(Uint8Array.of(base | word.length), word))
}

/** Bytes within which a text is sought. */
const scanned = 64

function splice(bytes: Uint8Array, { dice, corpus }: MutationParts): Uint8Array {
  const other = dice.pick(corpus)
  return joined(bytes.subarray(0, dice.below(bytes.length + 1)), other.subarray(dice.below(other.length + 1)))
}

function insertFromOther(bytes: Uint8Array, { dice, corpus }: MutationParts): Uint8Array {
  const other = dice.pick(corpus)
  return inserted(bytes, dice.below(bytes.length + 1), other.subarray(...span(other, dice)))
}

function truncate(bytes: Uint8Array, { dice }: MutationParts): Uint8Array {
  return bytes.subarray(0, dice.below(bytes.length + 1))
}

function changed(bytes: Uint8Array, dice: Dice, change: (copy: Uint8Array, at: number) => void): Uint8Array {
  if (bytes.length === 0) return bytes
  const copy = bytes.slice()
  change(copy, dice.below(copy.length))
  return copy
}

/** Short pieces more often than long ones. */
function span(bytes: Uint8Array, dice: Dice): [from: number, to: number] {
  const from = dice.below(bytes.length + 1)
  const longest = Math.min(bytes.length - from, 1 << dice.below(12))
  return [from, from + dice.below(longest + 1)]
}

function inserted(bytes: Uint8Array, at: number, more: Uint8Array): Uint8Array {
  return joined(bytes.subarray(0, at), more, bytes.subarray(at))
}

function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
