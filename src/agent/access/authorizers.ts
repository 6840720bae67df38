import { type Authorizer, managementOf } from '../../access/authorizer.ts'
import { type Enforcement, enforcedBy } from '../../access/enforcement.ts'
import { authorizerOf, type PolicyAuthorizerOptions } from '../../access/policy-authorizer.ts'
import { parseRules } from '../../access/reading.ts'
import { type Comparing, dual } from '../../access/rehearsal.ts'
import type { RuleSet } from '../../access/rules.ts'
import { translateRules } from '../../access/translate.ts'
import { invariant } from '../../base/invariant.ts'
import { ok } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { AccessPolicy } from '../settings/access-settings.ts'
import { Lru } from './lru.ts'
import type { RuleText, TokenRights } from './rights.ts'

/** Maximum number of rule texts whose parsed form is cached and shared by all tokens with the same rules. */
const parsedMax = 512
/** Maximum number of their characters together. */
const parsedLettersMax = 8 << 20

export interface AuthorizersParts {
  readonly env: Env
  readonly defaultPolicy: AccessPolicy
  readonly keyListPolicy: boolean
  /** Undefined: every rule is enforced. */
  readonly enforces: Enforcement | undefined
  /** Wraps each authorizer before its first use. */
  readonly dressed?: (authorizer: Authorizer) => Authorizer
  /** Compares rules of the legacy grammar with their translation into the new one; absent: no comparison. */
  readonly comparing?: Comparing
}

/** Makes authorizers from the rights of tokens, by the settings of this agent. */
export class Authorizers {
  readonly #parts: AuthorizersParts
  readonly #parsed = new Lru<string, RuleSet | 'unreadable'>(parsedMax, {
    max: parsedLettersMax,
    of: (_rules, text) => text.length,
  })

  constructor(parts: AuthorizersParts) {
    this.#parts = parts
  }

  of({ accessor, management, rules }: TokenRights): Authorizer {
    if (management) return managementOf(accessor)
    const rulesets: SourcedRules[] = []
    for (const rule of rules) {
      const parsed = this.#read(rule, accessor)
      // Rules that cannot be parsed may have denied something: nothing is granted at all.
      if (parsed === 'unreadable') return this.allOrNothing('deny', accessor)
      rulesets.push({ policy: rule.policy, rules: parsed })
    }
    const translated = this.#translated(rules, accessor)
    return this.#made(accessor, rulesets, this.#parts.defaultPolicy, translated)
  }

  /**
   * What the same rules grant in the new grammar. Undefined if there is no comparison, or the rules are not of the
   * legacy grammar.
   */
  #translated(rules: readonly RuleText[], accessor: string): Authorizer | undefined {
    if (this.#parts.comparing?.isOn() !== true || !rules.some(({ grammar }) => grammar === 'legacy')) return undefined
    const { defaultPolicy, keyListPolicy } = this.#parts
    const rulesets: SourcedRules[] = []
    for (const { policy, grammar, text } of rules) {
      const other = grammar === 'legacy' ? translateRules(text) : ok(text)
      const parsed = other.ok ? this.#read({ policy, grammar: 'new', text: other.value }, accessor) : 'unreadable'
      if (parsed === 'unreadable') {
        return authorizerOf({ accessor, rulesets: [], defaultPolicy: 'deny', keyListPolicy })
      }
      rulesets.push({ policy, rules: parsed })
    }
    return authorizerOf({ accessor, rulesets, defaultPolicy, keyListPolicy })
  }

  /**
   * The authorizer of the token with which an operator reaches this agent while no server can be asked. Reference:
   * access-control.md#special-agent-master.
   */
  agentMaster(nodeName: string): Authorizer {
    const text = JSON.stringify({ agent: { [nodeName]: { policy: 'write' } }, node_prefix: { '': { policy: 'read' } } })
    const rules = parseRules(text, 'new')
    invariant(rules.ok, 'the rules of the agent master token can be read')
    return this.#made('', [{ policy: 'agent master', rules: rules.value }], 'deny')
  }

  /** An authorizer without rules: one policy decides everything. */
  allOrNothing(defaultPolicy: AccessPolicy, accessor = ''): Authorizer {
    return this.#made(accessor, [], defaultPolicy)
  }

  #made(
    accessor: string,
    rulesets: readonly SourcedRules[],
    defaultPolicy: AccessPolicy,
    translated?: Authorizer,
  ): Authorizer {
    const { keyListPolicy, enforces, dressed, comparing } = this.#parts
    const own = authorizerOf({ accessor, rulesets, defaultPolicy, keyListPolicy })
    const plain = translated === undefined || comparing === undefined ? own : dual(own, translated, comparing)
    const enforced = enforces === undefined ? plain : enforcedBy(enforces, plain)
    return dressed === undefined ? enforced : dressed(enforced)
  }

  #read({ policy, grammar, text }: RuleText, accessor: string): RuleSet | 'unreadable' {
    const key = `${grammar} ${text}`
    const known = this.#parsed.get(key)
    if (known !== undefined) return known
    const parsed = parseRules(text, grammar)
    const rules = parsed.ok ? parsed.value : 'unreadable'
    if (!parsed.ok) {
      const fields = { accessor, policy, error: parsed.error }
      this.#parts.env.log.write(
        'error',
        'acl',
        'rules cannot be read: tokens with them have no rights',
        fields,
        'sampled',
      )
    }
    this.#parsed.set(key, rules)
    return rules
  }
}

type SourcedRules = PolicyAuthorizerOptions['rulesets'][number]
