import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { registerRequestOf } from '../../../src/features/catalog/register-body.ts'
import {
  decodeBody,
  duration,
  flag,
  integer,
  list,
  members,
  nullable,
  object,
  plainBody,
  text,
  textPairs,
} from '../../../src/features/http/json-body.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'

const decoder = object(
  {
    Name: text,
    Port: integer,
    On: flag,
    Tags: list(text),
    Meta: textPairs,
    TTL: duration,
    Header: members(list(text)),
    Inner: nullable(object({ Port: integer })),
  },
  { t_t_l: 'TTL' },
)

function decode(body: string): unknown {
  const decoded = decodeBody(utf8(body), decoder)
  return decoded.ok ? decoded.value : decoded.error
}

function refusal(why: string): unknown {
  return { kind: 'bad-request', message: `Request decode failed: ${why}` }
}

const zero = { Name: '', Port: 0, On: false, Tags: [], Meta: null, TTL: 0, Header: [], Inner: null }

describe('a body', () => {
  it.each(['{}', 'null', '{"unknown":[1]}', '{"Name":null,"Port":null,"On":null,"Tags":null,"Meta":null,"TTL":null}'])(
    '%s says nothing, so everything is the zero of its type',
    (body) => {
      expect(decode(body)).toEqual(zero)
    },
  )

  it('is read member by member', () => {
    const body = `{"Name":"n","Port":80,"On":true,"Tags":["b","a","b"],"Meta":{"z":"1","a":"2"},"TTL":"1m30s",
      "Header":{"x":["1","2"]},"Inner":{"Port":7}}`
    expect(decode(body)).toEqual({
      Name: 'n',
      Port: 80,
      On: true,
      Tags: ['b', 'a', 'b'],
      Meta: [
        ['a', '2'],
        ['z', '1'],
      ],
      TTL: 90_000,
      Header: [['x', ['1', '2']]],
      Inner: { Port: 7 },
    })
  })

  it('finds members whatever the case of their letters, the exact spelling first', () => {
    expect(decode('{"name":"a","PORT":1,"inner":{"pORT":2}}')).toEqual({
      ...zero,
      Name: 'a',
      Port: 1,
      Inner: { Port: 2 },
    })
    expect(decode('{"name":"a","Name":"b","NAME":"c"}')).toEqual({ ...zero, Name: 'b' })
    expect(decode('{"T_T_L":5000000}')).toEqual({ ...zero, TTL: 5 })
  })

  it('takes no text for a number and no number for a text, and tells of all that it finds', () => {
    expect(decode('{"Name":5}')).toEqual(
      refusal("1 error(s) decoding:\n\n* 'Name' expected type 'string', got unconvertible type 'float64'"),
    )
    const body = '{"Port":"80","On":"true","Tags":[1],"Meta":{"k":[]},"Header":3,"Inner":{"Port":{}},"TTL":true}'
    expect(decode(body)).toEqual(
      refusal(
        [
          '7 error(s) decoding:\n',
          "* 'Header' expected a map, got 'float64'",
          "* 'Inner.Port' expected type 'int', got unconvertible type 'object'",
          "* 'Meta[k]' expected type 'string', got unconvertible type 'array'",
          "* 'On' expected type 'bool', got unconvertible type 'string'",
          "* 'Port' expected type 'int', got unconvertible type 'string'",
          "* 'TTL' expected type 'time.Duration', got unconvertible type 'bool'",
          "* 'Tags[0]' expected type 'string', got unconvertible type 'float64'",
        ].join('\n'),
      ),
    )
    expect(decode('{"Tags":"a"}')).toEqual(
      refusal("1 error(s) decoding:\n\n* 'Tags': source data must be an array or slice, got string"),
    )
    expect(decode('{"Port":1e300}')).toEqual(refusal("1 error(s) decoding:\n\n* 'Port' is out of range"))
    expect(decode('{"Port":80.9}')).toEqual(refusal("1 error(s) decoding:\n\n* 'Port' is not a whole number"))
    expect(decode('[]')).toEqual(refusal("1 error(s) decoding:\n\n* '' expected a map, got 'slice'"))
  })

  it('that is no JSON is refused with the words of the field', () => {
    expect(decode('')).toEqual(refusal('EOF'))
    expect(decode('{bad')).toEqual(refusal("invalid character 'b' looking for beginning of object key string"))
  })

  it('names the malformed duration', () => {
    expect(decode('{"TTL":"abc","Port":"x"}')).toEqual(refusal('invalid "TTL": time: invalid duration "abc"'))
  })

  it('tells of no more wrong types than a client can read', () => {
    const refused = decode(`{"Tags":[${'1,'.repeat(500)}1]}`) as { readonly message: string }
    expect(refused.message.split('\n* ')).toHaveLength(65)
  })

  it('as plain data keeps every member a member', () => {
    expect(plainBody(utf8('{"a":[{"__proto__":1}],"b":18446744073709551615}'))).toEqual({
      ok: true,
      value: { a: [Object.fromEntries([['__proto__', 1]])], b: 18446744073709551615n },
    })
    expect(plainBody(utf8('')).ok).toBe(false)
  })
})

