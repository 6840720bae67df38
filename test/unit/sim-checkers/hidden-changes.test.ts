import { describe, expect, it } from 'vitest'
import { HiddenChanges } from '../../../sim/checkers/clients/hidden-changes.ts'
import type { StillAnswer } from '../../../sim/checkers/clients/read-facts.ts'
import { recorder } from './reports.ts'

function told(...answers: readonly (Partial<StillAnswer> | 'another state')[]): readonly string[] {
  const reports = recorder()
  const law = new HiddenChanges(reports.judge)
  for (const answer of answers) {
    if (answer === 'another state') law.forget()
    else law.answered({ query: '/v1/kv/a', token: 'few', agent: 's1', index: 7, body: '200 [a]', ...answer })
  }
  return reports.lines
}

describe('W6, what a client is told that sees nothing change', () => {
  it('is one answer with one index, from every agent', () => {
    expect(told({}, { agent: 's2' }, {}, { query: '/v1/kv/b', index: 9 }, { token: 'other', body: '404 ' })).toEqual([])
  })

  it('refuses another index, later or earlier', () => {
    expect(told({}, { agent: 's2', index: 8 })).toEqual([
      'W6: /v1/kv/a at s2 has index 8 instead of 7, as s1 told few before, and nothing has changed that it may see',
    ])
    expect(told({}, {}, { index: 6 })).toHaveLength(1)
  })

  it('refuses another answer, whatever its index', () => {
    expect(told({}, { agent: 'c1', body: '200 [a, b]' })).toEqual([
      'W6: /v1/kv/a at c1 shows 200 [a, b] instead of 200 [a], as s1 told few before, and nothing has changed that it may see',
    ])
  })

  it('begins anew with another state', () => {
    expect(told({}, 'another state', { index: 12 }, { index: 12 })).toEqual([])
    expect(told({}, 'another state', { index: 12 }, { index: 13 })).toHaveLength(1)
  })
})
