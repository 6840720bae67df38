import { describe, expect, it } from 'vitest'
import { judgeDeadServers } from '../../../src/agent/servers/clean-up.ts'
import { quorumOf } from '../../../src/raft/core/quorum.ts'
import type { Server } from '../../../src/raft/core/types.ts'
import { fc } from '../../fast-check.ts'

function servers(voters: number, nonvoters = 0): readonly Server[] {
  return Array.from({ length: voters + nonvoters }, (_, i) => ({
    id: `s${i + 1}`,
    address: `10.0.0.${i + 1}:8300`,
    suffrage: i < voters ? 'voter' : 'nonvoter',
  }))
}

/** The verdict on a configuration of which `dead` are dead, and all others healthy but `ill`. */
function judge(all: readonly Server[], dead: readonly string[], ill: readonly string[] = [], minQuorum = 0) {
  return judgeDeadServers({
    configuration: { servers: all },
    isDead: (id) => dead.includes(id),
    isHealthy: (id) => !dead.includes(id) && !ill.includes(id),
    minQuorum,
  })
}

describe('dead servers', () => {
  it('stay while they are half of the voters or more, rounded down', () => {
    expect(judge(servers(3), [])).toEqual({ kind: 'none' })
    expect(judge(servers(3), ['s3'])).toMatchObject({ kind: 'keep', ids: ['s3'] })
    expect(judge(servers(5), ['s4', 's5'])).toMatchObject({ kind: 'keep' })
    expect(judge(servers(2), ['s2'])).toMatchObject({ kind: 'keep' })
  })

  it('go when a new server has its vote, or when enough were there from the beginning', () => {
    expect(judge(servers(3, 1), ['s3'])).toMatchObject({ kind: 'keep' })
    expect(judge(servers(4), ['s3'])).toEqual({ kind: 'remove', ids: ['s3'] })
    expect(judge(servers(5), ['s1'])).toEqual({ kind: 'remove', ids: ['s1'] })
    expect(judge(servers(7), ['s1', 's2'])).toEqual({ kind: 'remove', ids: ['s1', 's2'] })
  })

  it('stay when those that remain have no healthy quorum', () => {
    expect(judge(servers(4), ['s4'], ['s3'])).toEqual({ kind: 'remove', ids: ['s4'] })
    expect(judge(servers(4), ['s4'], ['s2', 's3'])).toMatchObject({ kind: 'keep', why: expect.stringContaining('1') })
  })

  it('stay when fewer voters than min_quorum would remain', () => {
    expect(judge(servers(5), ['s5'], [], 4)).toEqual({ kind: 'remove', ids: ['s5'] })
    expect(judge(servers(5), ['s5'], [], 5)).toMatchObject({ kind: 'keep', why: expect.stringContaining('min_quorum') })
  })

  it('never go in such a number that a majority of the voters before is touched, or service is lost', () => {
    const states = fc.array(fc.constantFrom('well', 'ill', 'dead'), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(states, fc.nat(3), fc.nat(5), (state, nonvoters, minQuorum) => {
        const all = servers(state.length, nonvoters)
        const named = (what: string): string[] => state.flatMap((each, i) => (each === what ? [`s${i + 1}`] : []))
        const verdict = judge(all, named('dead'), named('ill'), minQuorum)
        if (verdict.kind !== 'remove') return
        const left = state.length - verdict.ids.length
        expect(verdict.ids.length).toBeLessThan(quorumOf(state.length))
        expect(named('well').length).toBeGreaterThanOrEqual(quorumOf(left))
        expect(left).toBeGreaterThanOrEqual(minQuorum)
      }),
    )
  })
})
