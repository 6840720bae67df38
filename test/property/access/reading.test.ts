import parser from 'js-hcl-parser'
import { describe, expect, it } from 'vitest'
import { parseRules } from '../../../src/access/reading.ts'
import { fc } from '../../fast-check.ts'
import { hclOf, jsonOf, statements } from './rules.ts'

const long = process.env['SVC_TEST_LONG'] === '1'

/** What the field's own parser says of a text; undefined: it takes it. */
function fieldProblem(text: string): string | undefined {
  const [, problem] = /^unable to parse JSON: (.*)$/s.exec(parser.parse(text)) ?? []
  return problem
}

/** A text of rules with a piece cut out and another put in. */
const spoiled = fc
  .tuple(
    statements('new'),
    fc.nat(400),
    fc.nat(6),
    fc.constantFrom('', '', '{', '}', '"', '=', '$', 'x ', '[', '1', '\n'),
  )
  .map(([some, at, length, piece]) => {
    const text = hclOf(some)
    return `${text.slice(0, at)}${piece}${text.slice(at + length)}`
  })

/**
 * Said in other words here: numbers, lists and values that end too early, strings that are left open, and what has no
 * place there, because it is found when the whole text has been read.
 */
const otherWords = /strconv|list|FLOAT|literal not terminated|got: IDENT|^At -:/
const otherEnd = /=\s*\}|[=\d]\s*$|\[[^\]]*$/

describe('a text of rules', () => {
  it('that is malformed is refused in the words of the field, with its place', () => {
    let compared = 0
    fc.assert(
      fc.property(spoiled, (text) => {
        const theirs = fieldProblem(text)
        const ours = parseRules(text, 'new')
        // They take it; what the rules in it say is not theirs to judge.
        if (theirs === undefined || otherWords.test(theirs) || otherEnd.test(text) || /^\s*\{/.test(text)) return
        compared++
        expect([text, ours.ok ? '' : ours.error]).toEqual([text, `Failed to parse ACL rules: ${theirs}`])
      }),
      { numRuns: long ? 20_000 : 300 },
    )
    expect(compared).toBeGreaterThan(100)
  })

  it('that is spoiled JSON is rules or a line, never anything else', () => {
    fc.assert(
      fc.property(statements('new'), fc.nat(400), fc.nat(3), fc.string({ maxLength: 2 }), (some, at, length, piece) => {
        const whole = jsonOf(some)
        const text = `${whole.slice(0, at)}${piece}${whole.slice(at + length)}`
        const read = parseRules(text, 'new')
        if (!read.ok) expect(read.error).toMatch(/^(Failed to parse ACL rules: At \d+:\d+: |Invalid \w+ )/)
      }),
      { numRuns: long ? 50_000 : 500 },
    )
  })
})
