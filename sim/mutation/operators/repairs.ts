import type ts from 'typescript'
import { type Change, type Look, replaced, textOf } from './change.ts'

/**
 * Changes that a search for a repair also makes. As mistakes they would mostly be refused by a compiler, or be of no
 * effect, so the score does not count them.
 */
export function repairs(look: Look): readonly Change[] {
  return [...exactComparison(look), ...otherLocal(look), ...returnedLocal(look)]
}

/** `<=` where only the same value is meant: what is older or newer must not count. */
function exactComparison(look: Look): readonly Change[] {
  const { ts, node } = look
  if (!ts.isBinaryExpression(node)) return []
  const sign = node.operatorToken.getText()
  if (sign !== '<=' && sign !== '>=') return []
  return [replaced('exact-comparison', node, `${textOf(look, node.left)} === ${textOf(look, node.right)}`)]
}

/** What was computed last is handed over: a value that was computed to be used there is easily forgotten. */
function otherLocal(look: Look): readonly Change[] {
  const { ts, node } = look
  const call = node.parent
  if (call === undefined || !(ts.isCallExpression(call) || ts.isNewExpression(call))) return []
  const given = call.arguments ?? []
  if (!given.some((each) => each === node)) return []
  const [local, ...others] = localsBefore(look, node)
  // What a caller handed over is mostly meant as it is.
  const isComputed = ts.isIdentifier(node) ? others.includes(node.text) : ts.isPropertyAccessExpression(node)
  const isUsed = given.some((each) => textOf(look, each) === local)
  return local === undefined || !isComputed || isUsed ? [] : [replaced('other-local', node as ts.Expression, local)]
}

/** `return undefined` behind a variable that may be meant, and that was not just judged: `if (!found) return undefined`. */
function returnedLocal(look: Look): readonly Change[] {
  const { ts, node } = look
  if (node.parent === undefined || !ts.isReturnStatement(node.parent) || !isNothing(ts, node)) return []
  const [local] = localsBefore(look, node)
  return local === undefined || isJudged(look, node, local) ? [] : [replaced('return-local', node, local)]
}

/** Whether a condition that leads to this node asks for the variable. */
function isJudged({ ts }: Pick<Look, 'ts'>, node: ts.Node, local: string): boolean {
  const asks = (each: ts.Node): boolean => {
    if (ts.isIdentifier(each)) return each.text === local
    if (ts.isPropertyAccessExpression(each)) return asks(each.expression)
    return ts.forEachChild(each, (child) => asks(child) || undefined) === true
  }
  for (let child = node, { parent } = node; parent !== undefined; child = parent, { parent } = parent) {
    if (ts.isFunctionLike(parent)) return false
    if (ts.isIfStatement(parent) && child !== parent.expression && asks(parent.expression)) return true
  }
  return false
}

function isNothing(ts: Look['ts'], node: ts.Node): node is ts.Expression {
  if (ts.isParenthesizedExpression(node)) return isNothing(ts, node.expression)
  return ts.isIdentifier(node) && node.text === 'undefined'
}

/** The names of variables with a value that the function has declared before a node, the last first. */
function localsBefore({ ts }: Pick<Look, 'ts'>, node: ts.Node): readonly string[] {
  const found: string[] = []
  for (let child = node, { parent } = node; parent !== undefined; child = parent, { parent } = parent) {
    if (ts.isFunctionLike(parent)) break
    if (!ts.isBlock(parent) && !ts.isCaseOrDefaultClause(parent)) continue
    const { statements } = parent
    const before = statements.slice(0, statements.indexOf(child as ts.Statement))
    found.push(...before.toReversed().flatMap((statement) => namesOf(ts, statement)))
  }
  return found
}

function namesOf(ts: Look['ts'], statement: ts.Statement): readonly string[] {
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.toReversed().flatMap(({ name, initializer }) => {
    const isFunction = initializer !== undefined && ts.isFunctionLike(initializer)
    return ts.isIdentifier(name) && initializer !== undefined && !isFunction ? [name.text] : []
  })
}
