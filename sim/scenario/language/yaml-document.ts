import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLError } from 'yaml'
import { err, ok, type Result } from '../../../src/base/result.ts'

/** Maximum size of a scenario file. */
export const scenarioBytesMax = 1 << 20
/** Maximum number of aliases, which can make a small file huge. */
const aliasesMax = 100

/** A problem in a scenario file: where, what, and what to write instead. Shown as one line. */
export interface ScenarioProblem {
  readonly place: string
  readonly message: string
}

/** A YAML file as plain data, with the place of every part. */
export interface YamlDocument {
  readonly value: unknown
  /** `file:line:column` of the value at the path, or of the nearest enclosing part that the file has. */
  placeOf(path: readonly PropertyKey[]): string
  /** As `placeOf`, but of the key rather than the value. */
  placeOfKey(path: readonly PropertyKey[]): string
}

/** What a file of YAML that is no map of keys should be. */
const aScenario = "a scenario is a map of keys: begin with 'scenario: a title'"

/** Parses one page; `wanted` says what it should be where it is no map of keys. */
export function parseYaml(
  file: string,
  text: string,
  wanted = aScenario,
): Result<YamlDocument, readonly ScenarioProblem[]> {
  if (text.length > scenarioBytesMax) {
    return err([{ place: file, message: `larger than ${scenarioBytesMax} bytes: split it into several scenarios` }])
  }
  const lines = new LineCounter()
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const broken = syntaxProblem(text, [...document.errors, ...document.warnings], place)
  if (broken !== undefined) return err([broken])
  const root = document.contents
  if (!isMap(root)) {
    return err([{ place: `${file}:1:1`, message: wanted }])
  }
  const value = plainValue(document)
  if (!value.ok) return err([{ place: `${file}:1:1`, message: value.error }])
  return ok({
    value: value.value,
    placeOf: (path) => place(offsetOf(root, path, false)),
    placeOfKey: (path) => place(offsetOf(root, path, true)),
  })
}

/** Offset of the deepest part of the path that exists in the file. */
function offsetOf(root: Node, path: readonly PropertyKey[], ofKey: boolean): number {
  let at: unknown = root
  let offset = startOf(root) ?? 0
  for (const [depth, part] of path.entries()) {
    const last = depth === path.length - 1
    if (isMap(at)) {
      const pair = at.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part))
      if (pair === undefined) break
      const key = startOf(pair.key)
      const value = startOf(pair.value)
      offset = (last && ofKey ? key : (value ?? key)) ?? offset
      at = pair.value
    } else if (isSeq(at)) {
      at = at.items[Number(part)]
      offset = startOf(at) ?? offset
    } else break
  }
  return offset
}

function startOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined
  const { range } = node
  return Array.isArray(range) ? Number(range[0]) : undefined
}

function plainValue(document: Document): Result<unknown, string> {
  try {
    return ok(document.toJS({ maxAliasCount: aliasesMax }) as unknown)
  } catch {
    return err(
      `an alias (*name) has no anchor (&name) before it, or there are more than ${aliasesMax}: write values out`,
    )
  }
}

/** The most helpful one of the parser's errors about one mistake. */
function syntaxProblem(
  text: string,
  errors: readonly YAMLError[],
  place: (offset: number) => string,
): ScenarioProblem | undefined {
  const first = errors[0]
  if (first === undefined) return undefined
  const unquoted = unquotedReference(text, first.pos[0])
  if (unquoted !== undefined) return { place: place(first.pos[0] - 1), message: unquoted }
  const deeper = errors.find((error) => error.code === 'MULTILINE_IMPLICIT_KEY' && error.pos[0] === first.pos[0])
  if (deeper === undefined) return { place: place(first.pos[0]), message: syntaxText(first) }
  const message =
    'this line is indented deeper than the one above, which has its value already: align it with its neighbours'
  return { place: place(Math.max(deeper.pos[0], deeper.pos[1] - 1)), message }
}

/** Inside { } and [ ] YAML takes the brace of an unquoted `${name}` for the beginning of a map. */
function unquotedReference(text: string, braceAt: number): string | undefined {
  if (text.slice(braceAt - 1, braceAt + 1) !== '${') return undefined
  const reference = /^\$\{[^}\n]*\}/.exec(text.slice(braceAt - 1))?.[0]
  if (reference === undefined)
    return "'${' begins a saved name that does not end with '}' on its line: write \"${name}\""
  // The whole value needs the quotes: the text before the reference, back to its key or item.
  const before =
    /(?:^|[:,[{]\s+|[[{])([^:,[\]{}"']*)$/.exec(
      text
        .slice(0, braceAt - 1)
        .split('\n')
        .at(-1) ?? '',
    )?.[1] ?? ''
  const after = /^[^,\]}\n]*/.exec(text.slice(braceAt - 1 + reference.length))?.[0] ?? ''
  const value = `${before}${reference}${after}`.trim()
  return `inside { } or [ ] a text with \${name} in it needs quotes, because YAML reads its brace as a map: write "${value}"`
}

/** The parser's error codes, with advice. */
function syntaxText(error: YAMLError): string {
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return 'a tab is used to indent: use spaces'
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
    case 'UNEXPECTED_TOKEN':
      return 'indentation, a quote or a bracket is wrong here: align keys with their neighbours, two spaces for each level'
    case 'BLOCK_AS_IMPLICIT_KEY':
      return "a text with ': ' in it needs quotes"
    case 'DUPLICATE_KEY':
      return 'this key stands here twice: keep one'
    case 'BAD_SCALAR_START':
      return 'a text cannot begin with this character: put it in quotes'
    default:
      return `not YAML here (${error.code}): compare it with the lines around`
  }
}
