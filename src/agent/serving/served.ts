import type { Answer, ReadMeta, Standing } from '../../features/contract/reading.ts'
import type { KeptResult } from './kept-results.ts'
import type { ResultView } from './seen-part.ts'

/** `index` is the one in the answer. */
type StandingOf = (result: KeptResult, index: number) => Standing

/** An answer made on this agent. Its encoded forms stay here: other agents get plain data. */
export class Served implements Answer<unknown> {
  readonly meta: ReadMeta
  readonly forms: ResultView
  readonly #result: KeptResult
  readonly #standingOf: StandingOf

  /** `view` is what the caller sees of the result. */
  constructor(view: ResultView, meta: ReadMeta, result: KeptResult, standingOf: StandingOf) {
    this.forms = view
    this.meta = meta
    this.#result = result
    this.#standingOf = standingOf
  }

  get value(): unknown {
    return this.forms.value
  }

  standing(): Standing {
    return this.#standingOf(this.#result, this.meta.index)
  }
}
