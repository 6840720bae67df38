import { describe, expect, it, vi } from 'vitest'
import { LinearRegexp } from '../../../src/base/linear-regexp.ts'
import type { ObjectType } from '../../../src/filter/fields.ts'
import { Filter } from '../../../src/filter/filter.ts'

const type: ObjectType = {
  kind: 'object',
  members: new Map([
    ['Name', { kind: 'text' }],
    ['Port', { kind: 'number' }],
    ['Tags', { kind: 'list', item: { kind: 'text' } }],
    ['Meta', { kind: 'map', value: { kind: 'text' } }],
    ['Config', { kind: 'map', value: { kind: 'opaque' } }],
    ['Checks', { kind: 'list', item: { kind: 'object', members: new Map([['Status', { kind: 'text' }]]) } }],
    ['Big', { kind: 'number' }],
  ]),
}

function problemOf(text: string): string {
  const filter = Filter.from(text, type)
  return filter.ok ? 'none' : filter.error.replace('Invalid filter at character ', '')
}

function keeps(text: string, entry: Parameters<Filter['keeps']>[0]): boolean {
  const filter = Filter.from(text, type)
  if (!filter.ok) throw new Error(filter.error)
  return filter.value.keeps(entry, { work: 0 }) === true
}

describe('a filter', () => {
  it.each([
    ['', '1: expected a selector, a value, "not" or an opening parenthesis, found the end of the filter'],
    [
      'Name',
      '5: expected "==", "!=", "in", "contains", "matches", each of the last three also with "not", or "is empty", found the end of the filter',
    ],
    ['Name ==', '8: expected a value after "==", found the end of the filter'],
    ['Name = web', '6: a single "=" is no operator; equality is "=="'],
    ["Name == 'web'", '9: strings stand in double quotes or backticks, not in single quotes'],
    ['Name == "web', '9: the string that begins here has no closing quote'],
    ['Name == "a\\q"', '11: unknown escape; use \\n, \\t, \\", \\\\, \\u00e9, or a string in backticks'],
    ['"é🙂" == Name', '6: expected "in" or "not in" after a value, found =='],
    ['(Name == web', '13: expected "and", "or" or a closing parenthesis, found the end of the filter'],
    ['Name == web)', '12: expected "and", "or" or the end of the filter, found )'],
    [
      'Name == web and',
      '16: expected a selector, a value, "not" or an opening parenthesis, found the end of the filter',
    ],
    ['Name == 1.2.3', '9: this number is malformed; a string such as "1.2.3" or "007" needs quotes'],
    [
      'Meta.my-key == a',
      '8: unexpected "-"; a map key with this character is written ["the-key"], a value "the-value"',
    ],
    ['Meta.a. == a', '9: expected a name after the dot, found =='],
    ['Nmae == web', '1: there is no selector "Nmae"; there are: Name, Port, Tags, Meta, Config, Checks, Big'],
    ['Checks.State == a', '8: "Checks" has no member "State"; there are: Status'],
    ['Name.First == a', '6: "Name" is a string, of which nothing further can be selected'],
    ['Config.a == b', '8: "Config" is a map, of which nothing further can be selected'],
    [
      'Name is empty',
      '6: "is empty" does not apply to "Name", a string; it takes ==, !=, in, not in, contains, not contains, matches, not matches',
    ],
    [
      'Tags == a',
      '6: "==" does not apply to "Tags", a list; it takes in, not in, contains, not contains, is empty, is not empty',
    ],
    ['Port == http', '9: the value is not a whole number'],
    ['Port == 80.5', '9: the value is not a whole number'],
    ['Big == 18446744073709551616', '8: the value is out of range'],
    ['Name matches "(a"', '14: error parsing regexp: missing closing ): `(a`'],
    ['Name matches "(a{900}){900}"', '14: the regular expressions of this filter are too large'],
  ])('tells what is wrong with %j, and where', (text, problem) => {
    expect(problemOf(text)).toBe(problem)
  })

  it('is bounded in length, depth, comparisons and regular expressions', () => {
    const many = (count: number, text: string, between: string) =>
      Array.from({ length: count }, () => text).join(between)
    expect(problemOf(many(128, 'Port==1', ' or '))).toBe('none')
    expect(problemOf(many(129, 'Port==1', ' or '))).toBe(`${128 * 11 + 5}: a filter has at most 128 comparisons`)
    expect(problemOf(`${'('.repeat(64)}Port==1${')'.repeat(64)}`)).toBe('none')
    expect(problemOf(`${'('.repeat(65)}Port==1${')'.repeat(65)}`)).toBe(
      '66: parentheses and "not" nest at most 64 deep',
    )
    expect(problemOf(`${'not '.repeat(65)}Port==1`)).toBe('261: parentheses and "not" nest at most 64 deep')
    expect(problemOf(`Name == "${'a'.repeat(4_096)}"`)).toBe('4097: a filter has at most 4096 characters')
    expect(problemOf(many(6, 'Name matches "(a{900})"', ' or '))).toContain(
      'the regular expressions of this filter are too large',
    )
  })

  it('reads every escape of a string, and none in backticks', () => {
    const entry = { Name: 'A\u00e9\u{1f642}\n\t"\\' }
    expect(keeps('Name == "\\x41\\u00e9\\U0001f642\\n\\t\\"\\\\"', entry)).toBe(true)
    expect(keeps('Name contains `\\`', entry)).toBe(true)
    expect(keeps('Name == "\\101\\u00e9"', { Name: 'Aé' })).toBe(true)
  })

  it('compares whole numbers of 64 bits', () => {
    expect(keeps('Big == 18446744073709551615', { Big: 0xffff_ffff_ffff_ffffn })).toBe(true)
    expect(keeps('Big == 18446744073709551614', { Big: 0xffff_ffff_ffff_ffffn })).toBe(false)
    expect(keeps('Big == 5', { Big: 5n })).toBe(true)
    expect(keeps('Big == "010"', { Big: 8 })).toBe(true)
  })

  it('counts its work, and that of a regular expression by the text', () => {
    const filter = Filter.from('Name matches "a+$"', type)
    if (!filter.ok) throw new Error(filter.error)
    const meter = { work: 0 }
    filter.value.keeps({ Name: 'b'.repeat(1_000) }, meter)
    expect(meter.work).toBeGreaterThan(1_000)
  })

  it('gives one entry up that takes too much work: before a long text is searched, or among many short ones', () => {
    const costly = Filter.from('Name matches "(a?){900}[xy]"', type)
    const many = Filter.from('Checks.Status matches "(a?){60}[xy]"', type)
    if (!costly.ok || !many.ok) throw new Error('both are filters')
    const searched = vi.spyOn(LinearRegexp.prototype, 'test')
    const meter = { work: 0 }
    expect(costly.value.keeps({ Name: 'b'.repeat(100_000) }, meter)).toBe('too-much-work')
    expect(searched).not.toHaveBeenCalled()
    expect(meter.work).toBeGreaterThan(400_000)
    const checks = Array.from({ length: 1_000 }, () => ({ Status: 'b'.repeat(100) }))
    expect(many.value.keeps({ Checks: checks }, meter)).toBe('too-much-work')
    expect(searched.mock.calls.length).toBeLessThan(400)
    expect(many.value.keeps({ Checks: checks.slice(0, 100) }, meter)).toBe(false)
    searched.mockRestore()
  })
})
