import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { z } from 'zod'
import { tooDeepAt } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { ConfigProblem } from '../problem.ts'

/** A parsed file that can tell where each of its values stands. */
export interface ConfigDocument {
  readonly file: string
  readonly value: unknown
  /** `file:line:column` of the value at this path, or of the nearest one above it. */
  placeOf(path: readonly PropertyKey[]): string
}

/** Reads strict JSON: no comments, no trailing commas, no key twice. */
export function parseDocument(file: string, text: string): Result<ConfigDocument, ConfigProblem> {
  const tooDeep = tooDeepAt(text)
  if (tooDeep !== undefined) {
    const message = 'lists and objects are nested too deep here'
    return err({ place: placeAt(file, text, tooDeep), message, remedy: 'correct the file' })
  }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  const first = errors[0]
  if (first !== undefined || root === undefined) {
    const reason =
      first === undefined ? 'the file is empty' : (syntaxText.get(printParseErrorCode(first.error)) ?? 'a syntax error')
    return err({
      place: placeAt(file, text, first?.offset ?? 0),
      message: `not JSON: ${reason}`,
      remedy: 'correct the file',
    })
  }
  const twice = duplicateKey(root)
  if (twice !== undefined) {
    return err({
      place: placeAt(file, text, twice.offset),
      message: `the key "${String(twice.value)}" stands twice`,
      remedy: 'keep one of them',
    })
  }
  const placeOf = (path: readonly PropertyKey[]): string => placeAt(file, text, nearestNode(root, path).offset)
  return ok({ file, value: getNodeValue(root), placeOf })
}

function nearestNode(root: Node, path: readonly PropertyKey[]): Node {
  for (let length = path.length; length > 0; length--) {
    const segments = path.slice(0, length).map((part) => (typeof part === 'number' ? part : String(part)))
    const node = findNodeAtLocation(root, segments)
    if (node !== undefined) return node.parent?.type === 'property' ? node.parent : node
  }
  return root
}

function duplicateKey(node: Node): Node | undefined {
  if (node.type === 'object') {
    const seen = new Set<unknown>()
    for (const property of node.children ?? []) {
      const key = property.children?.[0]
      if (key !== undefined && seen.has(key.value)) return key
      seen.add(key?.value)
    }
  }
  for (const child of node.children ?? []) {
    const found = duplicateKey(child)
    if (found !== undefined) return found
  }
  return undefined
}

/** `file:line:column` of an offset, from 1. */
export function placeAt(file: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

const syntaxText: ReadonlyMap<string, string> = new Map([
  ['InvalidSymbol', 'a word that is not true, false or null'],
  ['InvalidNumberFormat', 'a malformed number'],
  ['PropertyNameExpected', 'a key in double quotes is expected here'],
  ['ValueExpected', 'a value is expected here'],
  ['ColonExpected', 'a colon is expected here'],
  ['CommaExpected', 'a comma is expected here'],
  ['CloseBraceExpected', 'a closing brace is missing'],
  ['CloseBracketExpected', 'a closing bracket is missing'],
  ['EndOfFileExpected', 'the file should end here'],
  ['InvalidCommentToken', 'JSON has no comments'],
  ['UnexpectedEndOfComment', 'JSON has no comments'],
  ['UnexpectedEndOfString', 'a string is not closed'],
  ['UnexpectedEndOfNumber', 'a number is cut short'],
  ['InvalidUnicode', 'a malformed \\u escape'],
  ['InvalidEscapeCharacter', 'an unknown escape in a string'],
  ['InvalidCharacter', 'a control character in a string'],
])

/**
 * Keys are matched without case, and a key whose value is null is not set. Returns the document with each key in the
 * schema's spelling, and with the original places. Names that users choose stay as they are. Reference:
 * configuration.md#fact-6.
 */
export function inOwnCase(document: ConfigDocument, schema: z.ZodType): ConfigDocument {
  const written = new Map<string, PropertyKey>()
  const value = folded(document.value, schema, [], written)
  if (written.size === 0) return { ...document, value }
  const placeOf = (path: readonly PropertyKey[]): string =>
    document.placeOf(path.map((part, at) => written.get(JSON.stringify(path.slice(0, at + 1))) ?? part))
  return { ...document, value, placeOf }
}

function folded(
  value: unknown,
  schema: z.ZodType,
  path: readonly PropertyKey[],
  written: Map<string, PropertyKey>,
): unknown {
  const type = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema
  if (type instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item, at) => folded(item, type.element as z.ZodType, [...path, at], written))
  }
  if (type instanceof z.ZodRecord) return withoutNulls(value)
  if (!(type instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value))
    return value
  const shape = type.shape as Readonly<Record<string, z.ZodType>>
  const taken = new Set(Object.keys(value))
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
      const own = ownName(key, shape, taken)
      const at = [...path, own]
      const below = shape[own]
      // An unknown key stays, to be refused.
      if (below !== undefined && member === null) return []
      taken.add(own)
      if (own !== key) written.set(JSON.stringify(at), key)
      return [[own, below === undefined ? member : folded(member, below, at, written)]]
    }),
  )
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}

/**
 * If the document has the key in lower case as well, or in another spelling before, this one stays as it is, and is
 * therefore refused as unknown.
 */
function ownName(key: string, shape: Readonly<Record<string, unknown>>, taken: ReadonlySet<string>): string {
  const lower = key.toLowerCase()
  return Object.hasOwn(shape, key) || !Object.hasOwn(shape, lower) || taken.has(lower) ? key : lower
}
