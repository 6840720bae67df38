import { expect, it } from 'vitest'
import {
  type GroundedSession,
  type SessionGround,
  SessionGrounds,
} from '../../../sim/checkers/clients/session-grounds.ts'
import { recorder } from './reports.ts'

const one: GroundedSession = { id: 'one', node: 'c1', checks: ['serfHealth', 'web'], behaviour: 'release' }
const two: GroundedSession = { id: 'two', node: 'c1', checks: [], behaviour: 'delete' }

interface State {
  readonly sessions?: readonly GroundedSession[]
  readonly holds?: Readonly<Record<string, string>>
  readonly keys?: readonly string[]
  readonly nodes?: readonly string[]
  readonly web?: string | undefined
}

function ground({ sessions = [one, two], holds = {}, keys = [], nodes = ['c1'], ...rest }: State): SessionGround {
  const web = 'web' in rest ? rest.web : 'passing'
  return {
    sessions,
    holds: new Map(Object.entries(holds)),
    hasKey: (key) => keys.includes(key),
    hasNode: (node) => nodes.includes(node),
    statusOf: (_, check) => (check === 'web' ? web : 'passing'),
  }
}

function linesOf(...states: readonly State[]): readonly string[] {
  const { judge, lines } = recorder()
  const checker = new SessionGrounds(judge)
  for (const state of states) checker.command(ground(state))
  return lines
}

it('S4 takes sessions that stand, and keys that are freed or deleted with theirs', () => {
  const held = { holds: { a: 'one', b: 'two' }, keys: ['a', 'b'] }
  expect(linesOf(held, { sessions: [], keys: ['a'] })).toEqual([])
  expect(linesOf({ web: 'warning' })).toEqual([])
})

it.each([
  [{ nodes: [] }, 'session one still exists, although its node c1 is gone'],
  [{ web: 'critical' }, 'session one still exists, although its check web of c1 is critical'],
  [{ web: undefined }, 'session one still exists, although its check web of c1 is gone'],
  [{ holds: { a: 'three' }, keys: ['a'] }, 'key a is held by session three, which has ended'],
])('S4 is broken by %o', (state, line) => {
  expect(linesOf(state)[0]).toBe(`S4: ${line}`)
})

it('S4 is broken by a key that stays where it was to go, and by one that goes where it was to stay', () => {
  const held = { holds: { a: 'one', b: 'two' }, keys: ['a', 'b'] }
  expect(linesOf(held, { sessions: [], keys: ['b'] })).toEqual([
    'S4: key a is gone, whose session one has ended and must release it',
    'S4: key b stays, whose session two has ended and must delete it',
  ])
})

it('S4 asks nothing of what a restored snapshot does not have', () => {
  const { judge, lines, counts } = recorder()
  const checker = new SessionGrounds(judge)
  checker.command(ground({ holds: { b: 'two' }, keys: ['b'] }))
  checker.command(ground({ sessions: [], keys: ['b'] }), true)
  expect([lines, counts()]).toEqual([[], ['S4 2', 'S4 excused: restored 1']])
})
