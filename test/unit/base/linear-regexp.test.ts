import { describe, expect, it } from 'vitest'
import { LinearRegexp } from '../../../src/base/linear-regexp.ts'
import { fc } from '../../fast-check.ts'

function matches(expression: string, text: string): boolean | string {
  const regexp = LinearRegexp.from(expression)
  return regexp.ok ? regexp.value.test(text) : regexp.error
}

/** Pieces of which both syntaxes mean the same. */
const piece = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '[a-c]',
  '\\d',
  '\\w',
  '\\s',
  '\\b',
  '^',
  '$',
  'a*',
  'b+',
  'a?',
  'c{2}',
  'a{1,2}',
  'b{0,}',
  '(a|b)',
  '(a|bc)*',
  '(?:ab)+',
  '\\.',
  '-',
  '|',
  '(^a|b$)',
  '[\\d-]',
  '[^\\w]',
  '(a*)*',
) // prettier-ignore
const text = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', 'c', '1', '-', '.', ' ') })

describe('regular expressions that come from elsewhere', () => {
  it('mean what they mean to the engine', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), text, (pieces, some) => {
        const expression = pieces.join('')
        expect([expression, some, matches(expression, some)]).toEqual([
          expression,
          some,
          new RegExp(expression).test(some),
        ])
      }),
      { numRuns: process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 2_000 },
    )
  })

  it('are matched in linear time where the engine would take for ever', () => {
    const long = `${'a'.repeat(5_000)}!`
    expect(matches('^(a+)+$', long)).toBe(false)
    expect(matches('^(a|aa)+$', long)).toBe(false)
    expect(matches('(x+x+)+y', 'x'.repeat(5_000))).toBe(false)
  })

  for (const [expression, error] of [
    ['*', 'missing argument to repetition operator: `*`'],
    ['a|+', 'missing argument to repetition operator: `+`'],
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['\\q', 'invalid escape sequence: `\\q`'],
    ['a\\', 'trailing backslash at end of expression'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
  ] as const) {
    it(`${expression} is refused in the words of the field`, () => {
      expect(matches(expression, 'a')).toBe(`error parsing regexp: ${error}`)
    })
  }

  it('know flags, quotes and named classes', () => {
    expect(matches('(?i)WEB-[[:digit:]]+', 'web-7')).toBe(true)
    expect(matches('(?i:w)eb', 'WEB')).toBe(false)
    expect(matches('^\\Qa.b\\E$', 'axb')).toBe(false)
    expect(matches('^\\Qa.b\\E$', 'a.b')).toBe(true)
    expect(matches('(?s)a.b', 'a\nb')).toBe(true)
    expect(matches('(?m)^b$', 'a\nb\nc')).toBe(true)
    expect(matches('^.$', '\u{1f600}')).toBe(true)
  })

  it('of which too much would come are refused', () => {
    expect(matches('((a{1000}){1000}){1000}', 'a')).toMatch(/expression too large/)
    expect(matches('a{1001}', 'a')).toMatch(/invalid repeat count/)
    expect(matches('('.repeat(999) + ')'.repeat(999), 'a')).not.toBe(false)
    expect(matches('a'.repeat(2_000), 'a')).toMatch(/longer than 1000/)
  })

  it.each([
    ['a{1000}'.repeat(5), true],
    ['a{1000}'.repeat(6), false],
    ['(a{50}){50}', true],
    ['((a{10}){40}){20}', false],
    ['(?:(?:ab){1,1000}){1,3}', false],
    ['a{3000', true],
    ['\\pL{90}', true],
    ['\\pL{200}', false],
    ['[^a-z\\]{]{200}', false],
    ['[a{1000}[:alpha:]\\]]'.repeat(40), true],
    ['(a{1000}'.repeat(100), false],
  ])('are compiled only where what they count is little enough when it is written out: %s', (expression, isTaken) => {
    const answer = matches(expression, 'a')
    if (isTaken) expect(String(answer)).not.toContain('too large')
    else expect(answer).toBe(`error parsing regexp: expression too large: \`${expression}\``)
  })
})
