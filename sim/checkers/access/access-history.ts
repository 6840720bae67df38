import { checker, eventIn, type Judge } from '../checker.ts'
import type { AccessSettings, AccessState, ResolutionFacts, TokenState, Visit } from './access-facts.ts'
import { judge, type Statement, statementsOf } from './access-judge.ts'
import { tokenMigration } from './token-migration.ts'

interface TokenRules {
  readonly grammar: 'legacy' | 'new'
  readonly text: string
}

/** One value of something that changes, from when the first server had it until the first had the next. */
interface Version<T> {
  readonly value: T | undefined
  readonly fromUs: number
  /** In which it came to be, in the trace; 0: nobody reads. */
  readonly event: number
}

type AccessExcuses = Readonly<Record<'A1' | 'A4', 'out of reach'>>

/** Time in which an agent notices that it reaches servers again. */
const noticingUs = 15_000_000

/**
 * A1: what was allowed, some state allowed: each token and policy as it was at some time between the call and the answer, or
 * at most its time to live before the call (longer while the agent reached no server). And of A4: a token that existed and
 * was allowed this in every such state is not refused where its agent reaches a server.
 */
export class AccessHistory {
  readonly #judge: Judge<AccessExcuses>
  readonly #facts: ResolutionFacts
  #settings: AccessSettings | undefined
  readonly #tokens = new Map<string, Version<TokenState>[]>()
  readonly #policies = new Map<string, Version<string>[]>()
  /** By text. */
  readonly #statements = new Map<string, readonly Statement[]>()

  constructor(judge: Judge<AccessExcuses>, facts: ResolutionFacts) {
    this.#judge = judge
    this.#facts = facts
  }

  /** An agent starts with these; until one has, nothing is judged. */
  settings(settings: AccessSettings): void {
    this.#settings = settings
  }

