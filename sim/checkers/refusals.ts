import { checker, type Judge } from './checker.ts'
import { changedState } from './command-outcome.ts'
import type { Facts } from './facts.ts'
import type { SettledAnswer, SettledRequest } from './refusal-facts.ts'

/** Requests that are remembered after their answers: an entry of a refused one may come later. */
const rememberedMax = 256
const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const shownMax = 200
/** Nested objects and lists of a command's body that are searched. */
const depthMax = 6
/** From here on an answer may tell of a missing leader or server. */
const serverErrors = 500

interface Remembered {
  readonly request: SettledRequest
  isDone: boolean
}

/**
 * F1. A request that must be refused is refused with its status, and changes nothing; one that must be accepted is
 * accepted, and has taken effect when it is answered.
 */
export class Refusals {
  readonly #judge: Judge<{ F1: 'no contact' }>
  readonly #byMark = new Map<string, Remembered>()

  constructor(judge: Judge<{ F1: 'no contact' }>) {
    this.#judge = judge
  }

  began(request: SettledRequest): void {
    this.#byMark.set(request.mark, { request, isDone: false })
    for (const mark of this.#byMark.keys()) {
      if (this.#byMark.size <= rememberedMax) break
      this.#byMark.delete(mark)
    }
  }

  applied({ command: { kind, body }, outcome }: Pick<Facts['command took effect'], 'command' | 'outcome'>): void {
    if (this.#byMark.size === 0) return
    for (const mark of marksIn(body, depthMax)) {
      const known = this.#byMark.get(mark)
      if (known === undefined) continue
      this.#judge.judged('F1')
      const { what, leaves, calledIn } = known.request
      const isDone = changedState(outcome)
      known.isDone ||= isDone
      const isWrong = leaves === 'nothing' || (leaves === 'refusal' && isDone)
      if (!isWrong) continue
      const made = isDone ? 'took effect' : 'is in the log'
      this.#judge.report('F1', `${what} must be refused, and a command ${kind} with its ID ${made}`, [calledIn])
    }
  }

  answered({ mark, status, body, right, isInContact }: SettledAnswer): void {
    const known = this.#byMark.get(mark)
    if (known === undefined) return
    const isRight = status === right.status && right.body.test(body)
    if (!isRight && !isInContact && status >= serverErrors) return this.#judge.excused('F1', 'no contact')
    this.#judge.judged('F1')
    const { what, leaves, calledIn } = known.request
    if (!isRight) {
      const shown = `${status} ${JSON.stringify(body.slice(0, shownMax))}`
      this.#judge.report('F1', `${what} is answered ${shown} instead of ${right.status} ${right.body}`, [calledIn])
    } else if (leaves === 'effect' && !known.isDone) {
      this.#judge.report('F1', `${what} is acknowledged, and no command with its ID has taken effect`, [calledIn])
    }
  }
}

/** The UUIDs in the texts of a command's body. */
function marksIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return value.match(uuids) ?? []
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || depth === 0) return []
  return Object.values(value).flatMap((member) => marksIn(member, depth - 1))
}

export const refusals = checker({
  codes: {
    F1: {
      text: 'refusals: a request that must be refused is refused with its status and changes nothing, and one that must be accepted has taken effect when it is answered',
      sources: ['docs/reference/http-conventions.md#status-codes'],
      evidence: ['requests', 'forwards', 'commands'],
      judges: ['answer with a known outcome', 'answers with a known outcome'],
      excuses: {
        'no contact':
          'The asked agent was not in contact with its leader throughout, and answered with a server error; that answer.',
      },
    },
  },
  make: (judge) => new Refusals(judge),
  takes: {
    'settled request began': (it, request) => it.began(request),
    'command took effect': (it, fact) => it.applied(fact),
    'settled request answered': (it, answer) => it.answered(answer),
  },
})