describe('how much a body holds', () => {
  const items = (count: number, one = '"t"') => `[${Array.from({ length: count }, () => one).join()}]`
  const named = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":"v"`).join()}}`

  it.each([
    ["'Tags' has more than 1024 items", `{"Tags":${items(1_025)}}`],
    ["'Meta' has more than 1024 members", `{"Meta":${named(1_025)}}`],
    ["'Header.X' has more than 1024 items", `{"Header":{"X":${items(1_025)}}}`],
    ["'Nothing[1].a' has more than 1024 items", `{"Nothing":[0,{"a":${items(1_025, '[]')}}]}`],
    ['the body has more than 1024 members', named(1_025)],
    ['the body has more than 1024 items', items(1_025, '0')],
    ["'Tags[910]' goes beyond the 8192 values that a body may hold", `{"Tags":${items(1_000, items(8, '0'))}}`],
  ])('that is more than it may is 413 and names the place: %s', (why, body) => {
    const told = { ok: false, error: { kind: 'too-large', message: `Request decode failed: ${why}` } }
    expect(decodeBody(utf8(body), decoder)).toEqual(told)
    expect(plainBody(utf8(body))).toEqual(told)
  })

  it.each([
    `{"Tags":${items(1_024)}}`,
    `{"Meta":${named(1_024)}}`,
    `{"Nothing":${items(900, items(8, '0'))}}`,
    `{"Nothing":${'9'.repeat(1_024)}}`,
  ])('that is as much as it may is read', (body) => {
    expect(decodeBody(utf8(body), decoder)).toMatchObject({ ok: true })
  })

  it('says of a number that nothing can hold that it is out of range, and does not read it', () => {
    expect(decodeBody(utf8(`{"Port":${'9'.repeat(900_000)}}`), decoder)).toMatchObject({
      ok: false,
      error: { kind: 'bad-request', message: 'Request decode failed: number of more than 1024 digits out of range' },
    })
  })
})

describe('a registration', () => {
  it('holds 512 checks, and with more is 413 that says so', () => {
    const body = (count: number) => {
      const Checks = Array.from({ length: count }, (_, at) => ({ CheckID: `c${at}`, Name: 'c', Status: 'passing' }))
      return registerRequestOf(utf8(JSON.stringify({ Node: 'n', Address: '10.0.0.1', Checks })), svcNaming)
    }
    expect(body(512)).toMatchObject({ ok: true })
    const message = "Request decode failed: 'Checks' has 513 items, and one registration at most 512"
    expect(body(513)).toEqual({ ok: false, error: { kind: 'too-large', message } })
  })
})
