import type { Crypto, RunningHash, SigningKey } from '../../src/env/crypto.ts'
import type { RandomStream } from '../../src/env/random.ts'
import type { Boot } from '../world/boot.ts'
import type { Machine } from '../world/machine.ts'

export class SimCrypto implements Crypto {
  readonly #machine: Machine
  readonly #boot: Boot
  readonly #draw: RandomStream

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
    this.#draw = machine.kernel.streams.fresh(`crypto/${boot.name}/boot/${boot.number}`)
  }

  sha256(bytes: Uint8Array): Uint8Array {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.sha256(bytes)
  }

  runningSha256(): RunningHash {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.runningSha256()
  }

  sealAesGcm(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, additional: Uint8Array): Uint8Array {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.sealAesGcm(key, nonce, plain, additional)
  }

  openAesGcm(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, additional: Uint8Array): Uint8Array | undefined {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.openAesGcm(key, nonce, sealed, additional)
  }

  randomBytes(length: number): Uint8Array {
    this.#machine.kernel.enter(this.#boot)
    const bytes = new Uint8Array(length)
    for (let at = 0; at < length; at += 4) {
      const word = this.#draw.uint32()
      for (let i = 0; i < 4 && at + i < length; i++) bytes[at + i] = (word >>> (8 * i)) & 255
    }
    return bytes
  }

  makeSigningKey(): SigningKey {
    return this.#machine.kernel.platform.signingKey(this.randomBytes(32))
  }

  readSigningKey(pem: string): SigningKey | undefined {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.readSigningKey(pem)
  }
}
