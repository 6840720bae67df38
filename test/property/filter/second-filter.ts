import { LinearRegexp } from '../../../src/base/linear-regexp.ts'

/**
 * A second evaluator of filters, written apart from `src/filter` and in another way: it reads characters, tries one
 * rule of the grammar after the other, and looks at types only while it judges an entry. It is slow, and says nothing
 * of a mistake but that there is one.
 */

/** `'*'`: the values of a map, whatever their keys. A list of one type is a list of items of this type. */
export type Types = 'text' | 'number' | 'flag' | 'opaque' | readonly [Types] | { readonly [member: string]: Types }

type Plain = string | number | boolean | null | undefined | readonly Plain[] | { readonly [member: string]: Plain }

class Refused extends Error {}

interface Found<T> {
  readonly is: T
  readonly end: number
}

type Judge = (types: Types, entry: Plain) => boolean

/** Whether the entry is kept; undefined: the text is no filter of entries of these types. */
export function secondOpinion(text: string, types: Types, entry: Plain): boolean | undefined {
  const judge = new Reading(text).whole()
  if (judge === undefined) return undefined
  try {
    return judge(types, entry)
  } catch (cause) {
    if (cause instanceof Refused) return undefined
    throw cause
  }
}

class Reading {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  whole(): Judge | undefined {
    const found = this.#or(0)
    return found !== undefined && this.#space(found.end) === this.#text.length ? found.is : undefined
  }

