import { utf8 } from '../../../src/base/bytes.ts'
import { incarnationMax, nameBytesMax } from '../../../src/gossip/core/bounds.ts'
import { type Judge, law } from '../checker.ts'

/** What one member knows of another, or of itself, in the lower layer. */
export interface Claim {
  readonly incarnation: number
  readonly state: 'alive' | 'suspect' | 'dead'
  /** Trace event since which it knows that; absent or 0: no trace is recorded. */
  readonly event?: number
}

const ranks = { alive: 0, suspect: 1, dead: 2 } as const

/**
 * M3. The incarnation that a member knows of another never falls while the record lives, and within one incarnation the
 * state goes from alive to suspect to dead (SWIM, section 4.2). No number exceeds the greatest one allowed, so none
 * ever wraps. A sound claim of a greater incarnation is taken, and one with which no member can be reached or understood
 * is not. A member that learns of an accusation against itself continues with a greater incarnation, unless it is
 * leaving.
 */
export class Incarnations {
  readonly #judge: Judge<{ M3: never }>

  constructor(judge: Judge<{ M3: never }>) {
    this.#judge = judge
  }

  /** `before`: undefined if the record begins. */
  held(observer: string, name: string, before: Claim | undefined, now: Claim): void {
    const { incarnation, state } = now
    if (!(incarnation >= 0 && incarnation <= incarnationMax)) {
      this.#judge.judged('M3')
      this.#judge.report('M3', `${observer} knows ${name} at incarnation ${incarnation}, beyond ${incarnationMax}`)
    }
    if (before === undefined) return this.#named(observer, name)
    this.#judge.judged('M3')
    if (incarnation > before.incarnation) return
    if (incarnation === before.incarnation && ranks[state] >= ranks[before.state]) return
    const was = `${before.state} at incarnation ${before.incarnation}`
    this.#judge.report('M3', `${observer} knew ${name} ${was}, and now ${state} at ${incarnation}`, [before.event ?? 0])
  }

  /** The observer takes another member's claim about itself. `why`: what is wrong with it. */
  taken(observer: string, name: string, why: string | undefined): void {
    this.#judge.judged('M3')
    if (why !== undefined) this.#judge.report('M3', `${observer} takes ${name} for a member with ${why}`)
  }

  /** A packet has brought a sound claim at this incarnation, which is newer than what the observer knew. */
  claimed(observer: string, name: string, incarnation: number, known: number | undefined): void {
    this.#judge.judged('M3')
    if (known === undefined || known < incarnation)
      this.#judge.report('M3', `${observer} ignores that ${name} is alive at incarnation ${incarnation}`)
  }

  /** A record begins. */
  #named(observer: string, name: string): void {
    this.#judge.judged('M3')
    const bytes = utf8(name).length
    if (bytes > 0 && bytes <= nameBytesMax) return
    this.#judge.report('M3', `${observer} knows a member with a name of ${bytes} bytes, not from 1 to ${nameBytesMax}`)
  }

  /**
   * A member received a claim that it is suspected or dead, at an allowed incarnation, and is alive after that step.
   */
  accused(observer: string, accused: number, own: number): void {
    this.#judge.judged('M3')
    if (own > accused) return
    this.#judge.report(
      'M3',
      `${observer} is accused at incarnation ${accused}, but stays at ${own}: no member will accept that it is alive`,
    )
  }
}

export const incarnations = law(
  {
    M3: {
      text: 'incarnations: the incarnation at which a member is known never falls; within one: alive, suspect, dead; sound newer claims are taken, and no others; an accused member raises its own',
      sources: ['SWIM, section 4.2'],
      evidence: ['members'],
      judges: ['news of a member', 'news of members'],
    },
  },
  (judge) => new Incarnations(judge),
)
