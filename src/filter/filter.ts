import type { Json } from '../base/json.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { ObjectType } from './fields.ts'
import { type Judgement, type Meter, TooMuchWork } from './judgements.ts'
import { parseExpression } from './parser.ts'
import { FilterError, filterProblemText } from './problem.ts'
import { judgementOf } from './program.ts'

/** Which entries of an answer a caller wants: an expression over the members of their JSON. */
export class Filter {
  /** The expression, as the caller has written it. */
  readonly text: string
  readonly #judge: Judgement

  private constructor(text: string, judge: Judgement) {
    this.text = text
    this.#judge = judge
  }

  /** `entry` is the type of the entries. The error says in a sentence what is wrong, and where. */
  static from(text: string, entry: ObjectType): Result<Filter, string> {
    try {
      return ok(new Filter(text, judgementOf(parseExpression(text), entry)))
    } catch (cause) {
      if (!(cause instanceof FilterError)) throw cause
      return err(filterProblemText(text, cause))
    }
  }

  /** Adds its work to the meter. `too-much-work`: this entry alone takes more than it may. */
  keeps(entry: Json, meter: Meter): boolean | 'too-much-work' {
    const spent = { work: 0 }
    try {
      return this.#judge(entry, spent)
    } catch (cause) {
      if (!(cause instanceof TooMuchWork)) throw cause
      return 'too-much-work'
    } finally {
      meter.work += spent.work
    }
  }
}