  #or(at: number): Found<Judge> | undefined {
    const left = this.#and(at)
    const word = left === undefined ? undefined : this.#word('or', left.end)
    if (left === undefined || word === undefined) return left
    const right = this.#or(word)
    // Both sides are always judged, so that a mistake is found on either.
    return right === undefined ? left : { is: (t, e) => [left.is(t, e), right.is(t, e)].includes(true), end: right.end }
  }

  #and(at: number): Found<Judge> | undefined {
    const left = this.#not(at)
    const word = left === undefined ? undefined : this.#word('and', left.end)
    if (left === undefined || word === undefined) return left
    const right = this.#and(word)
    return right === undefined
      ? left
      : { is: (t, e) => ![left.is(t, e), right.is(t, e)].includes(false), end: right.end }
  }

  #not(at: number): Found<Judge> | undefined {
    const word = this.#word('not', at)
    const negated = word === undefined ? undefined : this.#not(word)
    if (negated !== undefined) return { is: (t, e) => !negated.is(t, e), end: negated.end }
    const open = this.#sign('(', at)
    if (open === undefined) return this.#match(at)
    const inner = this.#or(open)
    const close = inner === undefined ? undefined : this.#sign(')', inner.end)
    return inner === undefined || close === undefined ? undefined : { is: inner.is, end: close }
  }

  #match(at: number): Found<Judge> | undefined {
    return this.#selectorFirst(at) ?? this.#valueFirst(at)
  }

  #selectorFirst(at: number): Found<Judge> | undefined {
    const selector = this.#selector(at)
    if (selector === undefined) return undefined
    for (const operator of ['==', '!=', 'contains', 'not contains', 'matches', 'not matches']) {
      const behind = this.#words(operator, selector.end)
      const value = behind === undefined ? undefined : this.#value(behind)
      if (value !== undefined) return { is: judge(selector.is, operator, value.is), end: value.end }
    }
    for (const operator of ['is empty', 'is not empty']) {
      const behind = this.#words(operator, selector.end)
      if (behind !== undefined) return { is: judge(selector.is, operator, ''), end: behind }
    }
    return undefined
  }

  #valueFirst(at: number): Found<Judge> | undefined {
    const value = this.#value(at)
    if (value === undefined) return undefined
    for (const operator of ['in', 'not in']) {
      const behind = this.#words(operator, value.end)
      const selector = behind === undefined ? undefined : this.#selector(behind)
      if (selector === undefined) continue
      return { is: judge(selector.is, operator.replace('in', 'contains'), value.is), end: selector.end }
    }
    return undefined
  }

  #selector(at: number): Found<readonly string[]> | undefined {
    const first = /^[a-zA-Z]\w*/.exec(this.#text.slice(this.#space(at)))
    if (first === null) return undefined
    const names = [first[0]]
    let end = this.#space(at) + first[0].length
    for (;;) {
      const rest = this.#text.slice(end)
      const dotted = /^\.([a-zA-Z]\w*)/.exec(rest)
      const key = rest.startsWith('[') ? this.#string(end + 1) : undefined
      const close = key === undefined ? undefined : this.#sign(']', key.end)
      if (dotted?.[1] !== undefined) {
        names.push(dotted[1])
        end += dotted[0].length
      } else if (key !== undefined && close !== undefined) {
        names.push(key.is)
        end = close
      } else return { is: names, end }
    }
  }

  #value(at: number): Found<string> | undefined {
    const selector = this.#selector(at)
    if (selector !== undefined) return { is: selector.is.join('.'), end: selector.end }
    const start = this.#space(at)
    const number = /^-?(0|[1-9]\d*)(\.\d+)?(?![\w.])/.exec(this.#text.slice(start))
    return number === null ? this.#string(at) : { is: number[0], end: start + number[0].length }
  }

  #string(at: number): Found<string> | undefined {
    const start = this.#space(at)
    const rest = this.#text.slice(start)
    const raw = /^`([^`]*)`/.exec(rest)
    if (raw?.[1] !== undefined) return { is: raw[1].replace(/\r/g, ''), end: start + raw[0].length }
    const quoted = /^"([^"\\\n]|\\.)*"/.exec(rest)
    if (quoted === null) return undefined
    const is = unescaped(quoted[0].slice(1, -1))
    return is === undefined ? undefined : { is, end: start + quoted[0].length }
  }

  #words(words: string, at: number): number | undefined {
    return words.split(' ').reduce<number | undefined>((end, word) => {
      if (end === undefined) return undefined
      return /\w/.test(word) ? this.#word(word, end) : this.#sign(word, end)
    }, at)
  }

  #word(word: string, at: number): number | undefined {
    const end = this.#sign(word, at)
    return end === undefined || /^\w/.test(this.#text.slice(end)) ? undefined : end
  }

  #sign(sign: string, at: number): number | undefined {
    const start = this.#space(at)
    return this.#text.startsWith(sign, start) ? start + sign.length : undefined
  }

  #space(at: number): number {
    return at + (/^[ \t\r\n]*/.exec(this.#text.slice(at))?.[0].length ?? 0)
  }
}

/** The escapes of Go, those that name a byte as far as bytes are characters. */
function unescaped(text: string): string | undefined {
  let isSound = true
  const is = text.replace(/\\([0-7]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)/g, (_, named: string) => {
    const simple = 'abfnrtv\\"'.indexOf(named)
    if (simple >= 0) return '\x07\b\f\n\r\t\v\\"'.charAt(simple)
    const byte = named.startsWith('x') ? Number.parseInt(named.slice(1), 16) : Number.parseInt(named, 8)
    const code = named.startsWith('u') ? Number.parseInt(named.slice(1), 16) : byte < 128 ? byte : Number.NaN
    if (Number.isNaN(code) || named.length < 3) isSound = false
    return isSound ? String.fromCharCode(code) : ''
  })
  return isSound ? is : undefined
}

function judge(names: readonly string[], operator: string, value: string): Judge {
  return (types, entry) => {
    refuse(names, types, operator, value)
    return reached(names, types, entry, operator, value)
  }
}

/** Looks at the types alone, so that a mistake is one whatever the entry. */
function refuse([name, ...rest]: readonly string[], types: Types, operator: string, value: string): void {
  if (name === undefined) return void judged(types, sample(types), operator, value)
  const list = listItem(types)
  if (list !== undefined && typeof list !== 'string') return refuse([name, ...rest], list, operator, value)
  if (typeof types === 'string' || list !== undefined) throw new Refused()
  const next = memberOf(types, name)
  if (next === undefined || ('*' in (types as object) && next === 'opaque')) throw new Refused()
  refuse(rest, next, operator, value)
}

function reached(
  [name, ...rest]: readonly string[],
  types: Types,
  found: Plain,
  operator: string,
  value: string,
): boolean {
  if (name === undefined) return judged(types, found, operator, value)
  const item = listItem(types)
  if (item !== undefined) {
    return ((found ?? []) as readonly Plain[]).some((one) => reached([name, ...rest], item, one, operator, value))
  }
  const has = typeof found === 'object' && found !== null && Object.hasOwn(found, name)
  const member = has ? (found as { readonly [member: string]: Plain })[name] : undefined
  if (typeof types === 'object' && '*' in types && member === undefined) {
    return operator === '!=' || (operator.startsWith('not ') && operator !== 'is not empty') || operator === 'is empty'
  }
  return reached(rest, memberOf(types, name) as Types, member, operator, value)
}

function judged(types: Types, found: Plain, operator: string, value: string): boolean {
  if (operator.startsWith('not ')) return !judged(types, found, operator.slice(4), value)
  if (operator === '!=') return !judged(types, found, '==', value)
  if (operator === 'is not empty') return !judged(types, found, 'is empty', value)
  const item = listItem(types)
  if (types === 'text') {
    const text = String(found ?? '')
    if (operator === '==') return text === value
    if (operator === 'contains') return text.includes(value)
    if (operator !== 'matches') throw new Refused()
    const expression = LinearRegexp.from(value)
    if (!expression.ok) throw new Refused()
    return expression.value.test(text)
  }
  if (types === 'number' && operator === '==') return Number(found ?? 0) === numberIn(value)
  if (types === 'flag' && operator === '==') return (found ?? false) === flagIn(value)
  const isContainer = item !== undefined || (typeof types === 'object' && '*' in types)
  if (isContainer && operator === 'is empty') {
    return Object.values(found ?? {}).every((member) => member === undefined)
  }
  if (operator !== 'contains' || !isContainer) throw new Refused()
  if (item === undefined) return Object.keys(found ?? {}).includes(value)
  if (item !== 'text' && item !== 'number' && item !== 'flag') throw new Refused()
  const wanted = item === 'text' ? value : item === 'number' ? numberIn(value) : flagIn(value)
  return ((found ?? []) as readonly Plain[]).includes(wanted)
}

function numberIn(value: string): number {
  if (/^[+-]?0[0-7]+$/.test(value)) return Number.parseInt(value, 8) || 0
  if (!/^[+-]?(0|[1-9]\d{0,14}|0x[0-9a-f]{1,12})$/i.test(value)) throw new Refused()
  const sign = value.startsWith('-') ? -1 : 1
  return sign * Number(value.replace(/^[+-]/, '')) || 0
}

function flagIn(value: string): boolean {
  if (/^(1|t|T|TRUE|true|True)$/.test(value)) return true
  if (/^(0|f|F|FALSE|false|False)$/.test(value)) return false
  throw new Refused()
}

function listItem(types: Types): Types | undefined {
  return Array.isArray(types) ? (types as readonly [Types])[0] : undefined
}

function memberOf(types: Types, name: string): Types | undefined {
  const members = types as { readonly [member: string]: Types }
  return '*' in members ? members['*'] : Object.hasOwn(members, name) ? members[name] : undefined
}

/** An empty value of the type. */
function sample(types: Types): Plain {
  if (Array.isArray(types)) return []
  return typeof types === 'string' ? undefined : {}
}
