import { describe, expect, it } from 'vitest'
import { requestToken } from '../../../src/http/header-names.ts'

const names = ['x-svc-token', 'x-other-token']

describe('the token of a request', () => {
  it.each<readonly [string | undefined, Readonly<Record<string, string>>, string]>([
    [undefined, {}, ''],
    ['q', { 'x-svc-token': 'h', authorization: 'Bearer b' }, 'q'],
    ['', { 'x-svc-token': 'h', authorization: 'Bearer b' }, 'h'],
    [undefined, { 'x-svc-token': '', 'x-other-token': 'o', authorization: 'Bearer b' }, 'o'],
    [undefined, { 'x-svc-token': 'h', 'x-other-token': 'o' }, 'h'],
    [undefined, { authorization: 'Bearer b' }, 'b'],
    [undefined, { authorization: 'Bearer  b ' }, 'b'],
    [undefined, { authorization: 'bearer b' }, ''],
    [undefined, { authorization: 'Basic b' }, ''],
    [undefined, { authorization: 'Bearer' }, ''],
  ])('of ?token=%s and %j is "%s"', (parameter, headers, token) => {
    expect(requestToken(parameter, new Map(Object.entries(headers)), names)).toBe(token)
  })
})
