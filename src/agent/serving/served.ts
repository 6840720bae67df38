import type { Answer, ReadMeta, Standing } from '../../features/reading.ts'
import type { KeptResult, ResultView } from './kept-results.ts'

/** An answer made on this agent. The forms in which it was encoded stay here: they do not travel. */
export class Served implements Answer<unknown> {
  readonly meta: ReadMeta
  readonly forms: ResultView
  readonly #result: KeptResult
  readonly #standingOf: (result: KeptResult) => Standing

  /** `view`: what of the result is shown. */
  constructor(view: ResultView, meta: ReadMeta, result: KeptResult, standingOf: (result: KeptResult) => Standing) {
    this.forms = view
    this.meta = meta
    this.#result = result
    this.#standingOf = standingOf
  }

  get value(): unknown {
    return this.forms.value
  }

  standing(): Standing {
    return this.#standingOf(this.#result)
  }
}
