import { ddmin } from './ddmin.ts'
import { earlierPages, explicitPages, rounderPages, withoutLimits } from './explicit.ts'
import { limitedPages, shorterPages } from './limits.ts'
import type { Candidate, Failing, Oracle, Wanted } from './oracle.ts'
import { type Keyed, rulesOf } from './page.ts'
import {
  bounded,
  capped,
  firingsOf,
  loosened,
  pageWith,
  type Size,
  sizeOf,
  type Unit,
  unitsOf,
  untilFailure,
} from './parts.ts'
import { fewerServers, type Simpler, simplerPages } from './simpler.ts'
import { isUnreached } from './violation.ts'

export interface ShrinkOptions {
  readonly oracle: Oracle
  /** Which violation of the run must recur, counted from 1; absent: the first. */
  readonly violation?: number | undefined
  /** Called with each smaller page, and with the next attempt. */
  readonly onStep?: (step: ShrinkStep) => void
}

export interface ShrinkStep {
  readonly size: Size
  readonly trying: string
}

/** A smaller page that fails in the same way. */
export interface Shrunk {
  readonly before: Size
  readonly failing: Failing
  /** The removed parts as texts, in the order in which they were removed. */
  readonly dropped: readonly string[]
}

/** Number of other seeds with which a change of the page is tried: a few for each change at first, then more. */
const rounds = [5, 15, 40] as const
/**
 * Number of runs without progress after which dropping decisions of one seed is abandoned: a subtle bug needs other
 * draws.
 */
const stuckMax = 10
/**
 * The same number for a run with many decisions, which is long, and whose failure needs the decisions only to occur at
 * all.
 */
const stuckMaxOfMany = 2
const many = 30
/** A failure that was found early is looked for until this long after the last fault, in milliseconds. */
const settleMs = 4_000

/**
 * Shrinks a failing page. A number: the run has only this many violations. `unreached`: the page demands of the whole run
 * what this run did not reach, and every smaller run reaches less.
 */
export async function shrink(candidate: Candidate, options: ShrinkOptions): Promise<Shrunk | number | 'unreached'> {
  const { oracle, violation = 1 } = options
  const failings = await oracle.failures(candidate)
  const failing = failings[violation - 1]
  if (failing === undefined) return failings.length
  return isUnreached(failing.wrong) ? 'unreached' : new Shrinking(failing, options).run()
}

/**
 * One search. Every page on its way fails by itself with its seed, and each is smaller than the one before. The steps
 * are ordered by their cost, and by how much cheaper they make later ones:
 * 1. what came after the failure;
 * 2. decisions of this very seed;
 * 3. limits of rules with other seeds: one fault fewer shifts everything that follows, and only other draws bring a
 *    subtle failure back;
 * 4. servers;
 * 5. everything else in the page;
 * 6. the form in which it is written.
 */
class Shrinking {
  readonly #oracle: Oracle
  readonly #onStep: ShrinkOptions['onStep']
  readonly #before: Size
  readonly #kind: string
  readonly #isLater: boolean
  readonly #dropped: string[] = []
  #best: Failing
  /**
   * The last seed that was taken: each change is tried with other seeds, because equal ones give much the same runs.
   */
  #lastSeed: number

  constructor(first: Failing, { oracle, violation = 1, onStep }: ShrinkOptions) {
    this.#oracle = oracle
    this.#onStep = onStep
    this.#before = sizeOf(first)
    this.#kind = first.wrong.kind
    this.#isLater = violation > 1
    this.#best = first
    this.#lastSeed = first.seed
  }

