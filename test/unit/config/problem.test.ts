import { describe, expect, it } from 'vitest'
import { problemLines, problemText } from '../../../src/config/problem.ts'
import { severalErrors } from '../../../src/model/several-errors.ts'

const place = 'a.json:1:2'
const remedy = 'write another'

describe('a problem of the configuration', () => {
  it('is one line, whatever a name in it holds', () => {
    const problem = { place: 'a\n.json:1:2', message: 'no key "b\u0000"', remedy }
    expect(problemText(problem)).toBe('a\\n.json:1:2: no key "b\\u0000": write another')
    expect(problemLines(problem)).toBe(problemText(problem))
    expect(problemText({ place: '', message: 'm', remedy: '' })).toBe('m')
  })

  it('that is a list of one is that one', () => {
    const problem = { place, message: `Error joining cluster: ${severalErrors(['Failed to join x'])}`, remedy }
    expect(problemText(problem)).toBe('a.json:1:2: Error joining cluster: Failed to join x: write another')
    expect(problemLines(problem)).toBe(problemText(problem))
  })

  it('that lists several has a line for each on a terminal, and one line for all in a log', () => {
    const problem = { place, message: `Error joining cluster: ${severalErrors(['one', 'two\n\nlines'])}`, remedy }
    expect(problemText(problem)).toBe(
      'a.json:1:2: Error joining cluster: 2 error(s) occurred: one; two\\n\\nlines: write another',
    )
    expect(problemLines(problem).split('\n')).toEqual([
      'a.json:1:2: Error joining cluster: 2 error(s) occurred:',
      '    * one',
      '    * two\\n\\nlines',
      '    write another',
    ])
  })
})
