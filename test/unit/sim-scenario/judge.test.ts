import { describe, expect, it } from 'vitest'
import { select } from '../../../sim/notation/selection.ts'
import type { Observed } from '../../../sim/scenario/conditions/condition.ts'
import { condition, conditionText, judge } from '../../../sim/scenario/conditions/conditions.ts'

function observed(part: Partial<Observed> & { readonly down?: readonly string[] } = {}): Observed {
  const servers = ['s1', 's2', 's3']
  const isRunning = (server: string): boolean => !(part.down ?? []).includes(server)
  return {
    servers,
    nodes: [...servers, 'c1'],
    memberStatus: () => 'alive',
    isRunning,
    leaders: () => ['s1'],
    appliedIndex: () => 7,
    elections: 2,
    writesAcknowledged: 10,
    mesh: () => undefined,
    tunnels: { made: 0, failed: 0, broken: 0, longestMs: 0, lastWhy: '' },
    heldOtherwise: () => undefined,
    select: (selector) =>
      select(selector, {
        servers,
        clients: ['c1'],
        datacenterOf: () => 'dc1',
        isRunning,
        leader: () => 's1',
        saved: () => ['s1'],
        it: undefined,
        except: [],
        draw: { inOrder: (items) => items },
      }),
    ...part,
  }
}

describe('a condition', () => {
  const cases: readonly (readonly [object, Partial<Observed> & { down?: readonly string[] }, string | undefined])[] = [
    [{ leader: 'exactly one' }, {}, undefined],
    [{ leader: 'exactly one' }, { leaders: () => [] }, 'nobody leads'],
    [{ leader: 'exactly one' }, { leaders: () => ['s1', 's2'] }, 's1 and s2 lead'],
    [{ leader: 'exactly one', among: 's2, s3' }, { leaders: () => ['s1', 's2'] }, undefined],
    [{ leader: 'none' }, { leaders: () => [] }, undefined],
    [{ leader: 'none' }, {}, 's1 leads'],
    [{ holds: 'before' }, {}, undefined],
    [{ holds: 'before' }, { heldOtherwise: (name) => `s2 and ${name}: keys` }, 's2 and before: keys'],
    [{ leader: 's1' }, {}, undefined],
    [{ leader: 's2' }, {}, 's1 leads'],
    [{ leader: '${old leader}' }, {}, undefined],
    [{ leader: 'not ${old leader}' }, {}, 's1 leads'],
    [{ leader: 'not ${old leader}' }, { leaders: () => ['s2'] }, undefined],
    [{ 'raft.applied': 'equal on all' }, {}, undefined],
    [
      { 'raft.applied': 'equal on all' },
      { appliedIndex: (server) => (server === 's2' ? 6 : 7) },
      'applied: s1 7, s2 6, s3 7',
    ],
    [
      { 'raft.applied': 'equal on all' },
      { appliedIndex: (server) => (server === 's2' ? 6 : 7), down: ['s2'] },
      undefined,
    ],
    [{ running: 'all servers' }, {}, undefined],
    [{ running: 'all servers' }, { down: ['s3'] }, 's3 down'],
    [{ stopped: 's3' }, { down: ['s3'] }, undefined],
    [{ stopped: 's2, s3' }, { down: ['s3'] }, 's2 running'],
    [{ members: { c1: 'alive' } }, {}, undefined],
    [
      { members: { c1: 'failed' } },
      { memberStatus: (observer) => (observer === 's2' ? undefined : 'failed') },
      's2 sees c1 as unknown',
    ],
    [
      { members: { c1: 'failed' } },
      { memberStatus: (observer) => (observer === 's2' ? undefined : 'failed'), down: ['s2'] },
      undefined,
    ],
    [
      { members: { c1: 'failed' }, among: 's1' },
      { memberStatus: (observer) => (observer === 's1' ? 'failed' : 'alive') },
      undefined,
    ],
    [{ elections: 'at most 2' }, {}, undefined],
    [{ elections: 'at most 1' }, {}, '2 elections'],
    [{ 'writes acknowledged': 'at least 10' }, {}, undefined],
    [{ 'writes acknowledged': 'at least 11' }, {}, '10 writes acknowledged'],
    [{ leader: 'exactly one', elections: 'exactly 3' }, {}, '2 elections'],
  ]
  for (const [written, part, found] of cases) {
    const parsed = condition.parse(written)
    const title = found === undefined ? 'holds' : `does not hold: ${found}`
    it(`'${conditionText(parsed)}' ${title}`, () => {
      expect(judge(parsed, observed(part))).toBe(found)
    })
  }
})
