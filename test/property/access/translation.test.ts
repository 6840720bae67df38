import { describe, expect, it } from 'vitest'
import type { Statement } from '../../../sim/checkers/access/access-judge.ts'
import { authorizerOf } from '../../../src/access/policy-authorizer.ts'
import { parseRules } from '../../../src/access/reading.ts'
import { type Grammar, labelledResources, type RuleSet } from '../../../src/access/rules.ts'
import { translateRules } from '../../../src/access/translate.ts'
import { fc } from '../../fast-check.ts'
import { jsonOf, name, statements } from './rules.ts'

const long = process.env['SVC_TEST_LONG'] === '1'

/** Of three forms; each is found again by its number. */
const comment = fc.constantFrom('# %\n', '// %\n', '/* % */')
const gap = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(' ', '\n', '\n\n', '\t') },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(' ', '\n', '\n\n'), comment).map((parts) => parts.join('')) },
)

/** Pieces of a text with a gap behind each: whatever may stand between two words of HCL. */
function spaced(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc.array(gap, { minLength: pieces.length, maxLength: pieces.length }).map((gaps) => {
    let count = 0
    return pieces.map((piece, at) => `${piece}${(gaps[at] ?? '').replace('%', () => `c${count++}.`)}`).join('')
  })
}

function piecesOf({ block, label, policy, intentions }: Statement): readonly string[] {
  if (['acl', 'keyring', 'operator'].includes(block)) return [block, '=', `"${policy}"`]
  const more = intentions === '' ? [] : ['intentions', '=', `"${intentions}"`]
  return [block, `"${label}"`, '{', 'policy', '=', `"${policy}"`, ...more, '}']
}

/** With lines that only the new grammar knows among them. */
const legacy = fc
  .tuple(statements('legacy'), statements('new'), fc.boolean())
  .map(([some, strange, isStrange]) => (isStrange ? [...some, ...strange.slice(0, 2)] : some))
  .map((some) =>
    some.filter(({ block }, at) => !isScalar(block) || some.findIndex((one) => one.block === block) === at),
  )

const text = fc.oneof(
  { weight: 3, arbitrary: legacy.chain((some) => spaced(some.flatMap(piecesOf))) },
  { weight: 1, arbitrary: legacy.map(jsonOf) },
)

function isScalar(block: string): boolean {
  return ['acl', 'keyring', 'operator'].includes(block)
}

function read(written: string, grammar: Grammar): RuleSet {
  const parsed = parseRules(written, grammar)
  if (!parsed.ok) throw new Error(`${parsed.error} in ${written}`)
  return parsed.value
}

function translate(written: string): string {
  const translated = translateRules(written)
  if (!translated.ok) throw new Error(translated.error)
  return translated.value
}

function commentsIn(written: string): readonly string[] {
  return [...written.matchAll(/c\d+\./g)].map(([found]) => found).sort((a, b) => (a < b ? -1 : 1))
}

describe('the translation of legacy rules', () => {
  it('has the same rules, and every comment', () => {
    fc.assert(
      fc.property(text, (written) => {
        const after = translate(written)
        const { rules, scalars } = read(written, 'legacy')
        expect([after, { ...read(after, 'new'), grammar: '' }]).toEqual([after, { rules, scalars, grammar: '' }])
        expect(commentsIn(after)).toEqual(commentsIn(written))
      }),
      { numRuns: long ? 20_000 : 125 },
    )
  })

  it('lets a token do the same', () => {
    fc.assert(
      fc.property(text, fc.array(name, { minLength: 10, maxLength: 10 }), (written, names) => {
        const [before, after] = [read(written, 'legacy'), read(translate(written), 'new')].map((rules) =>
          authorizerOf({
            accessor: '',
            rulesets: [{ policy: '', rules }],
            defaultPolicy: 'deny',
            keyListPolicy: true,
          }),
        )
        for (const resource of ['acl', 'operator', 'keyring', 'intention', ...labelledResources] as const) {
          for (const asked of names) {
            for (const right of ['read', 'list', 'write'] as const) {
              expect(after?.allows(resource, asked, right)).toBe(before?.allows(resource, asked, right))
            }
          }
        }
      }),
      { numRuns: long ? 2_000 : 30 },
    )
  })

  it('translated again, or laid out again, is what it was', () => {
    fc.assert(
      fc.property(statements('legacy'), fc.boolean(), (some, isJson) => {
        const once = translate(isJson ? jsonOf(some) : some.flatMap(piecesOf).join('\n'))
        const again = translate(once.replaceAll('_prefix', ''))
        if (!once.includes('# It had no meaning')) expect(again).toBe(once)
      }),
      { numRuns: long ? 5_000 : 50 },
    )
  })
})
