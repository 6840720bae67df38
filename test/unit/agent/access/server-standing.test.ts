import { describe, expect, it } from 'vitest'
import { ServerStanding } from '../../../../src/agent/access/server-standing.ts'
import type { DownPolicy } from '../../../../src/agent/settings/access-settings.ts'
import type { AgentConfig } from '../../../../src/agent/settings/agent-config.ts'
import { logIndexOf } from '../../../../src/model/log-position.ts'
import type { Raft, RaftStatus } from '../../../../src/raft/raft.ts'
import { HandClock, settled } from '../../features/hand-clock.ts'

const leader = { id: 's2', address: 'there' }

function standingOf(
  status: Partial<RaftStatus>,
  { hasCaughtUp = true, downPolicy = 'extend-cache' as DownPolicy } = {},
) {
  const clock = new HandClock()
  const over = clock.env.deferred<void>()
  const raft = {
    status: () => ({
      role: 'follower',
      leader: undefined,
      lastContactMs: undefined,
      lastIndex: 9,
      snapshotIndex: 0,
      ...status,
    }),
    hasCaughtUp: () => hasCaughtUp,
    untilCaughtUp: () => over.promise,
  } as unknown as Raft
  const access = { tokenTtlMs: 30_000, policyTtlMs: 60_000, downPolicy }
  const standing = new ServerStanding(clock.env, raft, { access, rpcHoldTimeoutMs: 7_000 } as AgentConfig)
  return { clock, standing, over }
}

describe('what the state of a server is worth for access control', () => {
  it('depends on whether it has caught up since it started, and could', () => {
    expect(standingOf({ leader }).standing.now()).toBe('current')
    expect(standingOf({ leader }, { hasCaughtUp: false }).standing.now()).toBe('coming')
    expect(standingOf({}, { hasCaughtUp: false }).standing.now()).toBe('lost')
    const isNew = { lastIndex: logIndexOf(1) }
    expect(standingOf(isNew, { hasCaughtUp: false }).standing.now(), 'a new cluster').toBe('current')
    expect(standingOf({ ...isNew, leader }, { hasCaughtUp: false }).standing.now()).toBe('coming')
    expect(standingOf({ ...isNew, snapshotIndex: logIndexOf(1) }, { hasCaughtUp: false }).standing.now()).toBe('lost')
  })

  it('ends with the time to live of tokens and the hold time where the down policy is deny, and only there', () => {
    const deny = { downPolicy: 'deny' as const }
    expect(standingOf({ lastContactMs: 37_000 }, deny).standing.now()).toBe('current')
    expect(standingOf({ lastContactMs: 37_001 }, deny).standing.now()).toBe('cut-off')
    expect(standingOf({ role: 'leader', lastContactMs: 0 }, deny).standing.now()).toBe('current')
    expect(standingOf({ lastContactMs: 37_001 }).standing.now()).toBe('current')
  })

  it('is waited for until it has caught up, and no longer than a request is held', async () => {
    const { clock, standing, over } = standingOf({ leader }, { hasCaughtUp: false })
    const seen: string[] = []
    void standing.settled().then(() => seen.push('in vain'))
    await settled()
    await clock.advance(6_999)
    await settled()
    expect(seen).toEqual([])
    await clock.advance(1)
    await settled()
    expect([seen, clock.timers]).toEqual([['in vain'], 0])
    void standing.settled().then(() => seen.push('caught up'))
    over.resolve()
    await settled()
    expect([seen, clock.timers]).toEqual([['in vain', 'caught up'], 0])
  })

  it('is as old as the last word of a leader, and of any age where there was none', () => {
    expect(standingOf({ role: 'leader', lastContactMs: 0 }).standing.ageMs()).toBe(0)
    expect(standingOf({ leader, lastContactMs: 12.4 }).standing.ageMs()).toBe(12)
    expect(standingOf({ leader, lastContactMs: 12 }, { hasCaughtUp: false }).standing.ageMs()).toBeGreaterThan(1e12)
    expect(standingOf({}).standing.ageMs()).toBeGreaterThan(1e12)
  })
})
