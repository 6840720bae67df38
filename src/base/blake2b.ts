/**
 * BLAKE2b with a digest of 32 bytes and without a key. Source: RFC 7693. Words of 64 bits are pairs of 32, low first, for
 * arithmetic on bigints takes many times as long.
 */
export function blake2b256(bytes: Uint8Array): Uint8Array {
  const state = Uint32Array.from(initial)
  // Parameter block: 32 bytes of digest, no key, fanout and depth 1. RFC 7693, 2.5.
  state[0] = (state[0] as number) ^ 0x01010020
  const block = new Uint8Array(blockBytes)
  const words = new Uint32Array(blockBytes / 4)
  // All blocks but the last, which is there also where there are no bytes.
  const last = Math.max(0, Math.ceil(bytes.length / blockBytes) - 1) * blockBytes
  for (let at = 0; at <= last; at += blockBytes) {
    const part = bytes.subarray(at, at + blockBytes)
    block.fill(0)
    block.set(part)
    for (let i = 0; i < words.length; i++) words[i] = wordAt(block, 4 * i)
    compress(state, words, at + part.length, at === last)
  }
  return Uint8Array.from({ length: 32 }, (_, i) => ((state[i >> 2] as number) >>> (8 * (i & 3))) & 0xff)
}

const blockBytes = 128

/** Those of SHA-512: the fractional parts of the square roots of the first eight primes. */
const initial: readonly number[] = [
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a, 0xade682d1,
  0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
]

/** In which order each round takes the words of the block; the last two are the first two again. RFC 7693, 2.7. */
const orders: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]
const rounds = 12

/** The four words that each step of a round mixes. */
const steps: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
]

function wordAt(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]] as [number, number, number, number]
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
}

/** `count`: bytes up to the end of this block, far below 2^53. */
function compress(state: Uint32Array, block: Uint32Array, count: number, isLast: boolean): void {
  const work = new Uint32Array(32)
  work.set(state)
  work.set(initial, 16)
  work[24] = (work[24] as number) ^ (count >>> 0)
  work[25] = (work[25] as number) ^ Math.floor(count / 0x1_0000_0000)
  if (isLast) {
    work[28] = ~(work[28] as number)
    work[29] = ~(work[29] as number)
  }
  for (let round = 0; round < rounds; round++) {
    const order = orders[round % orders.length] as readonly number[]
    steps.forEach(([a, b, c, d], i) => {
      mix(work, [2 * a, 2 * b, 2 * c, 2 * d], block, 2 * (order[2 * i] as number), 2 * (order[2 * i + 1] as number))
    })
  }
  for (let i = 0; i < 16; i++) state[i] = (state[i] as number) ^ (work[i] as number) ^ (work[i + 16] as number)
}

/** RFC 7693, 3.1. Places are those of the low halves. */
function mix(
  work: Uint32Array,
  [a, b, c, d]: readonly [number, number, number, number],
  block: Uint32Array,
  x: number,
  y: number,
): void {
  add(work, a, work[b] as number, work[b + 1] as number)
  add(work, a, block[x] as number, block[x + 1] as number)
  rotate(work, d, a, 32)
  add(work, c, work[d] as number, work[d + 1] as number)
  rotate(work, b, c, 24)
  add(work, a, work[b] as number, work[b + 1] as number)
  add(work, a, block[y] as number, block[y + 1] as number)
  rotate(work, d, a, 16)
  add(work, c, work[d] as number, work[d + 1] as number)
  rotate(work, b, c, 63)
}

function add(work: Uint32Array, at: number, low: number, high: number): void {
  const sum = (work[at] as number) + low
  work[at] = sum
  work[at + 1] = (work[at + 1] as number) + high + (sum > 0xffff_ffff ? 1 : 0)
}

/** What two words differ in, turned to the right, takes the place of the first. */
function rotate(work: Uint32Array, at: number, other: number, by: 16 | 24 | 32 | 63): void {
  const low = (work[at] as number) ^ (work[other] as number)
  const high = (work[at + 1] as number) ^ (work[other + 1] as number)
  switch (by) {
    case 32:
      work[at] = high
      work[at + 1] = low
      return
    case 63:
      work[at] = (low << 1) | (high >>> 31)
      work[at + 1] = (high << 1) | (low >>> 31)
      return
    default:
      work[at] = (low >>> by) | (high << (32 - by))
      work[at + 1] = (high >>> by) | (low << (32 - by))
  }
}
