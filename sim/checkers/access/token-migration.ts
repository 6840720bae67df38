import { checker, eventIn, type Judge } from '../checker.ts'
import type { AccessState } from './access-facts.ts'

/** Maximum number of tokens to which one batch may give accessors. Spec: ACL-036. */
const batchMax = 128
/** Minimum pause between two batches, by the leader's clock, which differs from true time by at most this share. */
const pauseUs = 1_000_000
const clockAllowance = 0.06

/**
 * A4: old tokens are given accessor IDs in batches, which are limited in size and frequency; an accessor never changes.
 */
export class TokenMigration {
  readonly #judge: Judge<{ A4: 'out of reach' | 'restored' }>
  /** By secret. */
  readonly #accessors = new Map<string, string>()
  #lastUs = Number.NEGATIVE_INFINITY
  #lastIn = 0

  constructor(judge: Judge<{ A4: 'out of reach' | 'restored' }>) {
    this.#judge = judge
  }

  /** `isBatch`: the command was one of the migration. */
  changed({ atUs, tokens }: AccessState, isBatch: boolean): void {
    let given = 0
    for (const [secret, { accessor, legacyRules, management }] of tokens) {
      const isNew = this.tokenWritten(secret, accessor)
      if (isBatch && isNew && (legacyRules !== undefined || management)) given++
    }
    for (const secret of this.#accessors.keys()) if (!tokens.has(secret)) this.#accessors.delete(secret)
    if (isBatch) this.#batch(atUs, given)
  }

  /** Adds one token; returns whether it has an accessor for the first time. */
  tokenWritten(secret: string, accessor: string): boolean {
    const known = this.#accessors.get(secret)
    if (known !== undefined && known !== accessor) this.#judge.judged('A4')
    if (known !== undefined && known !== accessor) {
      this.#judge.report('A4', `a token had the accessor ${known} and has ${accessor === '' ? 'none' : accessor} now`)
    }
    if (known !== undefined || accessor === '') return false
    this.#judge.judged('A4')
    this.#accessors.set(secret, accessor)
    return true
  }

  /** Another state has replaced this one: accessors that were given after that state was saved are forgotten. */
  replaced({ tokens }: AccessState): void {
    this.#judge.excused('A4', 'restored', this.#accessors.size)
    this.#accessors.clear()
    for (const [secret, { accessor }] of tokens) if (accessor !== '') this.#accessors.set(secret, accessor)
  }

  #batch(atUs: number, given: number): void {
    if (given > 0) this.#judge.judged('A4')
    if (given > batchMax) this.#judge.report('A4', `one batch of the migration gave ${given} tokens their accessors`)
    if (given > 0 && atUs - this.#lastUs < pauseUs * (1 - clockAllowance)) {
      this.#judge.report(
        'A4',
        `two batches of the migration came ${((atUs - this.#lastUs) / 1e6).toFixed(3)} s apart`,
        [this.#lastIn],
      )
    }
    if (given === 0) return
    this.#lastUs = atUs
    this.#lastIn = eventIn(this.#judge)
  }
}

export const tokenMigration = checker({
  codes: {
    A4: {
      text: 'migration: batches stay within their size and rate, each token gets one accessor, and no valid token is refused, whatever the refusal says',
      sources: ['docs/reference/access-control.md#legacy-mode-and-migration'],
      evidence: ['rights', 'requests', 'elections'],
      judges: ['batch, token or refusal', 'batches, tokens and refusals'],
      excuses: {
        'out of reach': 'An agent that reaches no server may refuse for that; until it has reached one for 15 seconds.',
        restored:
          'Accessors that tokens had before a restored snapshot count no more; those that they have since then do.',
      },
    },
  },
  make: (judge) => new TokenMigration(judge),
  takes: {
    'access changed': (it, { state, by }) =>
      by === 'restore' ? it.replaced(state) : it.changed(state, by === 'migration'),
    'token written': (it, { secret, token }) => it.tokenWritten(secret, token.accessor),
  },
})
