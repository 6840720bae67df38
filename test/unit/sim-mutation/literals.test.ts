import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { literalsOf } from '../../../sim/mutation/literals.ts'
import { parsed } from '../../../sim/mutation/walk.ts'

describe('the texts of a module', () => {
  it('are its strings and the fixed parts of its templates, without imported names and short words', () => {
    const text = [
      "import { a } from './somewhere.js'",
      "export const words = ['key', 'no such key']",
      'export const told = (x) => `no server of ${x} could answer`',
    ].join('\n')
    const found = literalsOf(ts, parsed(ts, 'src/a.js', text), 'src/a.js')
    expect(found.map(({ text: each, at }) => [each, at.line])).toEqual([
      ['no such key', 1],
      ['no server of', 2],
      ['could answer', 2],
    ])
  })
})
