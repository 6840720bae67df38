import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compare } from '../../conformance/golden/comparer.ts'
import { holds } from '../../conformance/golden/conditions.ts'
import { type Exact, parseExact } from '../../conformance/golden/exact-json.ts'
import { lookup, places, shape } from '../../conformance/golden/json-path.ts'
import { Normaliser } from '../../conformance/golden/normaliser.ts'
import { fill, loadRecorded, loadSequence, type Recorded, stepId } from '../../conformance/golden/sequence.ts'
import { judge } from '../../conformance/golden/verdict.ts'

const files = readdirSync(new URL('../../golden/sequences/', import.meta.url)).sort()
const base: Recorded = { id: 'x', status: 200, headers: { Vary: 'a' }, json: { A: 1, B: [{ C: 'c' }] } }
const categories = (want: Recorded, got: Recorded, strict = false) =>
  compare(want, got, strict).map(({ category }) => category)

describe('the recordings', () => {
  it('answer every step of their sequences, under the IDs that the player gives', () => {
    for (const file of files) {
      const steps = loadSequence(file).steps
      const ids = steps.flatMap((step, at) => ((step.sleep ?? step.spawn) === undefined ? [stepId(step, at)] : []))
      expect(loadRecorded(file).map(({ id }) => id)).toEqual(ids)
    }
  })

  it('are equal to themselves', () => {
    for (const file of files) {
      for (const step of loadRecorded(file)) expect(compare(step, step, true)).toEqual([])
    }
  })
})

describe('comparing', () => {
  it('finds what differs, by category', () => {
    expect(categories(base, { ...base, status: 404 })).toEqual(['status'])
    expect(categories(base, { ...base, headers: {} })).toEqual(['header-presence', 'header-value'])
    expect(categories(base, { ...base, headers: { Vary: 'b' } })).toEqual(['header-value'])
    expect(categories(base, { ...base, json: { A: 2, B: [{ C: 'c' }] } })).toEqual(['value'])
    expect(categories(base, { ...base, json: { A: 'x', B: [{ C: 'c' }] } })).toEqual(['shape', 'value'])
    expect(categories(base, { id: 'x', status: 200, headers: { Vary: 'a' }, text: 'A' })).toEqual(['shape', 'value'])
    expect(categories(base, { id: 'x', error: 'refused' })).toEqual(['answer'])
    expect(categories({ ...base, assert: { 'a < b': true } }, { ...base, assert: { 'a < b': false } })).toEqual([
      'assert',
    ])
  })

  it('tells integers apart that a double would round together', () => {
    const flags = (text: string): Recorded => ({ ...base, json: parseExact(text) })
    expect(categories(flags('[18446744073709551615]'), flags('[18446744073709551614]'))).toEqual(['value'])
    expect(categories(flags('[9007199254740993]'), flags('[9007199254740993]'))).toEqual([])
  })

  it('grants more keys, 400 for 500 and other words of a library, unless strict', () => {
    const more: Recorded = { ...base, json: { A: 1, B: [{ C: 'c', D: 1 }], E: null } }
    expect([categories(base, more), categories(base, more, true)]).toEqual([[], ['shape', 'value']])
    const text = (status: number, line: string): Recorded => ({ id: 'x', status, headers: {}, text: line })
    expect(categories(text(500, 'strconv.X'), text(400, 'bad flags'))).toEqual([])
    expect(categories(text(500, 'strconv.X'), text(400, 'bad flags'), true)).toEqual(['status', 'value'])
    expect(categories(text(400, 'cas: strconv.X'), text(400, 'cas: bad'))).toEqual([])
    expect(categories(text(400, 'Invalid index'), text(400, 'bad index'))).toEqual(['value'])
    expect(categories(text(400, 'Invalid index'), text(500, 'Invalid index'))).toEqual(['status'])
  })

  it('does not grant missing keys, nor longer lists', () => {
    expect(categories(base, { ...base, json: { A: 1 } })).toEqual(['shape', 'value'])
    expect(categories(base, { ...base, json: { A: 1, B: [{ C: 'c' }, { C: 'c' }] } })).toEqual(['value'])
  })
})

