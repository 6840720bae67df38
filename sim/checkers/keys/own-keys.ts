import { sessionTtlMinMs } from '../../../src/model/limits.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { OwnAnswer } from './own-words.ts'

type Excuse = 'outcome unknown' | 'restored' | 'majority lost' | 'session ended'

/**
 * K4. Keys that only one client changes are always in the state that its own requests gave them: every answer about
 * them says exactly that. The client judges, by its own model of the keys; this class knows what may remove a key
 * without a request of the client.
 */
export class OwnKeys {
  readonly #judge: Judge<{ K4: Excuse }> & Pick<CheckedRun, 'nowUs'>
  #sessionTtlMinMs: number = sessionTtlMinMs
  #sessions: ReadonlySet<string> = new Set()
  readonly #ended = new Set<string>()
  #restoredUs = Number.NEGATIVE_INFINITY
  #lostUs = Number.NEGATIVE_INFINITY

  constructor(judge: Judge<{ K4: Excuse }> & Pick<CheckedRun, 'nowUs'>) {
    this.#judge = judge
  }

  /** Minimum time to live of a session that servers accept. */
  get sessionTtlMinMs(): number {
    return this.#sessionTtlMinMs
  }

  configured(leastMs: number): void {
    this.#sessionTtlMinMs = leastMs
  }

  sessionsAre({ sessions }: { readonly sessions: ReadonlyMap<string, unknown> }): void {
    for (const id of this.#sessions) if (!sessions.has(id)) this.#ended.add(id)
    this.#sessions = new Set(sessions.keys())
  }

  restored(): void {
    this.#restoredUs = this.#judge.nowUs()
  }

  lost(): void {
    this.#lostUs = this.#judge.nowUs()
  }

  /** Whether the client's knowledge became invalid without its own doing, so that it must begin with other keys. */
  isOver(keys: Pick<OwnAnswer, 'beganUs' | 'sessions'>): boolean {
    return this.#excuseOf(keys) !== undefined
  }

  /** No answer told the outcome of a change, so the client has given up its keys. */
  left(): void {
    this.#judge.excused('K4', 'outcome unknown')
  }

  answered({ who, what, must, told, isAsExpected, calledIn, ...keys }: OwnAnswer): void {
    const excuse = this.#excuseOf(keys)
    if (excuse !== undefined) return this.#judge.excused('K4', excuse)
    this.#judge.judged('K4')
    if (!isAsExpected)
      this.#judge.report('K4', `${who}: ${what} was answered '${told}' instead of '${must}'`, [calledIn])
  }

  #excuseOf({
    beganUs,
    sessions,
  }: Pick<OwnAnswer, 'beganUs' | 'sessions'>): Exclude<Excuse, 'outcome unknown'> | undefined {
    if (this.#lostUs >= beganUs) return 'majority lost'
    if (this.#restoredUs >= beganUs) return 'restored'
    return sessions.some((id) => this.#ended.has(id)) ? 'session ended' : undefined
  }
}

export const ownKeys = checker({
  codes: {
    K4: {
      text: 'own keys: keys that only one client changes have exactly the values, indexes and flags that its requests gave them',
      sources: ['docs/reference/keys.md#key-calls', 'docs/reference/keys.md#transactions'],
      evidence: ['requests', 'forwards', 'commands'],
      judges: ['answer about own keys', 'answers about own keys'],
      excuses: {
        'outcome unknown':
          'Keys of a client that never learns the outcome of a change are no longer judged; until it begins with others, at once.',
        restored:
          'Keys from before a restored snapshot are as it has them; until their client begins with others, at its next turn.',
        'majority lost':
          'Keys from before a recovery may have lost changes; until their client begins with others, at its next turn.',
        'session ended':
          'Keys of a client whose session ended with its node or by an operator; until it begins with others, at its next turn.',
      },
    },
  },
  make: (judge) => new OwnKeys(judge),
  takes: {
    'settings read': (it, { config }) => it.configured(config.sessionTtlMinMs),
    'own answer': (it, answer) => it.answered(answer),
    'locks changed': (it, facts) => it.sessionsAre(facts),
    'locks replaced': (it, facts) => it.sessionsAre(facts),
    'state replaced': (it) => it.restored(),
    'entries lost': (it) => it.lost(),
  },
})
