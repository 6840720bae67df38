import type { AliasTarget, RegistrationChange } from './registration-facts.ts'

/** An abandoned request takes effect, if ever, by the time its agent has been in contact for this long. */
const settledAfterUs = 2_000_000

/** For what an alias check stands, as far as the answers of its agent say. */
export class AliasDefinition {
  /** Undefined: it does not exist, or this is not known. */
  target: AliasTarget | undefined
  readonly #open = new Set<RegistrationChange>()
  /** When the last request without an answer was abandoned, in microseconds. */
  #lostUs = Number.NEGATIVE_INFINITY
  #isKnown = true

  /** While a request about it is under way, or may still take effect, nothing is known. */
  get isKnown(): boolean {
    return this.#isKnown && this.#open.size === 0
  }

  began(change: RegistrationChange): void {
    this.#open.add(change)
    this.target = undefined
  }

  /** Returns whether its outcome is unknown. `contactUs`: since when the agent reaches a leader. */
  ended(change: RegistrationChange, target: AliasTarget | undefined, contactUs: number | undefined): boolean {
    if (!this.#open.delete(change)) return false
    if (change.outcome !== 'done') {
      this.#isKnown = false
      this.#lostUs = change.endedUs
      return change.outcome === 'unknown'
    }
    const settledUs = change.calledUs - settledAfterUs
    const isSettled = this.#lostUs <= settledUs && contactUs !== undefined && contactUs <= settledUs
    if (!this.#isKnown && !isSettled) return false
    this.#isKnown = true
    this.target = target
    return false
  }

  forget(): void {
    this.target = undefined
    this.#isKnown = false
  }

  text(): string {
    const { node = '', service = '' } = this.target ?? {}
    const things = [service === '' ? '' : `service ${service}`, node === '' ? '' : `node ${node}`]
    return things.filter((thing) => thing !== '').join(' of ')
  }
}