describe('normalising', () => {
  it('numbers UUIDs across steps, and keeps those that were chosen', () => {
    const normaliser = new Normaliser({ server: 20_300 })
    const [a, b] = ['0e5fbd0f-3b0a-4e6f-8d35-0b5f0f0f0f0f', '1e5fbd0f-3b0a-4e6f-8d35-0b5f0f0f0f0f']
    expect(normaliser.value({ ID: b })).toEqual({ ID: '<uuid:1>' })
    expect(normaliser.text(`${a} then ${b} at 127.0.0.1:20300, not 120300`)).toBe(
      '<uuid:2> then <uuid:1> at 127.0.0.1:<port:server>, not 120300',
    )
    expect(normaliser.text('aaaaaaaa-0000-4000-8000-000000000001')).toBe('aaaaaaaa-0000-4000-8000-000000000001')
  })

  it('hides indexes but keeps whether a row was ever changed', () => {
    const normaliser = new Normaliser({})
    expect(normaliser.value({ CreateIndex: 4, ModifyIndex: 4 })).toEqual({
      CreateIndex: '<index>',
      ModifyIndex: '<index = CreateIndex>',
    })
    expect(normaliser.value({ CreateIndex: 4, ModifyIndex: 5 })).toMatchObject({ ModifyIndex: '<index>' })
    expect(normaliser.value({ CreateIndex: 0, ModifyIndex: 0 })).toMatchObject({ ModifyIndex: 0 })
  })

  it('hides times, durations and certificates, and leaves round durations alone', () => {
    const normaliser = new Normaliser({})
    expect(normaliser.text('2026-11-21T03:19:40Z 1.5ms 10s 0001-01-01T00:00:00Z')).toBe(
      '<time> <dur> 10s 0001-01-01T00:00:00Z',
    )
    expect(normaliser.text('-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n')).toBe('<pem:CERTIFICATE>')
  })

  it('keeps the compared headers, those of an alias folded into the product’s own', () => {
    const headers = new Normaliser({}).headers([
      ['X-Svc-Index', '12'],
      ['X-Consul-Index', '12'],
      ['X-Svc-Knownleader', 'true'],
      ['X-Consul-Knownleader', 'false'],
      ['Date', 'now'],
      ['Content-Type', 'application/json'],
    ])
    expect(headers).toEqual({
      'X-Svc-Index': '<n>',
      'X-Svc-Knownleader': 'true, false',
      'Content-Type': 'application/json',
    })
  })
})

describe('conditions', () => {
  const observed = {
    status: 200,
    elapsedSeconds: 1.5,
    headers: [['X-Svc-Index', '12'] as const],
    json: parseExact('{"Healthy":true,"Roots":[1,2],"Name":"a"}'),
  }
  const saved = new Map<string, Exact>([
    ['i', 11],
    ['name', 'a'],
  ])
  it.each([
    ['header.X-Svc-Index > $i', true],
    ['header.X-Svc-Index > 12', false],
    ['elapsed >= 1.4', true],
    ['elapsed < 1', false],
    ['body.Roots.# == 2', true],
    ['body.Roots.1 == 2', true],
    ['body.Healthy == 1', true],
    ['body.Name == "a"', true],
    ['body.Name == $name', true],
    ['body.Missing == 1', false],
    ['body.Missing > 1', false],
    ['$unknown < 1', false],
    ['status == 200', true],
  ])('%s is %s', (condition, expected) => {
    expect(holds(condition, observed, saved)).toBe(expected)
  })
})

describe('paths and templates', () => {
  it('name places by key, number and star', () => {
    const value = parseExact('{"a":[{"b":1},{"b":2}],"c":{"x":3,"y":4}}')
    expect([lookup(value, 'a.1.b'), lookup(value, 'a.-1.b'), lookup(value, 'a.2.b'), lookup(value, '')]).toEqual([
      2,
      2,
      undefined,
      value,
    ])
    expect(places(value, 'c.*').map((place) => place.read())).toEqual([3, 4])
    expect(shape(value)).toEqual({ a: [{ b: 'number' }], c: { x: 'number', y: 'number' } })
  })

  it('are filled from what was saved, a whole one with its type', () => {
    const variables = new Map([['i', 7]])
    expect(fill(['{{i}}', 'index={{i}}&x={{no}}', { a: '{{i}}' }], variables)).toEqual([
      7,
      'index=7&x={{no}}',
      { a: 7 },
    ])
  })
})

describe('the verdict', () => {
  const want = [base, { ...base, id: 'y' }]
  const notYet = [{ sequence: 'f.json', feature: 'catalog', steps: ['y'] }]
  const other = { ...base, id: 'y', status: 404 }

  it('lets a listed step differ, and nothing else', () => {
    const verdict = judge('f.json', want, [base, other], [], notYet)
    expect([verdict.matched, [...verdict.notYet], verdict.faults]).toEqual([['x'], [['y', 'catalog']], []])
    expect(judge('f.json', want, [base, other], [], []).faults).toHaveLength(1)
    expect(judge('f.json', want, [base], [], []).faults).toEqual(['f.json y:\n    answer: want 200, got not played'])
  })

  it('fails a listed step that matches, and one that does not exist', () => {
    expect(judge('f.json', want, want, [], notYet).faults).toEqual([
      'f.json y: matches now; take it off the list of what waits for catalog',
    ])
    expect(judge('f.json', [base], [base], [], notYet).faults).toHaveLength(1)
  })

  it('grants a numbered divergence', () => {
    const divergences = [{ number: 'DIV-001', sequence: '^f', step: '^y', reason: 'better' }]
    const verdict = judge('f.json', want, [base, other], divergences, [])
    expect([[...verdict.diverging], verdict.faults]).toEqual([[['y', 'DIV-001']], []])
  })
})