  async run(): Promise<Shrunk> {
    await this.#cut()
    await this.#fewerDecisions()
    for (const seeds of rounds) {
      if (this.#oracle.isSpent) break
      await this.#fewerFirings(seeds)
      await this.#fewerServers(seeds)
      await this.#fewerDecisions()
      await this.#simpler(seeds)
      if (seeds === rounds[0]) await this.#written(seeds)
    }
    await this.#written(rounds[1])
    await this.#fewerDecisions()
    await this.#plain()
    return { before: this.#before, failing: this.#best, dropped: this.#dropped }
  }

  /** Removes what came after the failure. */
  async #cut(): Promise<void> {
    this.#tell('without what came after the failure')
    const page = untilFailure(this.#best)
    const found = await this.#first([{ page, seed: this.#best.seed }])
    if (found !== undefined) this.#best = found
  }

  /** Delta debugging over the decisions of this very run. */
  async #fewerDecisions(): Promise<void> {
    const before = unitsOf(this.#best).length
    if (before === 0) return
    const tryLists = async (lists: readonly (readonly Unit[])[]): Promise<readonly Unit[] | undefined> => {
      const { page, seed } = this.#best
      const pages = lists.map((units) => pageWith(page, units))
      return (await this.#take(pages.map((each) => ({ page: each, seed })))) ? unitsOf(this.#best) : undefined
    }
    this.#tell(`fewer of ${before} decisions`)
    const most = before > many ? stuckMaxOfMany : stuckMax
    await ddmin(unitsOf(this.#best), tryLists, (stuckFor) => stuckFor < most && !this.#oracle.isSpent)
    const after = unitsOf(this.#best).length
    if (after < before) this.#dropped.push(`decisions of seed ${this.#best.seed}: ${before} → ${after}`)
  }

  async #fewerServers(seeds: number): Promise<void> {
    for (const simpler of fewerServers(bounded(this.#best))) {
      if (await this.#trySimpler(simpler, seeds)) break
    }
  }

  /** Limits of rules, the smallest first: of all of them together, then of each. */
  async #fewerFirings(seeds: number): Promise<void> {
    const before = this.#best.account.firings.length
    this.#tell('fewer faults of all rules')
    await this.#shorter()
    while (await this.#take(limitedPages(this.#best).flatMap((page) => this.#withSeeds(page, seeds))));
    for (let place = 0; place < rulesOf(this.#best.page).length; place++) {
      while (await this.#lowerCap(place, seeds));
    }
    const after = this.#best.account.firings.length
    if (after < before) this.#dropped.push(`faults, with another seed: ${before} → ${after}`)
  }

  /** For a long run: fractions of its firings, each with as many seeds as it takes for the same chance. */
  async #shorter(): Promise<void> {
    let rarity = 1
    for (let isLess = true; isLess && !this.#oracle.isSpent; ) {
      isLess = false
      for (const { page, seeds, fraction } of shorterPages(this.#best, rarity)) {
        const candidates = this.#withSeeds(page, seeds)
        isLess = await this.#take(candidates)
        const tried = candidates.findIndex(({ seed }) => seed === this.#best.seed) + 1
        if (isLess) rarity = Math.max(1, tried * fraction)
        if (isLess) break
      }
    }
  }

  async #lowerCap(place: number, seeds: number): Promise<boolean> {
    const count = firingsOf(this.#best.account, place)
    const rules = rulesOf(this.#best.page).length
    if (count === 0) return false
    this.#tell(`fewer faults of rule ${place + 1}`)
    const lower = [...new Set([0, 1, Math.floor(count / 2), count - 1])].filter((cap) => cap < count)
    const page = bounded(this.#best)
    const pages = lower.map((cap) => capped(page, place, cap))
    const isLess = await this.#take(pages.flatMap((each) => this.#withSeeds(each, seeds)))
    // If the rule was removed, another one has its place.
    return isLess && rulesOf(this.#best.page).length === rules
  }

  async #simpler(seeds: number): Promise<void> {
    const tried = new Set<string>()
    for (let isOver = false; !isOver; ) {
      isOver = true
      for (const simpler of simplerPages(bounded(this.#best))) {
        if (this.#oracle.isSpent) return
        if (tried.has(simpler.dropped)) continue
        tried.add(simpler.dropped)
        if (!(await this.#trySimpler(simpler, seeds))) continue
        isOver = false
        break
      }
    }
  }

  async #trySimpler({ page, dropped }: Simpler, seeds: number): Promise<boolean> {
    this.#tell(`without ${dropped}`)
    const isLess = await this.#take(this.#withSeeds(page, seeds))
    if (isLess) this.#dropped.push(dropped)
    return isLess
  }

  /** Faults in the form that people write, at round times, as early as possible. */
  async #written(seeds: number): Promise<void> {
    this.#tell('faults as a person writes them')
    const forms = [
      () => explicitPages(this.#best),
      () => rounderPages(this.#best.page),
      () => earlierPages(this.#best.page),
    ]
    for (const pagesOf of forms) {
      await this.#take(pagesOf().flatMap((page) => this.#withSeeds(page, Math.ceil(seeds / 2))))
    }
  }

  /** Removes what only guided the search. */
  async #plain(): Promise<void> {
    const { page, seed } = this.#best
    await this.#take([{ page: withoutLimits(page), seed }])
  }

  /** The change with the present seed, and with other seeds that are not bound to its times. */
  #withSeeds(page: Keyed, count: number): readonly Candidate[] {
    const loose = loosened(page)
    const isBound = JSON.stringify(loose) !== JSON.stringify(page)
    const own = this.#best.seed
    const others = Array.from({ length: count }, (_, at) => ({ page: loose, seed: this.#lastSeed + at + 1 }))
    this.#lastSeed += count
    return [{ page, seed: own }, ...(isBound ? [{ page: loose, seed: own }] : []), ...others]
  }

  /** Continues from the first of these that fails in the same way, without what came after the failure. */
  async #take(candidates: readonly Candidate[]): Promise<boolean> {
    const found = await this.#first(candidates)
    if (found === undefined || found.account.firings.length > this.#best.account.firings.length) return false
    const tidied = await this.#first([{ page: untilFailure(found), seed: found.seed }])
    this.#best = tidied ?? found
    return true
  }

  #first(candidates: readonly Candidate[]): Promise<Failing | undefined> {
    return this.#oracle.first(candidates, this.#wanted())
  }

  #wanted(): Wanted {
    const { wrong, account } = this.#best
    const lastUs = account.firings.at(-1)?.atUs ?? 0
    const afterMs = Math.ceil((wrong.atUs - lastUs) / 1_000_000) * 2_000
    return {
      kind: this.#kind,
      isLater: this.#isLater,
      atRest: account.restUs !== undefined,
      afterFaultsMs: settleMs + afterMs,
    }
  }

  #tell(trying: string): void {
    this.#onStep?.({ size: sizeOf(this.#best), trying })
  }
}
