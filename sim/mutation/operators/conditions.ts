import type ts from 'typescript'
import { type Change, type Look, type OperatorName, replaced, textOf } from './change.ts'

/** Conditions of statements and of `?:`. Comparisons have operators of their own. */
export function conditions(look: Look): readonly Change[] {
  const { ts, node } = look
  const holder = node.parent
  if (holder === undefined || !isConditionOf(ts, node, holder)) return []
  const text = textOf(look, node)
  if (text === 'true' || text === 'false') return []
  const constant: readonly OperatorName[] =
    ts.isIfStatement(holder) || ts.isConditionalExpression(holder) ? ['always-true', 'always-false'] : []
  return [
    ...(hasOwnOpposite(ts, node) ? [] : [replaced('negate-condition', node, `!(${text})`)]),
    ...constant.map((operator) => replaced(operator, node, operator === 'always-true' ? 'true' : 'false')),
  ]
}

function isConditionOf(ts: Look['ts'], node: ts.Node, holder: ts.Node): node is ts.Expression {
  if (ts.isIfStatement(holder) || ts.isWhileStatement(holder) || ts.isDoStatement(holder)) {
    return holder.expression === node
  }
  return (ts.isForStatement(holder) || ts.isConditionalExpression(holder)) && holder.condition === node
}

/** Whether another operator makes its opposite. */
function hasOwnOpposite(ts: Look['ts'], node: ts.Node): boolean {
  if (ts.isPrefixUnaryExpression(node)) return node.operator === ts.SyntaxKind.ExclamationToken
  return ts.isBinaryExpression(node) && equalities.has(node.operatorToken.getText())
}

const equalities: ReadonlyMap<string, string> = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['==', '!='],
  ['!=', '=='],
])

const boundaries: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
])

/** In the direction that another boundary does not cover. */
const offByOne: ReadonlyMap<string, string> = new Map([
  ['<', '- 1'],
  ['<=', '+ 1'],
  ['>', '+ 1'],
  ['>=', '- 1'],
])

const logicals: ReadonlyMap<string, string> = new Map([
  ['&&', '||'],
  ['||', '&&'],
])

/** Comparisons, `&&`, `||` and `??`. */
export function binaries(look: Look): readonly Change[] {
  const { ts, node } = look
  if (!ts.isBinaryExpression(node)) return []
  const sign = node.operatorToken.getText()
  const [left, right] = [textOf(look, node.left), textOf(look, node.right)]
  const made = (operator: OperatorName, after: string): Change => replaced(operator, node, after)
  const opposite = equalities.get(sign)
  if (opposite !== undefined) return [made('equality', `${left} ${opposite} ${right}`)]
  const boundary = boundaries.get(sign)
  if (boundary !== undefined) {
    const moved = ts.isNumericLiteral(node.right)
      ? []
      : [made('off-by-one', `${left} ${sign} (${right}) ${offByOne.get(sign)}`)]
    return [made('boundary', `${left} ${boundary} ${right}`), ...moved]
  }
  const exchanged = logicals.get(sign)
  if (exchanged === undefined && sign !== '??') return []
  return [
    ...(exchanged === undefined ? [] : [made('logical', `(${left}) ${exchanged} (${right})`)]),
    made('left-operand', left),
    made('right-operand', right),
  ]
}
