import { describe, expect, it } from 'vitest'
import { parseHcl } from '../../../src/hcl/hcl.ts'
import { plainValue } from '../../../src/hcl/tree.ts'
import { fc } from '../../fast-check.ts'
import { fieldValue } from './field-parser.ts'

const long = process.env['SVC_TEST_LONG'] === '1'

const word = fc.constantFrom('a', 'b', 'service', 'node_prefix', 'a-b', 'a.b', '_x')
const scalar = fc.constantFrom(
  '1',
  '-3',
  '0x1F',
  '017',
  '"x"',
  '""',
  '"a\\n\\"b\\u00e9\\x41\\101"',
  '"${f("x")} y"',
  'true',
  'false',
  '<<EOF\nhello\n  world\nEOF\n',
  '<<-EOF\n  hello\n    world\n  EOF\n',
) // prettier-ignore
const gap = fc.constantFrom(' ', '\n', '\t', ' # note\n', '// note\n', '/* note */ ')

/** Text of HCL, well formed but for names of which the kinds clash. */
const { body } = fc.letrec<{ body: string; item: string; value: string }>((tie) => ({
  body: fc
    .array(fc.tuple(tie('item'), gap, fc.constantFrom('', ',')), { maxLength: 4 })
    .map((items) => items.map(([item, space, comma]) => `${item}${space}${comma}\n`).join('')),
  item: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(word, gap, tie('value')).map(([key, space, value]) => `${key}${space}=${space}${value}`),
    fc.tuple(word, tie('body')).map(([key, inside]) => `${key} {\n${inside}}`),
    fc.tuple(word, word, tie('body')).map(([key, label, inside]) => `${key}_l "${label}" {${inside}}`),
  ),
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    tie('body').map((inside) => `{\n${inside}}`),
  ),
}))

/** Pieces in any order: mostly no HCL at all. */
const rubble = fc
  .array(
    fc.oneof(word, scalar, gap, fc.constantFrom('=', '{', '}', '[', ']', ',', '"', '<<EOF\n', '.', '-', '+', '8')),
    {
      maxLength: 12,
    },
  )
  .map((pieces) => pieces.join(''))
  // What begins with a brace is JSON to the oracle.
  .filter((text) => !/^\s*\{/.test(text))

describe('HCL', () => {
  it.each(['1.5e3', '.5', '1.', '1e2', '-1.25', '0.0'])('reads the number %s as the field does', (number) => {
    const parsed = parseHcl(`a = ${number}`)
    expect(parsed.ok && plainValue(parsed.value)).toEqual(fieldValue(`a = ${number}`))
  })

  it('is read as the field reads it', () => {
    fc.assert(
      fc.property(body, (text) => {
        const parsed = parseHcl(text)
        const theirs = fieldValue(text)
        // Names that are of several kinds: refused here, there mostly.
        if (!parsed.ok) expect([text, parsed.error.message]).toEqual([text, expect.stringContaining('of one kind')])
        else expect([text, plainValue(parsed.value)]).toEqual([text, theirs])
      }),
      { numRuns: long ? 20_000 : 75 },
    )
  })

  it('is refused where the field refuses it, and rubble never does harm', () => {
    fc.assert(
      fc.property(rubble, (text) => {
        const parsed = parseHcl(text)
        const theirs = fieldValue(text)
        if (!parsed.ok) expect(parsed.error.offset).toBeLessThanOrEqual(text.length)
        else expect([text, plainValue(parsed.value)]).toEqual([text, theirs])
        if (!parsed.ok && !/of one kind|no value stands after/.test(parsed.error.message))
          expect([text, theirs]).toEqual([text, undefined])
      }),
      { numRuns: long ? 50_000 : 500 },
    )
  })
})
