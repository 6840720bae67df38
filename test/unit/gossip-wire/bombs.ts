import { compressed, wrapped } from './compress.ts'

const made = new Map<number, Uint8Array>()

/** So many zeros, compressed once: it takes a second for the largest. */
function zeros(count: number): Uint8Array {
  const known = made.get(count) ?? wrapped(compressed(new Uint8Array(count)))
  made.set(count, known)
  return known
}

/** 13.5 KB on a stream that claim to be 16 MiB. */
export function streamBomb(): Uint8Array {
  return zeros(16 << 20)
}

/** A packet of 42 KB: a compound of 100 compressed parts, each of which claims a little more than a packet may hold. */
export function packetBomb(): Uint8Array {
  const part = zeros(66_000)
  return compound(Array.from({ length: 100 }, () => part))
}

/** The other way round: 42 KB, one compressed message from the outside in. */
export function outermostBomb(): Uint8Array {
  return zeros(50 << 20)
}

function compound(parts: readonly Uint8Array[]): Uint8Array {
  const lengths = parts.flatMap(({ length }) => [length >> 8, length & 255])
  return Uint8Array.from(Buffer.concat([Uint8Array.of(7, parts.length, ...lengths), ...parts]))
}
