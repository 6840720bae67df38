import { base64, equalBytes, fromBase64 } from '../base/bytes.ts'
import { itemAt } from '../base/items.ts'
import { done, err, ok, type Result } from '../base/result.ts'

/** Maximum number of keys; each is tried on bytes that none of those before it decrypts. */
export const keysMax = 32

/** Decodes an AES key from base64. The error is the field's text. */
export function keyFrom(text: string): Result<Uint8Array, string> {
  const key = fromBase64(text)
  if (key === undefined) return err(`illegal base64 data at input byte ${badByteOf(text)}`)
  return isKey(key) ? ok(key) : err('key size must be 16, 24 or 32 bytes')
}

function isKey(key: Uint8Array): boolean {
  return key.length === 16 || key.length === 24 || key.length === 32
}

function badByteOf(text: string): number {
  const bad = text.search(/[^A-Za-z0-9+/]/)
  return bad < 0 ? text.length - (text.length % 4) : bad
}

/**
 * The keys of a pool's packets and streams: outgoing ones are sealed with the first, incoming ones may be sealed with
 * any. Thus a pool changes its key without a moment in which two members do not understand each other: install it
 * everywhere, use it everywhere, remove the old one (memberlist `Keyring`). Refusals are the field's texts, because
 * they are sent to other members.
 */
export class Keyring {
  #keys: readonly Uint8Array[]
  #store: ((texts: readonly string[]) => Promise<Result<undefined, string>>) | undefined

  private constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys
  }

  /** `texts`: keys in base64, the primary first. */
  static from(texts: readonly string[]): Result<Keyring, string> {
    const keys: Uint8Array[] = []
    for (const text of texts) {
      const key = keyFrom(text)
      if (!key.ok) return key
      if (!keys.some((other) => equalBytes(other, key.value))) keys.push(key.value)
    }
    if (keys.length === 0) return err('there is no key')
    return keys.length > keysMax ? err(`there are more than ${keysMax} keys`) : ok(new Keyring(keys))
  }

  /** The primary first. */
  get keys(): readonly Uint8Array[] {
    return this.#keys
  }

  get primary(): Uint8Array {
    return itemAt(this.#keys, 0)
  }

  /** In base64, the primary first. */
  list(): readonly string[] {
    return this.#keys.map(base64)
  }

  /** `store` stores a `list`, and does nothing if that is stored already. The error is sent to other members. */
  storeBy(store: (texts: readonly string[]) => Promise<Result<undefined, string>>): void {
    this.#store = store
  }

  /** Settles when the present keys are stored; at once if this agent stores none. */
  async stored(): Promise<Result<undefined, string>> {
    return this.#store?.(this.list()) ?? done
  }

  /** Installing a key that is there already is no failure. */
  install(key: Uint8Array): Result<undefined, string> {
    if (!isKey(key)) return err('key size must be 16, 24 or 32 bytes')
    if (this.#has(key)) return done
    if (this.#keys.length >= keysMax) return err(`the keyring holds no more than ${keysMax} keys`)
    return this.#become([...this.#keys, key.slice()])
  }

  /** Makes an installed key the one that encrypts. */
  use(key: Uint8Array): Result<undefined, string> {
    if (!this.#has(key)) return err('Requested key is not in the keyring')
    return equalBytes(key, this.primary) ? done : this.#become([key.slice(), ...this.#without(key)])
  }

  /** Removing a key that is not there is no failure. */
  remove(key: Uint8Array): Result<undefined, string> {
    if (equalBytes(key, this.primary)) return err('Removing the primary key is not allowed')
    return this.#has(key) ? this.#become(this.#without(key)) : done
  }

  #become(keys: readonly Uint8Array[]): Result<undefined, string> {
    this.#keys = keys
    return done
  }

  #has(key: Uint8Array): boolean {
    return this.#keys.some((other) => equalBytes(other, key))
  }

  #without(key: Uint8Array): readonly Uint8Array[] {
    return this.#keys.filter((other) => !equalBytes(other, key))
  }
}
