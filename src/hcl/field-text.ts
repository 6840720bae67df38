import type { HclProblem } from './problem.ts'

/** The problem in the field's exact words, `At 1:7: …`, for clients that compare texts: each message there names its place. */
export function fieldProblemText(text: string, problem: HclProblem): string {
  const { line, column } = placeOf(text, problem.offset)
  const at = `${line}:${column}`
  const { message } = problem
  if (problem.offset === text.length) return `At ${line}:${column + looksAtEnd(text, message)}: ${message}`
  if (message.startsWith('Unknown token: ')) return `At ${at}: Unknown token: ${at} ${message.slice(15)}`
  return `At ${at}: ${message}`
}

/** There the end of the text moves on by one with each look at it but the first: one for a name that ends with it, too. */
function looksAtEnd(text: string, message: string): number {
  const isSeen = message.endsWith('got: EOF') || message.includes('expected start of object')
  const afterName = isSeen && /[\w.-]$/.test(text) ? 1 : 0
  return afterName + (message.endsWith('closing RBRACE got: EOF') ? 1 : 0)
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
