import type ts from 'typescript'
import { type Change, type Look, replaced, textOf } from './change.ts'

/** Literal numbers and booleans. */
export function literals(look: Look): readonly Change[] {
  const { ts, node } = look
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [replaced('boolean', node as ts.Expression, 'false')]
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [replaced('boolean', node as ts.Expression, 'true')]
  if (!ts.isNumericLiteral(node)) return []
  const value = Number(node.text)
  if (value === 0) return [replaced('doubled', node, '1')]
  const half = Number.isInteger(value) ? Math.floor(value / 2) : value / 2
  return [replaced('halved', node, String(half)), replaced('doubled', node, String(value * 2))]
}

const arithmetics: ReadonlyMap<string, string> = new Map([
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['+=', '-='],
  ['-=', '+='],
])

/** `+` and the like, `++`, `!` and unary minus. */
export function arithmetic(look: Look): readonly Change[] {
  const { ts, node } = look
  if (ts.isBinaryExpression(node)) {
    const exchanged = arithmetics.get(node.operatorToken.getText())
    if (exchanged === undefined || isText(ts, node.left) || isText(ts, node.right)) return []
    return [replaced('arithmetic', node, `${textOf(look, node.left)} ${exchanged} ${textOf(look, node.right)}`)]
  }
  if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return []
  const inner = textOf(look, node.operand)
  const { PlusPlusToken, MinusMinusToken, ExclamationToken, MinusToken } = ts.SyntaxKind
  if (node.operator === ExclamationToken || node.operator === MinusToken) return [replaced('negation', node, inner)]
  if (node.operator !== PlusPlusToken && node.operator !== MinusMinusToken) return []
  const sign = node.operator === PlusPlusToken ? '--' : '++'
  return [replaced('arithmetic', node, ts.isPostfixUnaryExpression(node) ? `${inner}${sign}` : `${sign}${inner}`)]
}

/** Texts are concatenated with `+`, too. */
function isText(ts: Look['ts'], node: ts.Expression): boolean {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true
  return ts.isBinaryExpression(node) && (isText(ts, node.left) || isText(ts, node.right))
}

/** The value of a function, by `return` or as the body of an arrow. */
export function returns(look: Look): readonly Change[] {
  const { ts, node } = look
  const holder = node.parent
  const isReturned =
    holder !== undefined &&
    (ts.isReturnStatement(holder) ? holder.expression === node : ts.isArrowFunction(holder) && holder.body === node)
  if (!isReturned || ts.isBlock(node)) return []
  const value = node as ts.Expression
  const text = textOf(look, value)
  // Literals have an operator of their own; `void x` and undefined are not changed.
  if (text === 'true' || text === 'false' || text === 'undefined' || ts.isVoidExpression(value)) return []
  if (!isTruth(ts, value)) return [replaced('return-nothing', value, 'undefined')]
  return [replaced('return-true', value, 'true'), replaced('return-false', value, 'false')]
}

/** Decided by its form: a comparison, a negation, or several of them. */
function isTruth(ts: Look['ts'], node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isTruth(ts, node.expression)
  if (ts.isPrefixUnaryExpression(node)) return node.operator === ts.SyntaxKind.ExclamationToken
  if (!ts.isBinaryExpression(node)) return false
  const sign = node.operatorToken.getText()
  if (/^([=!]==?|<=?|>=?|in|instanceof)$/.test(sign)) return true
  return (sign === '&&' || sign === '||') && (isTruth(ts, node.left) || isTruth(ts, node.right))
}
