import { ok, type Result } from '../../../src/base/result.ts'
import { openFrame } from '../../../src/gossip/wire/frame-opening.ts'
import { unseal } from '../../../src/gossip/wire/sealed.ts'
import { wholly } from '../../../src/gossip/wire/sliced.ts'
import { type FrameSealing, type StreamFrame, StreamFrameReader } from '../../../src/gossip/wire/stream-frame.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'

/** Reads the frame of a stream all at once, as soon as it is there. */
export class FrameReading {
  readonly #reader: StreamFrameReader
  readonly #sealing: FrameSealing | undefined

  constructor(sealing?: FrameSealing) {
    this.#reader = new StreamFrameReader(sealing)
    this.#sealing = sealing
  }

  push(bytes: Uint8Array): Result<StreamFrame | undefined, string> {
    const whole = this.#reader.push(bytes)
    if (!whole.ok) return whole
    return whole.value === undefined ? ok(undefined) : wholly(openFrame(whole.value, this.#sealing))
  }
}

/** By the first of the keys that opens it. */
export function unsealWith(keys: readonly Uint8Array[], sealed: Uint8Array, head: Uint8Array): Uint8Array | undefined {
  for (const key of keys) {
    const plain = unseal(hostCrypto, key, sealed, head)
    if (plain !== undefined) return plain
  }
  return undefined
}

/** As `Sealing` does it: each key is a slice. */
export function* unsealing(
  keys: readonly Uint8Array[],
  sealed: Uint8Array,
  head: Uint8Array,
): Generator<number, Uint8Array | undefined, void> {
  yield 1
  return unsealWith(keys, sealed, head)
}
