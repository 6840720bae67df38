import { err, ok, type Result } from '../../../src/base/result.ts'

/**
 * Splits a typed line into words: at spaces, except within quotes, as in a shell; a backslash makes the next character
 * literal.
 */
export function wordsOf(line: string): Result<readonly string[], string> {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? ''
    if (character === '\\' && quote !== "'") word = (word ?? '') + (line[++at] ?? '')
    else if (quote !== '') {
      if (character === quote) quote = ''
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quote !== '') return err(`a quote (${quote}) is not closed`)
  if (word !== undefined) words.push(word)
  return ok(words)
}
