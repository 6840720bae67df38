import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/base/json.ts'
import type { FieldType, ObjectType } from '../../../src/filter/fields.ts'
import { Filter } from '../../../src/filter/filter.ts'
import { fc } from '../../fast-check.ts'
import { secondOpinion, type Types } from './second-filter.ts'

const long = process.env['SVC_TEST_LONG'] === '1'

/** Every kind of field, with members that are called like operators. */
const types = {
  Node: { Name: 'text', Meta: { '*': 'text' }, Weight: 'number' },
  Service: {
    Name: 'text',
    Tags: ['text'],
    Ports: ['number'],
    Port: 'number',
    Native: 'flag',
    Meta: { '*': 'text' },
    Proxy: { Config: { '*': 'opaque' }, Upstreams: [{ Name: 'text', Port: 'number' }] },
  },
  Checks: [{ Status: 'text', Tags: ['text'], Header: { '*': ['text'] } }],
  not: 'text',
  in: ['text'],
} as const satisfies Types

const type = typeOf(types) as ObjectType

function typeOf(given: Types): FieldType {
  if (typeof given === 'string') return { kind: given }
  if (Array.isArray(given)) return { kind: 'list', item: typeOf((given as readonly [Types])[0]) }
  const members = given as { readonly [member: string]: Types }
  if (members['*'] !== undefined) return { kind: 'map', value: typeOf(members['*']) }
  return { kind: 'object', members: new Map(Object.entries(members).map(([name, of]) => [name, typeOf(of)])) }
}

const word = fc.constantFrom('a', 'b', 'ab', 'a.b', 'not', 'in', '')
const key = fc.constantFrom('a', 'b', 'or', 'constructor', '__proto__', 'a b')
const number = fc.constantFrom(0, 1, -1, 80, 8080)
const meta = fc.dictionary(key, word, { maxKeys: 3 })
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 })
const tags = fc.array(word, { maxLength: 3 })
const entry: fc.Arbitrary<Json> = fc.record({
  Node: rarely(fc.record({ Name: word, Meta: fc.option(meta, { freq: 4 }), Weight: number })),
  Service: fc.record({
    Name: word,
    Tags: fc.option(tags, { freq: 4 }),
    Ports: rarely(fc.array(number, { maxLength: 3 })),
    Port: rarely(number),
    Native: rarely(fc.boolean()),
    Meta: meta,
    Proxy: fc.record({
      Config: rarely(meta),
      Upstreams: rarely(fc.array(fc.record({ Name: word, Port: number }), { maxLength: 2 })),
    }),
  }),
  Checks: fc.array(fc.record({ Status: word, Tags: tags, Header: rarely(fc.dictionary(key, tags, { maxKeys: 2 })) }), {
    maxLength: 3,
  }),
  not: rarely(word),
  in: tags,
})

const space = fc.constantFrom(' ', '  ', '\n', '\t ')
const gap = fc.constantFrom('', '', ' ', '\n')
const quotedKey = fc.tuple(key, gap, gap).map(([name, before, after]) => `[${before}"${name}"${after}]`)
const keyed = fc.oneof(fc.constantFrom('.a', '.b', '.or', '.constructor'), quotedKey)
const texts = fc.oneof(
  fc.constantFrom('Node.Name', 'Service.Name', 'Checks.Status', 'Service.Proxy.Upstreams.Name', 'not'),
  fc.tuple(fc.constantFrom('Node.Meta', 'Service["Meta"]'), keyed).map((parts) => parts.join('')),
)
const numbers = fc.constantFrom('Node.Weight', 'Service.Port', 'Service.Proxy.Upstreams.Port')
const lists = fc.oneof(
  fc.constantFrom('Service.Tags', 'Checks.Tags', 'in', 'Node.Meta', 'Service.Meta', 'Service.Proxy.Config'),
  keyed.map((name) => `Checks.Header${name}`),
)
const bare = fc.constantFrom('a', 'b', 'ab', 'a.b', 'not', 'in', 'and', 'or', 'is', '1', '-1', '80')
const quoted = fc.constantFrom('"a"', '"a b"', '`a`', '``', '""', '"\\u0061"', '"or"', '"constructor"')
const value = fc.oneof(bare, quoted)
const pattern = fc.constantFrom('`^a`', '"b$"', '`[ab]+`', 'a', '`a|in`', '`.`', '"^$"')

