import { emptyBytes, equalBytes } from '../../src/base/bytes.ts'
import { type SealCrypto, unseal } from '../../src/gossip/wire/sealed.ts'
import type { FrameSealing } from '../../src/gossip/wire/stream-frame.ts'

/** Maximum number of remembered keys, as many as a keyring has; the oldest are forgotten first. */
const keysMax = 64

/**
 * The keys with which agents of a run have sealed packets. No packet under way was sealed with another one, whatever
 * the keyrings contain by now.
 */
export class PoolKeys {
  readonly #crypto: Pick<SealCrypto, 'openAesGcm'>
  /** The key that last decrypted or sealed something comes first. */
  readonly #keys: Uint8Array[] = []

  constructor(crypto: Pick<SealCrypto, 'openAesGcm'>) {
    this.#crypto = crypto
  }

  /** An agent seals with this key. */
  sealedWith(key: Uint8Array): void {
    const [first] = this.#keys
    if (first !== undefined && equalBytes(first, key)) return
    const at = this.#keys.findIndex((known) => equalBytes(known, key))
    if (at >= 0) this.#keys.splice(at, 1)
    this.#keys.unshift(key.slice())
    if (this.#keys.length > keysMax) this.#keys.pop()
  }

  /** The text of a packet; undefined if none of the keys decrypts it. */
  openPacket(sealed: Uint8Array): Uint8Array | undefined {
    return this.#open(sealed, emptyBytes)
  }

  /** How the frames of streams are decrypted. Unencrypted frames are read, too. */
  frames(): FrameSealing {
    const keys = this
    return {
      get isOn() {
        return keys.#keys.length > 0
      },
      demands: false,
      seal: (plain) => plain,
      // biome-ignore lint/correctness/useYield: readers of traces do not share their turns.
      *unseal(sealed, additional) {
        return keys.#open(sealed, additional)
      },
    }
  }

  #open(sealed: Uint8Array, additional: Uint8Array): Uint8Array | undefined {
    for (const key of this.#keys) {
      const plain = unseal(this.#crypto, key, sealed, additional)
      if (plain !== undefined) return plain
    }
    return undefined
  }
}
