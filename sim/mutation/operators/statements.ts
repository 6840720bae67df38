import type ts from 'typescript'
import { type Change, type Look, replaced, textOf } from './change.ts'

/** Statements that are left out, do not wait, or swap places. */
export function statements(look: Look): readonly Change[] {
  const { ts, node } = look
  if (ts.isAwaitExpression(node)) return unawaited(look, node)
  const isJump = ts.isBreakStatement(node) || ts.isContinueStatement(node) || ts.isThrowStatement(node)
  const isBareReturn = ts.isReturnStatement(node) && node.expression === undefined
  if (isJump || isBareReturn) return [{ kind: 'skip', operator: 'remove-statement', node }]
  // A string alone is a directive.
  if (!ts.isExpressionStatement(node) || ts.isStringLiteral(node.expression)) return []
  return [{ kind: 'skip', operator: 'remove-statement', node }, ...reordered(look, node)]
}

/** If the value is used, any compiler notices a promise in its place. */
function unawaited(look: Look, node: ts.AwaitExpression): readonly Change[] {
  if (!look.ts.isExpressionStatement(node.parent)) return []
  return [replaced('remove-await', node, `void ${textOf(look, node.expression)}`)]
}

/** Without an await in either of the two, the change would only reorder code within one turn. */
function reordered({ ts, source }: Look, node: ts.ExpressionStatement): readonly Change[] {
  const behind = nextStatement(ts, node)
  if (behind === undefined || !ts.isExpressionStatement(behind)) return []
  if (!waits(ts, node) && !waits(ts, behind)) return []
  if (node.getText(source) === behind.getText(source)) return []
  return [{ kind: 'skip', operator: 'reorder-await', node, behind }]
}

function nextStatement(ts: Look['ts'], node: ts.Statement): ts.Statement | undefined {
  const { parent } = node
  if (!ts.isBlock(parent) && !ts.isCaseOrDefaultClause(parent)) return undefined
  return parent.statements[parent.statements.indexOf(node) + 1]
}

/** Whether it has an await of its own function. */
function waits(ts: Look['ts'], node: ts.Node): boolean {
  if (ts.isAwaitExpression(node)) return true
  if (ts.isFunctionLike(node)) return false
  return ts.forEachChild(node, (child) => waits(ts, child) || undefined) === true
}