function spelled(...parts: readonly (fc.Arbitrary<string> | string)[]): fc.Arbitrary<string> {
  return fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((all) => all.join(''))
}

const negatable = (operator: string) => spelled(fc.constantFrom('', 'not '), operator)
const comparison = fc.oneof(
  spelled(texts, gap, fc.constantFrom('==', '!='), gap, value),
  spelled(texts, space, negatable('contains'), space, value),
  spelled(value, space, negatable('in'), space, fc.oneof(texts, lists)),
  spelled(texts, space, negatable('matches'), space, pattern),
  spelled(numbers, gap, fc.constantFrom('==', '!='), gap, fc.constantFrom('0', '1', '80', '-1', '"0x50"', '`8080`')),
  spelled('Service.Native', gap, fc.constantFrom('==', '!='), gap, fc.constantFrom('true', 'False', '"t"', '0')),
  spelled(
    fc.oneof(lists, fc.constantFrom('Checks', 'Service.Ports')),
    space,
    fc.constantFrom('is empty', 'is not empty'),
  ),
  spelled(lists, space, negatable('contains'), space, value),
  spelled(fc.constantFrom('80', '"1"'), space, negatable('in'), space, 'Service.Ports'),
)

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    spelled(tie('expression'), space, fc.constantFrom('and', 'or'), space, tie('expression')),
    spelled('not', space, tie('expression')),
    spelled('(', gap, tie('expression'), gap, ')'),
  ),
}))

/** The expression with a part removed, doubled or put elsewhere: mostly a mistake, and at times another expression. */
const mistaken = fc
  .tuple(expression, fc.nat(), fc.nat(), fc.constantFrom('', '', ' ', '(', '"', '.a', 'not ', ' in ', '=='))
  .map(([text, from, length, put]) => {
    const at = from % (text.length + 1)
    return text.slice(0, at) + put + text.slice(at + (length % 4))
  })

function firstOpinion(text: string, of: Json): boolean | undefined {
  const filter = Filter.from(text, type)
  if (filter.ok) return filter.value.keeps(of, { work: 0 }) === true
  const place = /^Invalid filter at character (\d+): \S/.exec(filter.error)?.[1]
  expect(Number(place), filter.error).toBeGreaterThanOrEqual(1)
  expect(Number(place), filter.error).toBeLessThanOrEqual(text.length + 1)
  return undefined
}

describe('filters', () => {
  it('keep what a second evaluator keeps', () => {
    const kept = { true: 0, false: 0, undefined: 0 }
    const alike = fc.property(expression, entry, (text, of) => {
      const opinion = secondOpinion(text, types, of as never)
      expect(firstOpinion(text, of), text).toBe(opinion)
      kept[`${opinion}`]++
    })
    fc.assert(alike, { numRuns: long ? 1_000_000 : 1_000 })
    expect(Math.min(kept.true, kept.false)).toBeGreaterThan(200)
    // With a member called `not` there are texts that read otherwise than they were meant: `not contains in and …`.
    expect(kept.undefined).toBeLessThan((kept.true + kept.false) / 50)
  })

  it('are refused where the second evaluator refuses them', () => {
    const said = { refused: 0, taken: 0 }
    const alike = fc.property(mistaken, entry, (text, of) => {
      const opinion = secondOpinion(text, types, of as never)
      expect(firstOpinion(text, of), text).toBe(opinion)
      said[opinion === undefined ? 'refused' : 'taken']++
    })
    fc.assert(alike, { numRuns: long ? 1_000_000 : 1_000 })
    expect(Math.min(said.refused, said.taken)).toBeGreaterThan(100)
  })
})
