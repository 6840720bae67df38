import type { AccessSettings, Need, TokenState, Visit } from './access-facts.ts'
import { type JudgedToken, judge, judgeTree, type Statement, statementsOf } from './access-judge.ts'
import { type AccessVersions, within } from './access-versions.ts'

interface TokenRules {
  readonly grammar: 'legacy' | 'new'
  readonly text: string
}

/** What the states of a time say about a request. */
export class AccessVerdicts {
  #defaultPolicy: AccessSettings['defaultPolicy'] = 'deny'
  /** By text. */
  readonly #statements = new Map<string, readonly Statement[]>()

  settings({ defaultPolicy }: AccessSettings): void {
    this.#defaultPolicy = defaultPolicy
  }

  /** The verdicts of all combinations of states in which the token and its policies may have been seen. */
  of(
    versions: AccessVersions,
    { secret, needs, returnUs }: Pick<Visit, 'secret' | 'needs' | 'returnUs'>,
    fromUs: number,
  ): readonly Visit['said'][] {
    return within(versions.tokens.get(secret), fromUs, returnUs).flatMap((token): readonly Visit['said'][] => {
      if (token === undefined) return ['not found']
      if (token.management) return ['allowed']
      const rules = rulesOf(versions, token, fromUs, returnUs)
      return rules.map((each) => (this.#allows(each, needs) ? 'allowed' : 'denied'))
    })
  }

  #allows(rules: readonly TokenRules[], needs: readonly Need[]): boolean {
    const texts = rules.map(({ grammar, text }) => ({ legacy: grammar === 'legacy', statements: this.#read(text) }))
    return needs.every((need) => isGranted({ texts, defaultPolicy: this.#defaultPolicy, listing: false }, need))
  }

  #read(text: string): readonly Statement[] {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statements = statementsOf(text)
    this.#statements.set(text, statements)
    return statements
  }
}

function isGranted(token: JudgedToken, { resource, name, right, or }: Need): boolean {
  const isItself = right === 'tree' ? judgeTree(token, name) : judge(token, { resource, name, right })
  return isItself || (or?.every((each) => isGranted(token, each)) ?? false)
}

function rulesOf(
  versions: AccessVersions,
  { legacyRules, policies }: TokenState,
  fromUs: number,
  toUs: number,
): readonly (readonly TokenRules[])[] {
  if (legacyRules !== undefined) return [[{ grammar: 'legacy', text: legacyRules }]]
  let combined: readonly (readonly TokenRules[])[] = [[]]
  for (const id of policies) {
    const texts = within(versions.policies.get(id), fromUs, toUs)
    combined = combined.flatMap((rules) =>
      texts.map((text): readonly TokenRules[] => (text === undefined ? rules : [...rules, { grammar: 'new', text }])),
    )
  }
  return combined
}
