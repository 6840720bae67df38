import { emptyBytes } from '../../base/bytes.ts'
import type { Env } from '../../env/env.ts'
import type { Keyring } from '../keyring.ts'
import type { PoolEncryption } from '../pool.ts'
import { seal, sealBytes, unseal } from '../wire/sealed.ts'

/** What is encrypted on its way out and decrypted on its way in. Without a keyring: nothing. */
export class Sealing {
  readonly #crypto: Env['crypto']
  readonly #encryption: PoolEncryption | undefined

  constructor(crypto: Env['crypto'], encryption: PoolEncryption | undefined) {
    this.#crypto = crypto
    this.#encryption = encryption
  }

  /** What is not encrypted is refused. */
  get demands(): boolean {
    return this.#encryption?.verifyIncoming === true
  }

  get isOn(): boolean {
    return this.#encryption !== undefined
  }

  get keyring(): Keyring | undefined {
    return this.#encryption?.keyring
  }

  /** What is sent is sealed. */
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

  unseal(sealed: Uint8Array, additional: Uint8Array = emptyBytes): Uint8Array | undefined {
    if (this.#encryption === undefined) return undefined
    return unseal(this.#crypto, this.#encryption.keyring.keys, sealed, additional)
  }
}
