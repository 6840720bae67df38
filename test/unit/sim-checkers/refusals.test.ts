import { describe, expect, it } from 'vitest'
import type { LogTrace, SettledAnswer } from '../../../sim/checkers/refusal-facts.ts'
import { Refusals } from '../../../sim/checkers/refusals.ts'
import { recorder } from './reports.ts'

const mark = '0a1b2c3d-0000-1111-2222-333344445555'
const right = { status: 400, body: /Missing/ }

/** F1, after one request that may leave this in the log. */
function asked(leaves: LogTrace) {
  const { judge, codes, lines, counts } = recorder()
  const refusals = new Refusals(judge)
  const request = { what: 'PUT /v1/thing at s1 (no name)', mark, calledIn: 7 }
  refusals.began({ ...request, leaves })
  const applied = (body: unknown, outcome: unknown): void =>
    refusals.applied({ command: { kind: 'thing.set', body, identity: undefined }, outcome })
  const answered = (status: number, body: string, more: Partial<SettledAnswer> = {}): void =>
    refusals.answered({ ...request, tookMs: 12, status, body, right, isInContact: true, isCalm: true, ...more })
  return { refusals, applied, answered, codes, lines, counts }
}

describe('F1', () => {
  it('holds for a refusal with its status and text that leaves nothing', () => {
    const { answered, applied, codes, counts } = asked('nothing')
    answered(400, 'Missing name')
    applied({ name: 'n-9999999-0000-1111-2222-333344445555', value: new Uint8Array([1]) }, true)
    expect([codes, counts()]).toEqual([[], ['F1 1']])
  })

  it.each([
    ['another status', 200, 'Missing name'],
    ['another text', 400, 'no'],
    ['a server error in contact', 500, 'No cluster leader'],
  ])('is broken by %s', (_, status, body) => {
    const { answered, lines } = asked('nothing')
    answered(status, body)
    expect(lines).toEqual([
      `F1: PUT /v1/thing at s1 (no name) is answered ${status} ${JSON.stringify(body)} instead of 400 /Missing/`,
    ])
  })

  it('excuses a server error without contact, but no other answer', () => {
    const { answered, codes, counts } = asked('nothing')
    answered(500, 'No cluster leader', { isInContact: false })
    expect([codes, counts()]).toEqual([[], ['F1 excused: no contact 1']])
    answered(200, 'true', { isInContact: false })
    expect(codes).toEqual(['F1'])
  })

  it('is broken by any entry of a request that must leave none, however deep its ID is', () => {
    const { applied, lines } = asked('nothing')
    applied({ said: { tags: [`t-${mark}`] } }, { refusal: 'no' })
    expect(lines).toEqual([
      'F1: PUT /v1/thing at s1 (no name) must be refused, and a command thing.set with its ID is in the log',
    ])
  })

  it.each([
    ['a refusal', { refusal: 'no' }, 0],
    ['false', false, 0],
    ['no session', { kind: 'no-session' }, 0],
    ['a change by another caller', { changedMeanwhile: true }, 0],
    ['an ID', { id: 'a' }, 1],
    ['no refusal', { refusal: null }, 1],
    ['one of several', ['no', null], 1],
  ])('of an entry that may only be refused: %s', (_, outcome, violations) => {
    const { applied, codes } = asked('refusal')
    applied({ name: mark }, outcome)
    expect(codes.length).toBe(violations)
  })

  it('is broken by an acknowledgement without an effect', () => {
    const { applied, answered, lines } = asked('effect')
    applied({ name: mark }, { refusal: 'no' })
    answered(200, 'true', { right: { status: 200, body: /true/ } })
    expect(lines).toEqual([
      'F1: PUT /v1/thing at s1 (no name) is acknowledged, and no command with its ID has taken effect',
    ])
    const other = asked('effect')
    other.applied({ name: mark }, true)
    other.answered(200, 'true', { right: { status: 200, body: /true/ } })
    expect(other.codes).toEqual([])
  })

  it('forgets the oldest of very many requests', () => {
    const { refusals, applied, codes } = asked('nothing')
    for (let nth = 0; nth < 256; nth++) {
      refusals.began({ what: '', mark: `other ${nth}`, leaves: 'nothing', calledIn: 0 })
    }
    applied({ name: mark }, true)
    expect(codes).toEqual([])
  })
})
