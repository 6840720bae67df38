import { textOf } from '../../../src/base/bytes.ts'
import { checker } from '../checker.ts'
import { changedState } from '../command-outcome.ts'
import type { Facts } from '../facts.ts'

/** Fields of command bodies that callers choose. */
interface MarkedBody {
  readonly value?: Uint8Array
  readonly name?: string
  readonly description?: string
  readonly operations?: readonly { readonly value?: Uint8Array }[]
}

/**
 * Observes which requests have taken effect, by marks that only they carry: a written value, the name of a session, the
 * description of an intention.
 */
export class VisitEffects {
  /** The callback for each mark. */
  readonly #begun = new Map<string, () => void>()

  began({ mark, tookEffect }: Facts['visit began']): void {
    this.#begun.set(mark, tookEffect)
  }

  tookEffect({ command: { body }, outcome }: Pick<Facts['command took effect'], 'command' | 'outcome'>): void {
    if (this.#begun.size === 0 || !changedState(outcome)) return
    for (const mark of marksIn(body as MarkedBody)) {
      const tell = this.#begun.get(mark)
      this.#begun.delete(mark)
      tell?.()
    }
  }
}

function marksIn({ value, name, description, operations = [] }: MarkedBody): readonly string[] {
  const values = [value, ...operations.map((each) => each.value)]
  const written = values.flatMap((bytes) => (bytes instanceof Uint8Array ? [textOf(bytes)] : []))
  return [name, description, ...written].filter((mark) => typeof mark === 'string')
}

export const visitEffects = checker({
  codes: {},
  make: () => new VisitEffects(),
  takes: {
    'visit began': (it, fact) => it.began(fact),
    'command took effect': (it, fact) => it.tookEffect(fact),
  },
})
