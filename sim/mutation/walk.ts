import type ts from 'typescript'
import { calls } from './operators/calls.ts'
import { type Change, type Compiler, type Look, type Operator, textOf } from './operators/change.ts'
import { binaries, conditions } from './operators/conditions.ts'
import { repairs } from './operators/repairs.ts'
import { statements } from './operators/statements.ts'
import { arithmetic, literals, returns } from './operators/values.ts'

const all: readonly Operator[] = [conditions, binaries, literals, arithmetic, returns, calls, statements]
const withRepairs: readonly Operator[] = [...all, repairs]

/** A changeable node, with all its changes. */
export interface Site {
  readonly node: ts.Node
  readonly changes: readonly Change[]
  /** It runs once, when its module is loaded. */
  readonly isStatic: boolean
  readonly depth: number
}

export function parsed(ts: Compiler, file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS)
}

/**
 * Every changeable node of a module, from its beginning to its end, outer nodes before inner ones. `repairing`: also by the
 * kinds of changes that only a search for a repair makes.
 */
export function sitesOf(ts: Compiler, source: ts.SourceFile, repairing = false): readonly Site[] {
  const kinds = repairing ? withRepairs : all
  const sites: Site[] = []
  const visit = (node: ts.Node, isStatic: boolean, depth: number): void => {
    const look: Look = { ts, source, node }
    if (isBarren(look)) return
    const changes = distinct(
      look,
      kinds.flatMap((operator) => operator(look)).filter((change) => isSound(ts, change)),
    )
    if (changes.length > 0) sites.push({ node, changes, isStatic, depth })
    const isWithin = isStatic && !runsLater(ts, node)
    ts.forEachChild(node, (child) => visit(child, isWithin, depth + 1))
  }
  visit(source, true, 0)
  return sites
}

/** Every value that a module returns by `return` or as the value of an arrow function, and that may be nothing. */
export function returnsOf(ts: Compiler, source: ts.SourceFile): readonly Pick<Site, 'node' | 'depth'>[] {
  const found: Pick<Site, 'node' | 'depth'>[] = []
  const visit = (node: ts.Node, depth: number): void => {
    const { parent } = node
    const isReturned = parent !== undefined && ts.isReturnStatement(parent) && parent.expression === node
    const isValue = parent !== undefined && ts.isArrowFunction(parent) && parent.body === node && !ts.isBlock(node)
    if ((isReturned || isValue) && !isAlwaysSomething(ts, node) && !isPassedOn(ts, node)) found.push({ node, depth })
    ts.forEachChild(node, (child) => visit(child, depth + 1))
  }
  visit(source, 0)
  return found
}

/** Look-ups return nothing themselves; for any other call, the called function does. */
const lookUp = /[.#](?:get|find|findLast|at|shift|pop|exec|match)$/

function isPassedOn(ts: Compiler, node: ts.Node): boolean {
  if (ts.isAwaitExpression(node)) return isPassedOn(ts, node.expression)
  if (ts.isBinaryExpression(node)) return node.operatorToken.kind === ts.SyntaxKind.EqualsToken
  return ts.isCallExpression(node) && !lookUp.test(node.expression.getText())
}

function isAlwaysSomething(ts: Compiler, node: ts.Node): boolean {
  return (
    ts.isObjectLiteralExpression(node) ||
    ts.isArrayLiteralExpression(node) ||
    ts.isLiteralExpression(node) ||
    ts.isTemplateExpression(node) ||
    ts.isFunctionLike(node) ||
    ts.isNewExpression(node) ||
    ts.isVoidExpression(node)
  )
}

/** Two operators can produce the same text for one node. */
function distinct(look: Look, changes: readonly Change[]): readonly Change[] {
  const seen = new Set([textOf(look, look.node)])
  return changes.filter((change) => {
    if (change.kind === 'skip') return true
    if (seen.has(change.after)) return false
    seen.add(change.after)
    return true
  })
}

function runsLater(ts: Compiler, node: ts.Node): boolean {
  if (ts.isFunctionLike(node)) return true
  if (!ts.isPropertyDeclaration(node)) return false
  return (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Static) === 0
}

/** Calls that only report, or assert what holds anyway: no bug of the program hides in them. */
const barren =
  /(^invariant|(^|[.#?])log\??[.]write|(^|[.#?])log\??[.]enabled|(^|[.#?])metrics\??[.](count|sample|gauge)|Error)$/

function isBarren(look: Look): boolean {
  const { ts, node } = look
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true
  if (ts.isExpressionStatement(node)) return isBarren({ ...look, node: node.expression })
  if (ts.isVoidExpression(node)) return isBarren({ ...look, node: node.expression })
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false
  return barren.test(textOf(look, node.expression))
}

/** Whether an expression in parentheses may replace this one with the same meaning. */
function isSound(ts: Compiler, change: Change): boolean {
  if (change.kind === 'skip') return true
  const { node } = change
  const { parent } = node
  // A number can be the name of a property: of an object, of a class, or in a pattern.
  if ('name' in parent && parent.name === node) return false
  if (ts.isBindingElement(parent) && parent.propertyName === (node as ts.Node)) return false
  if (ts.isDeleteExpression(parent) || ts.isTaggedTemplateExpression(parent)) return false
  const isInner = 'expression' in parent && parent.expression === node
  // In `a?.b.c`, the first part also decides whether the second is evaluated at all.
  if (isInner && ts.isOptionalChain(parent) && ts.isOptionalChain(node)) return false
  const isCallee = isInner && (ts.isCallExpression(parent) || ts.isNewExpression(parent))
  // A called method needs its object.
  return !isCallee
}
