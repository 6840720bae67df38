import type ts from 'typescript'
import type { Change, Compiler, OperatorName } from './operators/change.ts'

/**
 * Two sites beside a changeable expression, of which a run reaches the first or the second, depending on a value: from
 * these it is known in which runs a change can make a difference.
 *
 * | split | first site | second site |
 * |---|---|---|
 * | `truth` | the value counts as true | as false |
 * | `presence` | the value is undefined | anything else |
 * | `nullity` | the value is undefined or null | anything else |
 * | `distance` | both sides of a comparison are equal | they differ by at most 1 |
 */
export type Split = 'truth' | 'presence' | 'nullity' | 'distance'

export type Half = 0 | 1

/** An expression whose values are observed. */
export interface Observed {
  readonly node: ts.Expression
  readonly split: Split
}

/** What a change needs to make a difference. */
export interface Needed extends Observed {
  /** Which of the two sites must be reached. */
  readonly half: Half
  /** Runs that do not reach it are the same with the change. Otherwise, it is only likely. */
  readonly isCertain: boolean
}

/**
 * What an expression must be for the change of it to make a difference; undefined: the change always makes one, or
 * nothing is known.
 *
 * 1. A value that is replaced by a constant makes no difference where it was that constant. The expression is not
 *    evaluated any more, so this is certain only if evaluating it does nothing else (`isPure`).
 * 2. `a && b` that becomes `a` makes a difference only where `b` was evaluated: where `a` counts as true; and `b` in its
 *    place where `a` counts as false. The same, the other way round, for `||`, and for `??` with nothing in place of
 *    false.
 * 3. `<` and `<=` differ only where both sides are equal. A side that is off by one only matters within that distance.
 */
export function neededBy(compiler: Compiler, { kind, operator, node }: Change): Needed | undefined {
  if (kind === 'skip') return undefined
  const expression = node as ts.Expression
  const constant = constants[operator]
  if (operator === 'return-nothing' && isSomething(compiler, expression)) return undefined
  if (constant !== undefined) {
    const isExact = operator.startsWith('always') || operator === 'return-nothing' || isTruth(compiler, expression)
    return { ...constant, node: expression, isCertain: isExact && isPure(compiler, expression) }
  }
  if (!compiler.isBinaryExpression(expression)) return undefined
  const { left, operatorToken } = expression
  const sign = operatorToken.getText()
  if (operator === 'boundary') return { node: expression, split: 'distance', half: 0, isCertain: true }
  if (operator === 'off-by-one') return { node: expression, split: 'distance', half: 1, isCertain: true }
  const evaluatesRight = operands[sign]
  if (evaluatesRight === undefined) return undefined
  const { split, half } = evaluatesRight
  if (operator === 'left-operand') return { node: left, split, half, isCertain: true }
  if (operator === 'right-operand')
    return { node: left, split, half: half === 0 ? 1 : 0, isCertain: isPure(compiler, left) }
  return undefined
}

/** Where a value differs from the constant in its place. */
const constants: Readonly<Partial<Record<OperatorName, Pick<Needed, 'split' | 'half'>>>> = {
  'always-true': { split: 'truth', half: 1 },
  'always-false': { split: 'truth', half: 0 },
  'return-true': { split: 'truth', half: 1 },
  'return-false': { split: 'truth', half: 0 },
  'return-nothing': { split: 'presence', half: 1 },
}

/** Where the left operand leaves it to the right one. */
const operands: Readonly<Record<string, Pick<Needed, 'split' | 'half'>>> = {
  '&&': { split: 'truth', half: 0 },
  '||': { split: 'truth', half: 1 },
  '??': { split: 'nullity', half: 0 },
}

function isSomething(compiler: Compiler, node: ts.Expression): boolean {
  return compiler.isLiteralExpression(node) || compiler.isObjectLiteralExpression(node) || compiler.isFunctionLike(node)
}

/** Whether it is true or false by its form, and not just counts as such. */
function isTruth(compiler: Compiler, node: ts.Expression): boolean {
  if (compiler.isParenthesizedExpression(node)) return isTruth(compiler, node.expression)
  if (compiler.isPrefixUnaryExpression(node)) return node.operator === compiler.SyntaxKind.ExclamationToken
  if (!compiler.isBinaryExpression(node)) return false
  const sign = node.operatorToken.getText()
  if (/^(?:[=!]==?|<=?|>=?|in|instanceof)$/.test(sign)) return true
  return (sign === '&&' || sign === '||') && isTruth(compiler, node.left) && isTruth(compiler, node.right)
}

/** Whether evaluating it does nothing else. Properties may be computed; those of this project change nothing. */
function isPure(compiler: Compiler, node: ts.Node): boolean {
  const kinds = compiler.SyntaxKind
  const impure: readonly ts.SyntaxKind[] = [
    kinds.CallExpression,
    kinds.NewExpression,
    kinds.AwaitExpression,
    kinds.YieldExpression,
    kinds.DeleteExpression,
    kinds.TaggedTemplateExpression,
    kinds.SpreadElement,
    kinds.PostfixUnaryExpression,
  ]
  if (compiler.isFunctionLike(node)) return true
  if (impure.includes(node.kind)) return false
  if (compiler.isPrefixUnaryExpression(node) && /^(?:\+\+|--)/.test(node.getText())) return false
  if (compiler.isBinaryExpression(node) && assigns(compiler, node)) return false
  return compiler.forEachChild(node, (child) => !isPure(compiler, child) || undefined) !== true
}

function assigns(compiler: Compiler, { operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind >= compiler.SyntaxKind.FirstAssignment && kind <= compiler.SyntaxKind.LastAssignment
}

/** Of all observed values, each once. */
export function observedOf(needed: readonly (Needed | undefined)[]): readonly Observed[] {
  const observed: Observed[] = []
  for (const one of needed) {
    if (one !== undefined && !observed.some((known) => isSame(known, one)))
      observed.push({ node: one.node, split: one.split })
  }
  return observed
}

export function isSame(one: Observed, other: Observed): boolean {
  return one.node === other.node && one.split === other.split
}

/** The functions by which an instrumented module observes values; they return the value. */
export const observers = {
  truth: '$t',
  presence: '$u',
  nullity: '$n',
  '<': '$lt',
  '<=': '$le',
  '>': '$gt',
  '>=': '$ge',
} as const

/** Their texts, for the module with the switch. `$h` has a byte for each site. */
export const observersText: readonly string[] = [
  'export const $t = (site, value) => { $h[value ? site : site + 1] = 1; return value }',
  'export const $u = (site, value) => { $h[value === undefined ? site : site + 1] = 1; return value }',
  'export const $n = (site, value) => { $h[value === undefined || value === null ? site : site + 1] = 1; return value }',
  'const compared = (site, a, b) => {',
  "  const areNumbers = typeof a === 'number' && typeof b === 'number'",
  '  if (!areNumbers || a === b) $h[site] = 1',
  '  if (!areNumbers || Math.abs(a - b) <= 1) $h[site + 1] = 1',
  '}',
  'export const $lt = (site, a, b) => { compared(site, a, b); return a < b }',
  'export const $le = (site, a, b) => { compared(site, a, b); return a <= b }',
  'export const $gt = (site, a, b) => { compared(site, a, b); return a > b }',
  'export const $ge = (site, a, b) => { compared(site, a, b); return a >= b }',
]
