import { describe, expect, it } from 'vitest'
import {
  type JudgedToken,
  judge,
  judgeTree,
  type Question,
  type Statement,
  statementsOf,
} from '../../../sim/checkers/access/access-judge.ts'
import type { Ask, Authorizer, NamedResource } from '../../../src/access/authorizer.ts'
import { authorizerOf } from '../../../src/access/policy-authorizer.ts'
import { parseRules } from '../../../src/access/reading.ts'
import type { Grammar, RuleSet } from '../../../src/access/rules.ts'
import { fc } from '../../fast-check.ts'
import { hclOf, jsonOf, management, name, resources, statements } from './rules.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
/** Of each token so many questions are asked: in the long run a million. */
const questionsEach = 40
const tokens = long ? 25_000 : 200

interface Text {
  readonly grammar: Grammar
  readonly statements: readonly Statement[]
  readonly text: string
}

function text(grammar: Grammar): fc.Arbitrary<Text> {
  return fc
    .tuple(statements(grammar), fc.boolean())
    .map(([some, isJson]) => ({ grammar, statements: some, text: isJson ? jsonOf(some) : hclOf(some) }))
}

const everything: Text = { grammar: 'new', statements: management, text: hclOf(management) }

const texts = fc.oneof(
  { weight: 2, arbitrary: text('legacy').map((one) => [one]) },
  { weight: 4, arbitrary: fc.array(text('new'), { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.array(text('new'), { maxLength: 1 }).map((some) => [...some, everything]) },
)

const named: readonly NamedResource[] = ['intention', ...resources]

const question = fc.record({
  resource: fc.constantFrom<Ask['resource']>('acl', 'keyring', 'operator', ...named),
  name,
  right: fc.constantFrom('read' as const, 'list' as const, 'write' as const),
})

const token = fc.record({
  texts,
  defaultPolicy: fc.constantFrom('allow' as const, 'deny' as const),
  listing: fc.boolean(),
  questions: fc.array(question, { minLength: questionsEach, maxLength: questionsEach }),
})

function rulesOf({ text: written, grammar }: Text): RuleSet {
  const parsed = parseRules(written, grammar)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

type Drawn = Pick<typeof token extends fc.Arbitrary<infer T> ? T : never, 'texts' | 'defaultPolicy' | 'listing'>

function both({ texts: some, defaultPolicy, listing }: Drawn): readonly [Authorizer, JudgedToken] {
  const rulesets = some.map((one, at) => ({ policy: `p${at}`, rules: rulesOf(one) }))
  const judged = some.map((one) => ({ legacy: one.grammar === 'legacy', statements: one.statements }))
  return [
    authorizerOf({ accessor: '', rulesets, defaultPolicy, keyListPolicy: listing }),
    { texts: judged, defaultPolicy, listing },
  ]
}

/** Names at which every rule speaks, and one at which the default does. */
function names({ texts: some }: JudgedToken): readonly string[] {
  return ['~', ...some.flatMap(({ statements: lines }) => lines.flatMap(({ label }) => [label, `${label}~`]))]
}

function readable(judged: JudgedToken, resource: string): boolean {
  return names(judged).every((one) => judge(judged, { resource, name: one, right: 'read' }))
}

describe('what rules let a token do', () => {
  it('is what a plain reading of them says', () => {
    fc.assert(
      fc.property(token, ({ questions, ...drawn }) => {
        const [fast, judged] = both(drawn)
        const answers = questions.map((ask) => [ask, fast.allows(ask.resource, ask.name, ask.right)])
        expect(answers).toEqual(questions.map((ask) => [ask, judge(judged, ask)]))
        for (const { name: prefix } of questions.slice(0, 5)) {
          expect([prefix, fast.writesTree(prefix)]).toEqual([prefix, judgeTree(judged, prefix)])
        }
      }),
      { numRuns: tokens },
    )
  })

  it('is all of a resource, or everything, exactly where no name is refused', () => {
    fc.assert(
      fc.property(token, (drawn) => {
        const [fast, judged] = both(drawn)
        const read = named.filter((resource) => fast.readsAll(resource))
        expect(read).toEqual(named.filter((resource) => readable(judged, resource)))
        const writes = (question: Omit<Question, 'right'>): boolean => judge(judged, { ...question, right: 'write' })
        const isEverything =
          ['acl', 'keyring', 'operator'].every((resource) => writes({ resource, name: '' })) &&
          named.every((resource) => names(judged).every((one) => writes({ resource, name: one })))
        expect(fast.unrestricted).toBe(isEverything)
      }),
      { numRuns: long ? 25_000 : 150 },
    )
  })

  it('is explained as it is, by a rule that one of the texts has', () => {
    fc.assert(
      fc.property(token, ({ questions, ...drawn }) => {
        const [fast, judged] = both(drawn)
        const written = judged.texts.flatMap(({ statements: lines }) =>
          lines.flatMap(({ block, label }) => [`${block} "${label}"`, block]),
        )
        for (const { resource, name: asked, right } of questions) {
          const { allowed, by } = fast.explain(resource, asked, right)
          expect(allowed).toBe(fast.allows(resource, asked, right))
          if (by.kind === 'rule') expect(written).toContain(by.rule)
        }
      }),
      { numRuns: long ? 5_000 : 50 },
    )
  })

  it('parses the same from plain texts as the judge', () => {
    fc.assert(
      fc.property(statements('new'), (some) => {
        expect(statementsOf(hclOf(some))).toEqual(some)
      }),
      { numRuns: long ? 5_000 : 50 },
    )
    expect(() => statementsOf('key "a" { policy = "read" sentinel { } }')).toThrow('cannot parse')
  })
})
