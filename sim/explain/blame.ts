import { withoutMax } from '../pool/messages.ts'
import type { Counted } from '../report/interval.ts'
import type { Rerun } from './reruns.ts'
import { faultsTogether, type Suspect, togetherOf } from './suspects.ts'
import { failsAnyway, type Judgement, judgementOf, strengthOf, type Trial, triesMax } from './trial.ts'

/** The verdict on a suspect. */
export interface Blamed extends Trial {
  readonly suspect: Suspect
  readonly judgement: Judgement
  /** From when on draws differ, if not right after the suspect, in milliseconds. */
  readonly laterMs: number | undefined
}

export interface BlameOptions {
  /** The most suspect first. */
  readonly suspects: readonly Suspect[]
  /** When the failure shows, in microseconds. */
  readonly failsAtUs: number
  /** The failure shows only at rest, so runs are made to their ends. */
  readonly atRest: boolean
  readonly reruns: {
    readonly isSpent: boolean
    failing(reruns: readonly Rerun[]): Promise<readonly (boolean | undefined)[]>
  }
  /** Called as each round begins. */
  readonly onRound?: (judging: string) => void
}

/** Number of suspects that are judged at the same time, and maximum number of suspects. */
const groupSize = 4
const suspectsMax = 12
const togetherMax = 6
/** Number of tries of each suspect, and of the unchanged run, in one round. */
const roundTries = 3
/** How often draws are left alone for longer, if the unchanged run fails too seldom with other ones. */
const laterMax = 3
/** Suspects this close in time share the runs in which they are kept, in milliseconds. */
const shareMs = 20
/**
 * How much later than in the original run a failure is waited for: a quarter of the time to it, within these limits.
 */
const graceUs = { least: 1_000_000, most: 5_000_000 } as const

/**
 * Judges suspects by runs of the same seed without them. Faults, steps and clients stay the same; from the suspect on,
 * the draws of links, disks and agents differ in each run. As many runs are made with the suspect and the same other
 * draws, so that an effect of the draws alone is not attributed to it.
 *
 * If the unchanged run then seldom fails, draws decide between the suspect and the failure. They differ from halfway
 * to the failure on instead, then from three quarters on, and from seven eighths, until the failure comes back: not
 * later than that, because runs that share most of their draws are hardly several runs.
 */
export async function blame(options: BlameOptions): Promise<readonly Blamed[]> {
  const { suspects, reruns } = options
  const open = new Blame(options)
  const faults = suspects.filter(({ kind }) => kind === 'fault')
  const mayGo = faults.length > 1 && faults.length <= withoutMax
  const isFaultless = mayGo && (await open.failsWithout(faultsTogether(faults)))
  const chosen = suspects.filter(({ kind }) => !isFaultless || kind !== 'fault').slice(0, suspectsMax)
  for (let at = 0; at < chosen.length && !reruns.isSpent; at += groupSize) {
    await open.judge(chosen.slice(at, at + groupSize))
  }
  if (!reruns.isSpent && !open.blamed.some(({ judgement }) => judgement === 'needs')) {
    await open.judge(togetherOf(chosen, togetherMax))
  }
  return open.blamed.toSorted(
    (a, b) => rank(b) - rank(a) || strengthOf(b) - strengthOf(a) || a.suspect.cost - b.suspect.cost,
  )
}

function rank({ judgement }: Blamed): number {
  return ['seldom', 'not needed', 'rarer', 'open', 'needs'].indexOf(judgement)
}

class Tally implements Counted {
  tries = 0
  fails = 0

  add(hasFailed: boolean | undefined): void {
    if (hasFailed === undefined) return
    this.tries++
    if (hasFailed) this.fails++
  }
}

/** Runs without a suspect, with other draws from one moment on. */
interface Case {
  readonly suspect: Suspect
  readonly forkMs: number
  readonly laterMs: number | undefined
  readonly without: Tally
}

class Blame {
  readonly #options: BlameOptions
  /** By the time from which on draws differ. */
  readonly #unchanged = new Map<number, Tally>()
  /** A suspect that is judged anew with later draws has several; the last one with a run counts. */
  readonly #cases: Case[] = []

  constructor(options: BlameOptions) {
    this.#options = options
  }

