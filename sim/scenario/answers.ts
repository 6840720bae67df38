import { textOf } from '../../src/base/bytes.ts'
import type { HttpClientResponse } from '../../src/env/http.ts'
import { headerSaid } from '../../src/model/naming/names.ts'
import { savedName, type Template } from '../notation/fields.ts'

/** The answer to an `http` step, kept for later steps. */
export interface Answer {
  readonly status: number
  readonly body: string
  /** The body as received. */
  readonly bytes: Uint8Array
  readonly headers: ReadonlyMap<string, string>
  /** The body as JSON, parsed once; undefined if it is not JSON. */
  json(): unknown
}

export function answerOf(response: HttpClientResponse): Answer {
  return answerWith(response.status, response.body, response.headers)
}

export function answerWith(status: number, bytes: Uint8Array, headers: Answer['headers']): Answer {
  const body = textOf(bytes)
  let read: { readonly value: unknown } | undefined
  const json = (): unknown => {
    read ??= { value: jsonIn(body) }
    return read.value
  }
  return { status, body, bytes, headers, json }
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/**
 * `status`, `body`, `body.ID` (a member of its JSON), `index` or a header's name; undefined: the answer has no such
 * part.
 */
export function partOf(answer: Answer, part: string): string | undefined {
  if (part === 'status') return String(answer.status)
  if (part === 'body') return answer.body
  if (part.startsWith('body.')) return memberOf(answer, part.split('.').slice(1))
  return part === 'index' ? headerSaid(answer.headers, 'index') : answer.headers.get(part.toLowerCase())
}

/** Texts as they are, everything else as JSON. Items of an array are named by their index from 0. */
function memberOf(answer: Answer, names: readonly string[]): string | undefined {
  let value = answer.json()
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What an answer must be. */
interface AnswerBound {
  readonly status?: number | undefined
  /** The whole body, or `/pattern/`. */
  readonly body?: Template | undefined
  readonly headers?: Readonly<Record<string, Template>> | undefined
}

/** What is wrong with an answer, as one clause; undefined if it is as expected. */
export function judgeAnswer(
  expected: AnswerBound,
  answer: Answer,
  filled: (template: Template) => string,
): string | undefined {
  if (expected.status !== undefined && expected.status !== answer.status) {
    return `status ${answer.status}, body ${shown(answer.body)}`
  }
  if (expected.body !== undefined && !matches(filled(expected.body), answer.body)) return `body ${shown(answer.body)}`
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const found = answer.headers.get(name.toLowerCase())
    if (found === undefined) return `no header ${name}`
    if (!matches(filled(value), found)) return `header ${name}: ${shown(found)}`
  }
  return undefined
}

/** `/pattern/` is a regular expression; anything else must equal the whole text, apart from surrounding space. */
export function matches(expected: string, found: string): boolean {
  const pattern = patternOf(expected)
  return pattern === undefined ? expected.trim() === found.trim() : new RegExp(pattern).test(found)
}

/** The pattern between the slashes of `/pattern/`; undefined for plain text. */
export function patternOf(expected: string): string | undefined {
  return /^\/(.+)\/$/s.exec(expected)?.[1]
}

function shown(text: string): string {
  const line = text.trim().replaceAll('\n', '\\n')
  return `'${line.length > 120 ? `${line.slice(0, 120)}…` : line}'`
}

/** What steps have saved: nodes and answers, by name. */
interface Saved {
  readonly saved: ReadonlyMap<string, readonly string[]>
  readonly driver: { readonly answers: ReadonlyMap<string, Answer> }
}

/** The text with every `${name}` and `${name.part}` replaced by its saved value. */
export function filled({ saved, driver }: Saved, template: Template): string {
  return template.filled((reference) => {
    const name = savedName(reference)
    const nodes = saved.get(name)
    if (nodes !== undefined) return nodes.join(', ')
    const answer = driver.answers.get(name)
    const part = reference.slice(name.length + 1) || 'body'
    return answer === undefined ? '' : (partOf(answer, part) ?? '')
  })
}