  changed({ atUs, tokens, policies }: AccessState): void {
    const at = { atUs, event: eventIn(this.#judge) }
    follow(this.#tokens, tokens, at, sameToken)
    follow(this.#policies, policies, at, (before, now) => before === now)
  }

  /** One token alone. */
  tokenWritten(atUs: number, secret: string, token: TokenState): void {
    add(this.#tokens, secret, token, { atUs, event: eventIn(this.#judge) }, sameToken)
  }

  visited(visit: Visit): void {
    if (this.#settings === undefined) return
    const { ttlUs } = this.#settings
    const reaching = this.#facts.reachingSinceUs(visit.agent)
    const isSteady = reaching !== undefined && reaching + noticingUs <= visit.callUs
    if (visit.said === 'allowed') {
      // One that was out of reach may have gone on with what it knew before.
      this.#judge.judged('A1')
      if (!isSteady) this.#judge.excused('A1', 'out of reach')
      const fromUs = isSteady ? visit.callUs - ttlUs : Number.NEGATIVE_INFINITY
      if (!this.#verdicts(visit, fromUs).includes('allowed')) this.#tell('A1', visit, 'no state of that time allows it')
      return
    }
    if (!isSteady) return this.#judge.excused('A4', 'out of reach')
    this.#judge.judged('A4')
    if (this.#verdicts(visit, visit.callUs - ttlUs).every((each) => each === 'allowed')) {
      this.#tell('A4', visit, 'every state of that time allows it, and its agent reaches a server')
    }
  }

  #tell(code: 'A1' | 'A4', { agent, key, right, said, callUs, ...visit }: Visit, why: string): void {
    const accessor = this.#tokens.get(visit.secret)?.at(-1)?.value?.accessor
    const who = accessor === undefined || accessor === '' ? 'a token without accessor' : `token ${accessor}`
    this.#judge.report(
      code,
      `${agent} says '${said}' to ${who}, which would ${right} ${key} (asked at ${callUs} us): ${why}`,
      [visit.calledIn ?? 0, ...this.#changesOf(visit.secret)],
    )
  }

  /** The last changes of a token and of its policies. */
  #changesOf(secret: string): readonly number[] {
    const [before, last] = [this.#tokens.get(secret)?.at(-2), this.#tokens.get(secret)?.at(-1)]
    const { policies = [] } = last?.value ?? before?.value ?? {}
    const changes = [last, before, ...policies.map((id) => this.#policies.get(id)?.at(-1))]
    return changes.map((change) => change?.event ?? 0)
  }

  /** Of every combination of states in which the token and its policies may have been seen. */
  #verdicts({ secret, key, right, returnUs }: Visit, fromUs: number): readonly Visit['said'][] {
    return within(this.#tokens.get(secret), fromUs, returnUs).flatMap((token): readonly Visit['said'][] => {
      if (token === undefined) return ['not found']
      if (token.management) return ['allowed']
      const rules = this.#rulesOf(token, fromUs, returnUs)
      const { defaultPolicy = 'deny' } = this.#settings ?? {}
      return rules.map((each) => (this.#allows(each, defaultPolicy, key, right) ? 'allowed' : 'denied'))
    })
  }

  #allows(rules: readonly TokenRules[], defaultPolicy: 'allow' | 'deny', key: string, right: Visit['right']): boolean {
    const texts = rules.map(({ grammar, text }) => ({ legacy: grammar === 'legacy', statements: this.#read(text) }))
    return judge({ texts, defaultPolicy, listing: false }, { resource: 'key', name: key, right })
  }

  #read(text: string): readonly Statement[] {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statements = statementsOf(text)
    this.#statements.set(text, statements)
    return statements
  }

  #rulesOf({ legacyRules, policies }: TokenState, fromUs: number, toUs: number): readonly (readonly TokenRules[])[] {
    if (legacyRules !== undefined) return [[{ grammar: 'legacy', text: legacyRules }]]
    let combined: readonly (readonly TokenRules[])[] = [[]]
    for (const id of policies) {
      const texts = within(this.#policies.get(id), fromUs, toUs)
      combined = combined.flatMap((rules) =>
        texts.map((text): readonly TokenRules[] => (text === undefined ? rules : [...rules, { grammar: 'new', text }])),
      )
    }
    return combined
  }
}

/** When something changed, and in which event of the trace. */
interface Moment {
  readonly atUs: number
  readonly event: number
}

/** Adds a version of whatever has changed, or come, or gone. */
function follow<T>(
  versions: Map<string, Version<T>[]>,
  now: ReadonlyMap<string, T>,
  at: Moment,
  isSame: (before: T, now: T) => boolean,
): void {
  for (const [name, value] of now) add(versions, name, value, at, isSame)
  for (const [name, known] of versions) {
    if (!now.has(name) && known.at(-1)?.value !== undefined)
      known.push({ value: undefined, fromUs: at.atUs, event: at.event })
  }
}

function add<T>(
  versions: Map<string, Version<T>[]>,
  name: string,
  value: T,
  { atUs, event }: Moment,
  isSame: (before: T, now: T) => boolean,
): void {
  const known = versions.get(name)
  const last = known?.at(-1)?.value
  if (known === undefined) versions.set(name, [{ value, fromUs: atUs, event }])
  else if (last === undefined || !isSame(last, value)) known.push({ value, fromUs: atUs, event })
}

/** What it may have been seen as in this span; before the first version it was not there. */
function within<T>(versions: readonly Version<T>[] = [], fromUs: number, toUs: number): readonly (T | undefined)[] {
  const seen = versions.filter(
    (version, at) => version.fromUs <= toUs && (versions[at + 1]?.fromUs ?? Number.POSITIVE_INFINITY) >= fromUs,
  )
  const wasThere = versions[0] !== undefined && versions[0].fromUs <= fromUs
  return wasThere ? seen.map(({ value }) => value) : [undefined, ...seen.map(({ value }) => value)]
}

function sameToken(before: TokenState, now: TokenState): boolean {
  return (
    before.accessor === now.accessor &&
    before.management === now.management &&
    before.legacyRules === now.legacyRules &&
    before.policies.length === now.policies.length &&
    before.policies.every((id, at) => id === now.policies[at])
  )
}

export const accessHistory = checker({
  codes: {
    A1: {
      text: 'no escalation: what is allowed, some state of that time allows by its rules',
      sources: ['docs/reference/access-control.md#evaluation'],
      judges: ['visit allowed', 'visits allowed'],
      excuses: {
        'out of reach':
          'An agent that reaches no server may go on with whatever it has known; until it has reached one for 15 seconds.',
      },
    },
  },
  also: [tokenMigration],
  make: (run) => new AccessHistory(run, run.resolution),
  takes: {
    'settings read': (it, { config: { access } }) => {
      const ttlUs = (access.tokenTtlMs + access.policyTtlMs) * 1000
      it.settings({ ttlUs, defaultPolicy: access.defaultPolicy })
    },
    'access changed': (it, { state }) => it.changed(state),
    'token written': (it, { atUs, secret, token }) => it.tokenWritten(atUs, secret, token),
    'visit made': (it, visit) => it.visited(visit),
  },
})