  get blamed(): readonly Blamed[] {
    const tried = this.#cases.filter(({ without }) => without.tries > 0)
    return [...new Map(tried.map((each) => [each.suspect, each])).values()].map((each) => {
      const { suspect, laterMs, forkMs, without } = each
      return { suspect, laterMs, unchanged: this.#unchangedAt(forkMs), without, judgement: this.#judgementOf(each) }
    })
  }

  /**
   * Whether the failure occurs without all of these together: then none of them need be judged alone. Stops at the
   * first run that passes.
   */
  async failsWithout(together: Suspect): Promise<boolean> {
    const { reruns, onRound } = this.#options
    const made = this.#opened(together)
    onRound?.(together.text)
    while (made.without.tries === made.without.fails && !reruns.isSpent) {
      const tries = this.#tries({ of: made.without, forkMs: made.forkMs, suspect: together, without: together.without })
      for (const answer of await reruns.failing(tries.slice(0, 2))) made.without.add(answer)
      if (judgementOf({ unchanged: new Tally(), without: made.without }) === 'not needed') return true
    }
    return false
  }

  /** Tries these, with ever later draws where the failure is seldom. */
  async judge(suspects: readonly Suspect[]): Promise<void> {
    let cases = suspects.map((suspect) => this.#opened(suspect))
    await this.#tryUntilClear(cases)
    for (let times = 0; times < laterMax && !this.#options.reruns.isSpent; times++) {
      cases = cases.filter((each) => this.#judgementOf(each) === 'seldom').flatMap((each) => this.#openedLater(each))
      await this.#tryUntilClear(cases)
    }
  }

  #opened(suspect: Suspect): Case {
    const made = { suspect, forkMs: this.#forkOf(suspect), laterMs: undefined, without: new Tally() }
    this.#cases.push(made)
    return made
  }

  /** None if the failure follows at once. */
  #openedLater({ suspect, forkMs }: Case): readonly Case[] {
    const laterMs = Math.floor((forkMs + this.#options.failsAtUs / 1000) / 2)
    if (laterMs <= forkMs) return []
    const made = { suspect, forkMs: laterMs, laterMs, without: new Tally() }
    this.#cases.push(made)
    return [made]
  }

  #judgementOf({ forkMs, without }: Case): Judgement {
    return judgementOf({ unchanged: this.#unchangedAt(forkMs), without })
  }

  /** Tries these until each is clear, or the budget is spent. */
  async #tryUntilClear(cases: readonly Case[]): Promise<void> {
    const { reruns, onRound } = this.#options
    for (;;) {
      const open = cases.filter((each) => this.#judgementOf(each) === 'open' && each.without.tries < triesMax)
      if (open.length === 0 || reruns.isSpent) return
      onRound?.(open.map(({ suspect }) => suspect.text).join(' | '))
      const tries = open.flatMap(({ suspect, forkMs, without }) => {
        const kept = this.#unchangedAt(forkMs)
        return [
          ...this.#tries({ of: without, forkMs, suspect, without: suspect.without }),
          ...(kept.tries <= without.tries && !failsAnyway(without)
            ? this.#tries({ of: kept, forkMs, suspect, without: [] })
            : []),
        ]
      })
      // Two suspects that share a fork need the same runs.
      const unique = [...new Map(tries.map((each) => [`${each.forkMs} ${each.chance} ${each.without}`, each])).values()]
      const answers = await reruns.failing(unique)
      for (const [at, { of }] of unique.entries()) of.add(answers[at])
    }
  }

  #tries({
    of,
    forkMs,
    suspect,
    without,
  }: {
    readonly of: Tally
    readonly forkMs: number
    readonly suspect: Suspect
    readonly without: readonly string[]
  }): readonly (Rerun & { readonly of: Tally })[] {
    const count = Math.min(roundTries, triesMax - of.tries)
    const untilUs = this.#untilUs(suspect)
    return Array.from({ length: count }, (_, n) => ({ of, forkMs, chance: of.tries + n + 1, without, untilUs }))
  }

  #unchangedAt(forkMs: number): Tally {
    const known = this.#unchanged.get(forkMs) ?? new Tally()
    this.#unchanged.set(forkMs, known)
    return known
  }

  /** The moment right after it, or the fork of another suspect a moment later. */
  #forkOf({ atUs }: Suspect): number {
    const own = Math.floor(atUs / 1000) + 1
    return [...this.#unchanged.keys()].find((known) => known >= own && known - own <= shareMs) ?? own
  }

  #untilUs({ atUs }: Suspect): number | undefined {
    const { failsAtUs, atRest } = this.#options
    if (atRest) return undefined
    return Math.round(failsAtUs + Math.min(graceUs.most, Math.max(graceUs.least, (failsAtUs - atUs) / 4)))
  }
}
