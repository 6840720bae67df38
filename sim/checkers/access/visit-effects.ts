import { textOf } from '../../../src/base/bytes.ts'
import { checker, type Judge } from '../checker.ts'
import { changedState } from '../command-outcome.ts'
import type { Facts } from '../facts.ts'

/** Fields of command bodies that callers choose. */
interface MarkedBody {
  readonly value?: Uint8Array
  readonly name?: string
  readonly description?: string
  readonly node?: string | { readonly node: string }
  readonly operations?: readonly { readonly value?: Uint8Array }[]
}

/**
 * Observes which requests have taken effect, by marks that only they carry: a written value, the name of a session, the
 * description of an intention, the name of a node. A6: one that is acknowledged has taken effect by then. This is the
 * other side of A1, which judges what took effect without being allowed.
 */
export class VisitEffects {
  readonly #judge: Judge<{ A6: never }>
  /** The callback for each mark. */
  readonly #begun = new Map<string, () => void>()

  constructor(judge: Judge<{ A6: never }>) {
    this.#judge = judge
  }

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

  acknowledged({ mark, what, agent, calledIn }: Facts['visit acknowledged']): void {
    this.#judge.judged('A6')
    if (!this.#begun.has(mark)) return
    this.#judge.report('A6', `${agent} acknowledges to ${what}, and no command with its mark has taken effect`, [
      calledIn,
    ])
  }
}

function marksIn({ value, name, description, node, operations = [] }: MarkedBody): readonly string[] {
  const values = [value, ...operations.map((each) => each.value)]
  const written = values.flatMap((bytes) => (bytes instanceof Uint8Array ? [textOf(bytes)] : []))
  const registered = typeof node === 'object' ? node.node : node
  return [name, description, registered, ...written].filter((mark) => typeof mark === 'string')
}

export const visitEffects = checker({
  codes: {
    A6: {
      text: 'effect: what a request with a token is told to have changed has been changed by then',
      sources: ['docs/reference/http-conventions.md#status-codes'],
      evidence: ['rights', 'requests', 'forwards', 'commands'],
      judges: ['acknowledged visit', 'acknowledged visits'],
    },
  },
  make: (judge) => new VisitEffects(judge),
  takes: {
    'visit began': (it, fact) => it.began(fact),
    'visit acknowledged': (it, fact) => it.acknowledged(fact),
    'command took effect': (it, fact) => it.tookEffect(fact),
  },
})
