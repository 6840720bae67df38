import { describe, expect, it } from 'vitest'
import type { RaftTiming } from '../../../src/raft/core/options.ts'
import { Cluster } from './cluster.ts'

function cluster(timing: Partial<RaftTiming>): Cluster {
  const made = new Cluster({ voters: ['s1', 's2', 's3'], timing })
  made.nowMs = 10_000
  return made
}

function timers(made: Cluster, timer: string): (readonly [number, number])[] {
  return made.effects.flatMap((effect) =>
    effect.kind === 'set-timer' && effect.timer === timer ? [[effect.minMs, effect.maxMs] as const] : [],
  )
}

describe('timing as the paper has it, for studies', () => {
  it('without pre-vote a server stands at once, in a term of its own', () => {
    const made = cluster({ preVote: 'off' })
    made.fire('s1', 'election')
    expect(made.raft('s1').term).toBe(2)
    expect(made.mailOf('vote-request').map(({ to, pre, term }) => [to, pre, term])).toEqual([
      ['s2', false, 2],
      ['s3', false, 2],
    ])
  })

  it('without pre-vote an election goes as the paper says', () => {
    const made = cluster({ preVote: 'off' })
    made.elect('s1')
    expect(made.raft('s1').term).toBe(2)
  })

  it('draws every election timeout from a range of the given width', () => {
    const made = cluster({ preVote: 'off', timeoutSpreadMs: 5 })
    made.fire('s1', 'election')
    expect(timers(made, 'election')).toEqual(Array(4).fill([1000, 1005]))
    made.nowMs = 20_000
    made.deliver()
    expect(made.raft('s1').role.kind).toBe('leader')
    made.nowMs += 400
    made.effects.length = 0
    made.fire('s2', 'election')
    expect(timers(made, 'election')).toEqual([[600, 605]])
  })

  it('a width of nothing gives the timeout itself', () => {
    expect(timers(cluster({ timeoutSpreadMs: 0 }), 'election')).toEqual(Array(3).fill([1000, 1000]))
  })

  it('sends heartbeats at the given interval', () => {
    const made = cluster({ heartbeatIntervalMs: 500 })
    made.elect('s1')
    made.fire('s1', 'heartbeat')
    expect(timers(made, 'heartbeat')).toEqual(Array(2).fill([500, 500]))
  })

  it('asks first, spreads timeouts as wide as they are, and beats ten times in one, unless told otherwise', () => {
    const made = cluster({})
    made.elect('s1')
    expect(timers(made, 'election').slice(0, 3)).toEqual(Array(3).fill([1000, 2000]))
    expect(timers(made, 'heartbeat')).toEqual([[100, 200]])
    expect(made.effects).toContainEqual(
      expect.objectContaining({ kind: 'role-changed', role: 'pre-candidate', term: 1 }),
    )
  })
})
