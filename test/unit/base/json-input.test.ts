import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { type JsonInput, parseJsonInput } from '../../../src/base/json-input.ts'
import { fc } from '../../fast-check.ts'

function plain(value: JsonInput): unknown {
  if (Array.isArray(value)) return value.map(plain)
  return value instanceof Map ? Object.fromEntries([...value].map(([key, member]) => [key, plain(member)])) : value
}

function read(text: string): unknown {
  const parsed = parseJsonInput(utf8(text))
  return parsed.ok ? plain(parsed.value) : parsed.error
}

describe('JSON from outside', () => {
  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom('', ' ', '\n\t'), (text, space) => {
        expect(read(`${space}${text}${space}`)).toEqual(plainNumbers(JSON.parse(text)))
      }),
    )
  })

  it('that is damaged anywhere is refused, unless it begins with something that JSON.parse would read', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom('', 'x', '{', '"', '\\', ']', '\u0001'),
        (value, at, put) => {
          const text = `[${value}]`
          const cut = 1 + (at % text.length)
          const damaged = text.slice(0, cut) + put + text.slice(cut + 1)
          const readable = Array.from(damaged, (_, length) => damaged.slice(0, length + 1)).some(isJson)
          expect(parseJsonInput(utf8(damaged)).ok).toBe(readable)
        },
      ),
    )
  })

  it.each([
    ['', 'EOF'],
    [' \n', 'EOF'],
    ['{', 'unexpected EOF'],
    ['{"a"', 'unexpected EOF'],
    ['"a', 'unexpected EOF'],
    ['[1,', 'unexpected EOF'],
    ['tru', 'unexpected EOF'],
    ['-', 'unexpected EOF'],
    ['"\\u12', 'unexpected EOF'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['{"a" 1', "invalid character '1' after object key"],
    ['{"a":1 "b"', "invalid character '\"' after object key:value pair"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['[01]', "invalid character '1' after array element"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['nul1', "invalid character '1' in literal null (expecting 'l')"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['1e999', 'number 1e999 out of range'],
    ['['.repeat(65), 'nested deeper than 64'],
  ])('%j is refused in the words of the field', (text, words) => {
    expect(parseJsonInput(utf8(text))).toEqual({ ok: false, error: words })
  })

  it('keeps integers that a double cannot hold, and members that are called like something of ours', () => {
    expect(read('18446744073709551615')).toBe(18446744073709551615n)
    expect(parseJsonInput(utf8('{"__proto__":1,"b":2,"b":3}'))).toEqual({
      ok: true,
      value: new Map([
        ['__proto__', 1],
        ['b', 3],
      ]),
    })
  })

  it('looks at nothing behind the first value', () => {
    expect(read('{"a":1} {bad')).toEqual({ a: 1 })
  })

  it('makes text of what is none', () => {
    expect(read('"\\ud800x\\ud83d\\ude00"')).toBe('\ufffdx\u{1f600}')
    expect(parseJsonInput(new Uint8Array([0x22, 0xff, 0x22]))).toEqual({ ok: true, value: '\ufffd' })
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Integers beyond 2^53 come as bigint; halves of surrogate pairs do not survive UTF-8. */
function plainNumbers(value: unknown): unknown {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? expect.anything() : value
  if (Array.isArray(value)) return value.map(plainNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainNumbers(member)]))
}
