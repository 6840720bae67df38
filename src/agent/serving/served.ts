import type { Answer, ReadMeta, Standing } from '../../features/contract/reading.ts'
import type { KeptResult } from './kept-results.ts'
import type { ResultView } from './seen-part.ts'

/** `index`: the one that was told. */
type StandingOf = (result: KeptResult, index: number) => Standing

/** An answer made on this agent. The forms in which it was encoded stay here: they do not travel. */
export class Served implements Answer<unknown> {
  readonly meta: ReadMeta
  readonly forms: ResultView
  readonly #result: KeptResult
  readonly #standingOf: StandingOf

  /** `view`: what of the result is shown. */
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
