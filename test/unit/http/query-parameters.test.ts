import { describe, expect, it } from 'vitest'
import type { QueryParameters } from '../../../src/features/contract/route.ts'
import { parseQuery } from '../../../src/http/query-parameters.ts'

function query(rawQuery: string): QueryParameters {
  const result = parseQuery(rawQuery)
  if (!result.ok) throw new Error(result.error)
  return result.value
}

describe('query parameters', () => {
  it('are present with the value empty when only named', () => {
    const { has, get } = bound(query('recurse&raw=&=x&&a=b=c'))
    expect([has('recurse'), get('recurse'), has('raw'), get('raw'), get('')]).toEqual([true, '', true, '', 'x'])
    expect([has('keys'), get('keys'), get('a')]).toEqual([false, undefined, 'b=c'])
  })

  it('may be repeated: the first counts, all can be had, in the order sent', () => {
    const tags = query('tag=b&x=1&tag=a&tag')
    expect([tags.get('tag'), tags.all('tag'), tags.all('none')]).toEqual(['b', ['b', 'a', ''], []])
  })

  it('are decoded: plus is a space, bytes are UTF-8, names too', () => {
    const decoded = query('a+b=c+%2B%20d&n%C3%A4me=%F0%9F%99%82&bad=%ff')
    expect([decoded.get('a b'), decoded.get('näme'), decoded.get('bad')]).toEqual(['c + d', '🙂', '\ufffd'])
  })

  it('may be divided by semicolons', () => {
    expect(query('a=1;b=2&c').encoded()).toBe('a=1&b=2&c=')
  })

  it.each(['a=%zz', '%', 'ok=1&x=%2', '%g0=1', 'token=secret%'])('are refused where malformed: %j', (raw) => {
    expect(parseQuery(raw)).toEqual({ ok: false, error: 'Malformed percent-encoding in query string' })
  })

  it('are encoded again sorted by name, values of one name in the order sent', () => {
    expect(query('cas=1&acquire=b c&acquire=a%2F&x=ü~\xff').encoded()).toBe('acquire=b+c&acquire=a%2F&cas=1&x=%FC~%FF')
    expect(query('').encoded()).toBe('')
  })
})

function bound(parameters: QueryParameters) {
  return { has: (name: string) => parameters.has(name), get: (name: string) => parameters.get(name) }
}
