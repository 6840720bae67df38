import { type HclProblem, type HclProblemKind, unknownToken } from './problem.ts'

/** The problem in the field's exact words, `At 1:7: …`, for clients that compare texts: each message there names its place. */
export function fieldProblemText(text: string, problem: HclProblem): string {
  const { line, column } = placeOf(text, problem.offset)
  const at = `${line}:${column}`
  const { message, about } = problem
  if (problem.offset === text.length) return `At ${line}:${column + looksAtEnd(text, about)}: ${message}`
  if (about === 'unknown-token') return `At ${at}: ${unknownToken}${at} ${message.slice(unknownToken.length)}`
  return `At ${at}: ${message}`
}

/** There the end of the text moves on by one with each look at it but the first: one for a name that ends with it, too. */
function looksAtEnd(text: string, about: HclProblemKind): number {
  const isSeen = about === 'next-token' || about === 'closing-brace'
  const afterName = isSeen && /[\w.-]$/.test(text) ? 1 : 0
  return afterName + (about === 'closing-brace' ? 1 : 0)
}

/** Lines and columns count from 1, columns in characters. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1
  let begin = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', begin)) {
    line++
    begin = end + 1
  }
  return { line, column: [...text.slice(begin, offset)].length + 1 }
}
