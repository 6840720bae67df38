import { emptyBytes } from '../../base/bytes.ts'
import type { Env } from '../../env/env.ts'
import type { Keyring } from '../keyring.ts'
import type { PoolEncryption } from '../pool.ts'
import { seal, sealBytes, unseal } from '../wire/sealed.ts'
import type { Sliced } from '../wire/sliced.ts'
import type { WorkBudget } from './work-budget.ts'

/** Encrypts outgoing and decrypts incoming packets. Without a keyring, it does nothing. */
export class Sealing {
  readonly #crypto: Env['crypto']
  readonly #encryption: PoolEncryption | undefined
  /** The key that last decrypted something; it may have been removed since. */
  #opened: Uint8Array | undefined

  constructor(crypto: Env['crypto'], encryption: PoolEncryption | undefined) {
    this.#crypto = crypto
    this.#encryption = encryption
  }

  /** Whether unencrypted packets are refused. */
  get demands(): boolean {
    return this.#encryption?.verifyIncoming === true
  }

  get isOn(): boolean {
    return this.#encryption !== undefined
  }

  get keyring(): Keyring | undefined {
    return this.#encryption?.keyring
  }

  /** Whether outgoing packets are encrypted. */
  get seals(): boolean {
    return this.#encryption?.verifyOutgoing === true
  }

  /** Bytes by which a packet grows. */
  get overheadBytes(): number {
    return this.seals ? sealBytes : 0
  }

  seal(plain: Uint8Array, additional: Uint8Array = emptyBytes): Uint8Array {
    if (this.#encryption === undefined || !this.seals) return plain
    return seal(this.#crypto, this.#encryption.keyring.primary, plain, additional)
  }

  /** Each key that is tried is a slice of work: nothing says with which one the bytes were sealed. */
  *unseal(sealed: Uint8Array, additional: Uint8Array = emptyBytes): Sliced<Uint8Array | undefined> {
    for (const key of this.#keys()) {
      const plain = unseal(this.#crypto, key, sealed, additional)
      yield triedWork(sealed.length)
      if (plain === undefined) continue
      this.#opened = key
      return plain
    }
    return undefined
  }

  /**
   * As `unseal`, at once, for a packet. The first key is always tried; each further one is paid for from `budget`.
   * Otherwise packets that no key decrypts, of which there may be any number, would cost as many tries as there are
   * keys.
   */
  unsealPacket(sealed: Uint8Array, budget: WorkBudget): Uint8Array | undefined {
    let tried = 0
    for (const key of this.#keys()) {
      if (tried++ > 0) {
        if (budget.left <= 0) return undefined
        budget.take(triedWork(sealed.length))
      }
      const plain = unseal(this.#crypto, key, sealed, emptyBytes)
      if (plain === undefined) continue
      this.#opened = key
      return plain
    }
    return undefined
  }

  /** The key that last decrypted something comes first: nearly always all members seal with the same. */
  *#keys(): Generator<Uint8Array, void, void> {
    const keys = this.#encryption?.keyring.keys ?? []
    const first = keys.find((key) => key === this.#opened)
    if (first !== undefined) yield first
    for (const key of keys) if (key !== first) yield key
  }
}

/**
 * Cost of a try: setting up a cipher takes as long as decoding 200 bytes, and it deciphers 32 in the time of decoding
 * one.
 */
function triedWork(bytes: number): number {
  return 200 + bytes / 32
}
