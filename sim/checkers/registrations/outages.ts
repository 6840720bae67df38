import type { Telling } from './owing.ts'

/** An agent doubles the pause after each failed read, up to this. */
const pauseMaxUs = 60_000_000
/** A read that was under way may wait for a server that does not answer any more. */
const attemptUs = 10_000_000

interface Seen {
  /** The last moment at which it reached no leader. */
  outUs: number
  /** When the outage that ended then began. */
  beganUs: number
  isOut: boolean
}

/**
 * How long agents could not read the catalog. A read that fails is repeated after a pause, which is never longer than
 * the failures before it took together.
 */
export class Outages {
  readonly #telling: Pick<Telling, 'contactSinceUs'>
  readonly #byNode = new Map<string, Seen>()

  constructor(telling: Pick<Telling, 'contactSinceUs'>) {
    this.#telling = telling
  }

  look(node: string, nowUs: number): void {
    const isOut = this.#telling.contactSinceUs(node) === undefined
    const seen = this.#byNode.get(node) ?? { outUs: nowUs, beganUs: nowUs, isOut: true }
    if (isOut && !seen.isOut) seen.beganUs = nowUs
    if (isOut) seen.outUs = nowUs
    seen.isOut = isOut
    this.#byNode.set(node, seen)
  }

  /** When an agent that reaches a leader reads again at the latest, in microseconds. */
  readAgainUs(node: string): number {
    const seen = this.#byNode.get(node)
    return seen === undefined ? 0 : seen.outUs + attemptUs + Math.min(pauseMaxUs, seen.outUs - seen.beganUs)
  }
}
