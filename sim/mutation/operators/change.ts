import type ts from 'typescript'

/** The TypeScript compiler's own parser; it is passed in, because the program does not depend on it. */
export type Compiler = typeof ts

/** Every kind of change, with its effect. Reports use the names. */
export const operators = {
  'negate-condition': 'a condition means its opposite',
  'always-true': 'a condition always holds',
  'always-false': 'a condition never holds',
  boundary: '`<` becomes `<=`, `>` becomes `>=`, and back',
  'off-by-one': 'one side of a comparison is off by one',
  equality: '`===` becomes `!==`, and back',
  logical: '`&&` becomes `||`, and back',
  'left-operand': 'only the left side of `&&`, `||` or `??` counts',
  'right-operand': 'only the right side of `&&`, `||` or `??` counts',
  negation: '`!x` becomes `x`, `-x` becomes `x`',
  arithmetic: '`+` becomes `-`, `*` becomes `/`, `++` becomes `--`, and back',
  halved: 'a number is halved (0 stays)',
  doubled: 'a number is doubled (0 becomes 1)',
  boolean: '`true` becomes `false`, and back',
  'return-nothing': 'a function returns undefined',
  'return-true': 'a function always returns true',
  'return-false': 'a function always returns false',
  'method-exchange': '`min` for `max`, `some` for `every`, `find` for `findLast`, and back',
  'swap-arguments': 'two neighbouring arguments are swapped',
  'similar-function': 'a function with a similar name is called',
  'remove-statement': 'a statement is left out',
  'remove-await': 'a statement does not await the promise that it creates',
  'reorder-await': 'a statement runs after the one that follows it, where one of them waits',
} as const

/** Further kinds, by which a repair is looked for and no score is counted. */
export const repairOperators = {
  'exact-comparison': '`<=` and `>=` become `===`',
  'other-local': 'an argument is the variable that was declared last',
  'return-local': 'a function that returns nothing returns the variable that was declared last',
} as const

export type OperatorName = keyof typeof operators | keyof typeof repairOperators

/** An expression that is evaluated in place of another. */
interface Replacement {
  readonly kind: 'replace'
  readonly operator: OperatorName
  readonly node: ts.Expression
  readonly after: string
}

/** A statement that is skipped, or runs only after the following one. */
interface Removal {
  readonly kind: 'skip'
  readonly operator: OperatorName
  readonly node: ts.Statement
  readonly behind?: ts.Statement
}

export type Change = Replacement | Removal

/** The input of an operator: one node, and the text around it. */
export interface Look {
  readonly ts: Compiler
  readonly source: ts.SourceFile
  readonly node: ts.Node
}

/** Returns the changes of exactly this node, without those of nodes within it. */
export type Operator = (look: Look) => readonly Change[]

export function textOf({ source }: Pick<Look, 'source'>, node: ts.Node): string {
  return source.text.slice(node.getStart(source), node.end)
}

export function replaced(operator: OperatorName, node: ts.Expression, after: string): Change {
  return { kind: 'replace', operator, node, after }
}
