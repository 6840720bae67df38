import { type KeptToken, lettersOf } from './kept-token.ts'
import { Lru } from './lru.ts'

/** Maximum number of tokens whose rights are cached, and of the characters of their rules and secrets together. */
const keptMax = 8_192
const keptLettersMax = 32 << 20
/** Maximum number of secrets for which no rights are known. */
const strangersMax = 1_024

/**
 * What an agent knows of tokens, within bounds. Callers choose the secrets that they send: those without known rights
 * are cached apart, so that no number of invented secrets displaces a token that has rights. It is needed when no
 * server can be asked.
 */
export class KeptTokens {
  readonly #known = new Lru<string, KeptToken>(keptMax, { max: keptLettersMax, of: lettersOf })
  readonly #strangers = new Lru<string, KeptToken>(strangersMax)

  get size(): number {
    return this.#known.size + this.#strangers.size
  }

  get(secret: string): KeptToken | undefined {
    return this.#known.get(secret) ?? this.#strangers.get(secret)
  }

  set(secret: string, kept: KeptToken): void {
    const [to, from] = kept.rights === undefined ? [this.#strangers, this.#known] : [this.#known, this.#strangers]
    from.delete(secret)
    to.set(secret, kept)
  }
}
