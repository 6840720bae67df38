import type ts from 'typescript'
import { type Change, type Look, type OperatorName, replaced, textOf } from './change.ts'

const methods: ReadonlyMap<string, string> = new Map(
  [
    ['min', 'max'],
    ['some', 'every'],
    ['find', 'findLast'],
    ['findIndex', 'findLastIndex'],
    ['indexOf', 'lastIndexOf'],
    ['floor', 'ceil'],
    ['push', 'unshift'],
    ['shift', 'pop'],
  ].flatMap(([one = '', other = '']) => [
    [one, other],
    [other, one],
  ]),
)

/** The called method or function, and the order of arguments. */
export function calls(look: Look): readonly Change[] {
  const { ts, node } = look
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return []
  return [...exchangedMethod(look, node), ...swappedArguments(look, node), ...similarFunctions(look, node)]
}

function exchangedMethod(look: Look, node: ts.CallExpression | ts.NewExpression): readonly Change[] {
  const { ts, source } = look
  const called = node.expression
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(called)) return []
  const other = methods.get(called.name.text)
  if (other === undefined) return []
  const [from, to] = [node.getStart(source), called.name.getStart(source)]
  const after = source.text.slice(from, to) + other + source.text.slice(called.name.end, node.end)
  return [replaced('method-exchange', node, after)]
}

function swappedArguments(look: Look, node: ts.CallExpression | ts.NewExpression): readonly Change[] {
  const { source } = look
  const given = node.arguments ?? []
  return given.slice(1).flatMap((second, at) => {
    const first = given[at]
    if (first === undefined || !isAlike(look, first, second)) return []
    const [one, other] = [textOf(look, first), textOf(look, second)]
    if (one === other) return []
    const start = node.getStart(source)
    const before = source.text.slice(start, first.getStart(source))
    const between = source.text.slice(first.end, second.getStart(source))
    const operator: OperatorName = 'swap-arguments'
    return [replaced(operator, node, before + other + between + one + source.text.slice(second.end, node.end))]
  })
}

/**
 * `sendOnceDurable(to, message)` where `send(to, message)` stands: a function from the same module, with a similar name.
 * If this module calls it elsewhere, then with as many arguments.
 */
function similarFunctions(look: Look, node: ts.CallExpression | ts.NewExpression): readonly Change[] {
  const { ts, source } = look
  const called = node.expression
  if (!ts.isCallExpression(node) || !ts.isIdentifier(called)) return []
  const all = calledFunctions(look)
  const own = all.get(called.text)
  if (own === undefined) return []
  const count = node.arguments.length
  return [...all].flatMap(([name, { from, counts }]) => {
    const fits = counts.size === 0 || counts.has(count)
    if (from !== own.from || !fits || !isSimilar(name, called.text)) return []
    return [replaced('similar-function', node, name + source.text.slice(called.end, node.end))]
  })
}

interface CalledFunction {
  /** The module from which it is imported; empty: this one. */
  readonly from: string
  /** Numbers of arguments with which it is called. */
  readonly counts: Set<number>
}

const known = new WeakMap<ts.SourceFile, ReadonlyMap<string, CalledFunction>>()

/** The functions of a module and its imports that it calls, by name. */
function calledFunctions({ ts, source }: Look): ReadonlyMap<string, CalledFunction> {
  const before = known.get(source)
  if (before !== undefined) return before
  const called = new Map<string, CalledFunction>()
  for (const statement of source.statements) {
    for (const [name, from] of namesIn(ts, statement)) called.set(name, { from, counts: new Set() })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      called.get(node.expression.text)?.counts.add(node.arguments.length)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  known.set(source, called)
  return called
}

/** What an import or the declaration of a function names, with the module that it is from. */
function namesIn(ts: Look['ts'], statement: ts.Statement): readonly (readonly [string, string])[] {
  if (ts.isFunctionDeclaration(statement)) return statement.name === undefined ? [] : [[statement.name.text, '']]
  if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return []
  const named = statement.importClause?.namedBindings
  if (named === undefined || !ts.isNamedImports(named)) return []
  const { text: from } = statement.moduleSpecifier
  return named.elements.map((element) => [element.name.text, from])
}

/** One is the other with further words before or behind it, or both have as many words and differ in one. */
function isSimilar(one: string, other: string): boolean {
  if (one === other) return false
  const [short = [], long = []] = [one, other].map(wordsOf).toSorted((a, b) => a.length - b.length)
  const same = (from: number): number => short.filter((word, at) => word === long[from + at]).length
  if (short.length === long.length) return short.length > 1 && same(0) === short.length - 1
  return same(0) === short.length || same(long.length - short.length) === short.length
}

function wordsOf(name: string): readonly string[] {
  return name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
}

/**
 * A change that a compiler would refuse is not a bug that a test must find. Without types, names tell what is of one
 * kind: both are numbers, both are texts, or both end in the same word.
 */
function isAlike(look: Look, first: ts.Expression, second: ts.Expression): boolean {
  const { ts } = look
  if (ts.isNumericLiteral(first) && ts.isNumericLiteral(second)) return true
  const [one, other] = [lastWord(look, first), lastWord(look, second)]
  if (one === undefined || other === undefined) return false
  return one === other || [numbers, texts].some((kind) => kind.has(one) && kind.has(other))
}

const numbers: ReadonlySet<string> = new Set(
  'index term ms us s commit count length size at from to min max number offset start end bytes sequence version limit incarnation'.split(
    ' ',
  ),
)
const texts: ReadonlySet<string> = new Set(
  'id name key value node address datacenter token text path prefix service kind host from to'.split(' '),
)

/** `index` of `log.lastIndex`. */
function lastWord({ ts }: Look, node: ts.Expression): string | undefined {
  const name = ts.isIdentifier(node) ? node : ts.isPropertyAccessExpression(node) ? node.name : undefined
  return name?.text.match(/[A-Za-z][a-z]*$/)?.[0].toLowerCase()
}
