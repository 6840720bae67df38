import type { Crypto, KeyKind, RunningHash, SignatureAlgorithm, SigningKey } from '../../src/env/crypto.ts'
import type { Boot } from '../world/boot.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { Part } from '../world/decisions/identity.ts'
import type { Machine } from './machine.ts'

const keySeedBytes = 32

/** Duration of generating a key, as measured on a machine of 2024 and on a slow one. */
const generationUs: Readonly<Record<KeyKind, readonly [number, number]>> = {
  'ec-256': [50, 500],
  'ec-384': [100, 2_000],
  'ec-521': [100, 3_000],
  'rsa-2048': [30_000, 600_000],
  'rsa-4096': [200_000, 6_000_000],
}

export class SimCrypto implements Crypto {
  readonly #machine: Machine
  readonly #boot: Boot

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  sha256(bytes: Uint8Array): Uint8Array {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.sha256(bytes)
  }

  sha1(bytes: Uint8Array): Uint8Array {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.sha1(bytes)
  }

  runningSha256(): RunningHash {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.runningSha256()
  }

  sealAesGcm(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, additional: Uint8Array): Uint8Array {
    this.#machine.kernel.enter(this.#boot)
    this.#machine.kernel.trace.sealedWith(key)
    return this.#machine.kernel.platform.sealAesGcm(key, nonce, plain, additional)
  }

  openAesGcm(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, additional: Uint8Array): Uint8Array | undefined {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.openAesGcm(key, nonce, sealed, additional)
  }

  randomBytes(length: number, ...about: readonly Part[]): Uint8Array {
    this.#machine.kernel.enter(this.#boot)
    return bytesOf(this.#draws(about), length)
  }

  makeSigningKey(): SigningKey {
    return this.#machine.kernel.platform.signingKey(this.randomBytes(keySeedBytes, 'signing key'))
  }

  /** Its randomness is drawn at once; the key exists in a later turn, as in production. */
  generateKey(kind: KeyKind, ...about: readonly Part[]): Promise<SigningKey> {
    const { kernel } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    const draws = this.#draws([kind, ...about])
    const seed = bytesOf(draws, keySeedBytes)
    const [leastUs, mostUs] = generationUs[kind]
    const delayUs = leastUs + draws.below(mostUs - leastUs)
    const make = kernel.keyMaker(kind)
    return kernel.answer(this.#boot, delayUs, `generated ${kind}`, () => make(seed))
  }

  verify(publicKey: Uint8Array, algorithm: SignatureAlgorithm, bytes: Uint8Array, signature: Uint8Array): boolean {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.verify(publicKey, algorithm, bytes, signature)
  }

  readSigningKey(pem: string): SigningKey | undefined {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.kernel.platform.readSigningKey(pem)
  }

  #draws(about: readonly Part[]): Draws {
    return this.#machine.kernel.decisions.drawsOnce(this.#boot.identity, 'bytes', ...about)
  }
}

function bytesOf(draws: Draws, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 4) {
    const word = draws.uint32()
    for (let i = 0; i < 4 && at + i < length; i++) bytes[at + i] = (word >>> (8 * i)) & 255
  }
  return bytes
}
