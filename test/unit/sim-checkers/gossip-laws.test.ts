import { describe, expect, it } from 'vitest'
import { FrugalGossip } from '../../../sim/checkers/pool/frugal-gossip.ts'
import { GoneMembers } from '../../../sim/checkers/pool/gone-members.ts'
import { HeardEvents } from '../../../sim/checkers/pool/heard-events.ts'
import { LocalHealth } from '../../../sim/checkers/pool/local-health.ts'
import { PassingOn } from '../../../sim/checkers/pool/passing-on.ts'
import { ProbeAnswers } from '../../../sim/checkers/pool/probe-answers.ts'
import { StatusTimes } from '../../../sim/checkers/pool/status-times.ts'
import { TimerStarts } from '../../../sim/checkers/pool/timer-starts.ts'
import { ToldChanges } from '../../../sim/checkers/pool/told-changes.ts'
import { ToldWatch } from '../../../sim/checkers/pool/told-watch.ts'
import { lanGossip } from '../../../src/agent/settings/gossip-timing.ts'
import { lamportMax } from '../../../src/gossip/core/bounds.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import type { CoreMember, GossipEffect } from '../../../src/gossip/core/types.ts'
import { memberNamed } from '../../../src/gossip/core/views.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import { addressOf, alive, dead, joins, leaves, suspect, versions } from '../gossip-core/subject.ts'
import { recorder } from './reports.ts'
import { Watched } from './watched-member.ts'

const ping: Message = { kind: 'ping', sequence: 1, node: 'me' }
const four = ['c1', 'c2', 'c3', 'c4'] as const

/** What a step with this packet would be judged as, although the agent itself did not take it. */
function unheard(me: Watched, ...messages: readonly Message[]): readonly string[] {
  const observer = me.pool.observerOf('s1', 2)
  observer.stepped(me.core, { kind: 'packet-received', from: addressOf('sender'), messages }, [])
  return me.recorded.lines
}

describe('M12', () => {
  it('finds nothing in what a sound agent does, with news of every kind', () => {
    const me = new Watched(...four)
    me.pool.laws.grounds.saidLeaves('c2', 6)
    me.pool.laws.grounds.saidLeaves('c4', 9)
    me.hear(joins('c1', 5), leaves('c2', 6), suspect('c3', 1))
    me.hear({ kind: 'user-event', lamport: 3, name: 'e', payload: new Uint8Array([1]), coalesce: false })
    me.do({ kind: 'event-fired', name: 'own', payload: new Uint8Array() })
    me.hear(suspect('me', 1), ping)
    me.watch(90)
    me.hear(alive('c3', 9), leaves('c4', 9), dead('c4', 1, 'c4'))
    me.do({ kind: 'leave-requested' })
    me.watch(20)
    expect(me.recorded.lines).toEqual([])
    const judged = me.recorded.counts().map((line) => line.replace(/ \d+$/, ''))
    expect(judged).toEqual(expect.arrayContaining(['M3', 'M5', 'M6', 'M8', 'M11', 'M12', 'M13', 'M14']))
  })

  it('misses no intent of a member that left without other members, and met another afterwards', () => {
    const me = new Watched()
    me.do({ kind: 'leave-requested' })
    me.hear(alive('c1', 1))
    me.watch(5)
    expect(me.recorded.lines).toEqual([])
  })

  it('reports a packet that leaves out news for which it has room', () => {
    const me = new Watched(...four)
    me.hear(joins('c1', 5))
    me.core.intents.remove('c1')
    me.hear(ping)
    expect(me.recorded.lines).toEqual([
      'M12: s1 sends a packet that has room for "join-intent c1 5", which it leaves out',
    ])
  })

  it('reports a message that is sent more often than the size of the pool asks for', () => {
    const me = new Watched(...four)
    me.hear(joins('c1', 5))
    me.watch(3)
    expect(me.recorded.lines).toEqual([])
    me.core.intents.add('c1', joins('c1', 5), 60)
    me.watch(3)
    expect(me.recorded.lines).toEqual(['M12: s1 sends "join-intent c1 5" more than 4 times'])
  })

  it('counts an accusation anew that is about a later life with the number of one that the member never knew', () => {
    const me = new Watched(...four)
    const accused = (incarnation: number, from: string): Message => ({ kind: 'suspect', node: 'c1', incarnation, from })
    const lines = (): readonly string[] => me.recorded.lines.filter((line) => line.startsWith('M12'))
    me.hear(accused(1, 'c2'))
    me.hear(accused(2, 'c3'))
    me.watch(2)
    me.hear({ kind: 'dead', node: 'c1', incarnation: 1, from: 'c2' })
    me.watch(2)
    me.hear(alive('c1', 2))
    me.watch(2)
    me.hear(accused(2, 'c3'))
    me.watch(2)
    expect(lines()).toEqual([])
  })

  it('reports a round of gossip that leaves members out while news waits', () => {
    const me = new Watched(...four)
    me.core.roster = me.core.roster.filter(({ name }) => name === 'me' || name === 'c1')
    me.fire('gossip')
    expect(me.recorded.lines).toEqual(['M12: s1 gossips with 1 members although news waits: 3 are due'])
  })

  it('counts a member that has just failed among those that hear gossip, and none that has left or failed long ago', () => {
    const rounds = (dies: Message, afterMs: number): readonly string[] => {
      const me = new Watched('c1', 'c2')
      me.pool.laws.grounds.saidGone('c2', 1)
      me.hear(dies)
      me.pass(afterMs)
      me.core.roster = me.core.roster.filter(({ name }) => name !== 'c2')
      me.hear(joins('c1', 5))
      me.fire('gossip')
      return me.recorded.lines.filter((line) => line.startsWith('M12'))
    }
    const { gossipToDeadMs } = lanGossip
    const alone = new Watched('c1')
    alone.do({ kind: 'leave-requested' })
    alone.pass(1_000)
    alone.hear(dead('c1', 1))
    alone.watch(10)
    expect(alone.core.self.state).toBe('dead')
    expect(alone.recorded.lines.filter((line) => line.startsWith('M12'))).toEqual([])
    expect(rounds(dead('c2', 1), 5_000)).toEqual(['M12: s1 gossips with 1 members although news waits: 2 to 3 are due'])
    expect([...rounds(dead('c2', 1), gossipToDeadMs), ...rounds(dead('c2', 1, 'c2'), 5_000)]).toEqual([])
  })

  it('reports a user event that is not delivered, or twice, but not one that is too old', () => {
    const { judge, lines } = recorder()
    const events = new HeardEvents(new PassingOn(judge), 's1')
    let clock = 1
    const event = (lamport: number) => ({ lamport, name: 'e', payload: new Uint8Array([lamport % 256]) })
    const hears = (lamport: number, ...gives: readonly number[]): void => {
      const message: Message = { kind: 'user-event', coalesce: false, ...event(lamport) }
      const effects = gives.map((given): GossipEffect => ({ kind: 'user-event', ...event(given) }))
      events.stepped({ kind: 'packet-received', from: addressOf('c1'), messages: [message] }, effects, clock)
      clock = Math.max(clock, ...gives.map((given) => given + 1))
    }
    hears(600, 600)
    hears(600)
    hears(50)
    // Further ahead than a clock may leap, and dropped.
    hears(2 ** 40)
    expect(lines).toEqual([])
    hears(601)
    hears(600, 600)
    expect(lines).toEqual([
      'M12: s1 does not deliver the user event "e at 601: 59"',
      'M12: s1 delivers twice the user event "e at 600: 58"',
    ])
    lines.length = 0
    hears(lamportMax - 1, lamportMax - 1)
    // Of a time that no clock can have, and dropped.
    hears(lamportMax + 1)
    expect(lines).toEqual([])
    hears(lamportMax)
    expect(lines).toEqual([`M12: s1 does not deliver the user event "e at ${lamportMax}: 00"`])
  })
})

describe('M13', () => {
  it('reports a status that changes, or a time that falls, without a newer intent', () => {
    const me = new Watched('c1')
    me.hear(joins('c1', 5))
    me.tamper(() => {
      me.record('c1').status = 'leaving'
    })
    me.tamper(() => {
      me.record('c1').statusTime = 4
    })
    expect(me.recorded.lines).toEqual([
      'M13: s1 knew c1 as alive at time 5, and now as leaving at 5',
      'M13: s1 knew c1 as leaving at time 5, and now as leaving at 4',
    ])
  })

  it('reports an agent that stays and does not answer the claim that it leaves', () => {
    const me = new Watched('c1')
    me.hear(leaves('me', 7))
    const own = me.core.self.statusTime
    expect(own).toBeGreaterThan(7)
    expect(unheard(me, leaves('me', own - 1), joins('me', own))).toEqual([])
    expect(unheard(me, leaves('me', own), joins('me', own + 1))).toEqual([
      `M13: s1 hears at time ${own} of its own intent to leave, and stays at ${own}`,
      `M13: s1 hears at time ${own + 1} of its own intent to join, and stays at ${own}`,
    ])
  })

  it('reports an intent that is declared at a time of which the agent has heard', () => {
    const { judge, lines } = recorder()
    const law = new StatusTimes(judge)
    law.declared('s1', 's1', 4, 3)
    expect(lines).toEqual([])
    law.declared('s1', 's1', 4, 4)
    expect(lines).toEqual(['M13: s1 declares an intent of s1 at time 4, after it has heard of 4'])
  })
})

describe('M14', () => {
  /** Watches an agent whose pool changes, and which is told other things than that. */
  function told(change: (me: Watched) => readonly GossipEffect[]): readonly string[] {
    const me = new Watched('c1', 'c2')
    me.hear(dead('c2', 1, 'other'))
    const { judge, lines } = recorder()
    const watch = new ToldWatch(new ToldChanges(judge), 's1')
    watch.stepped({ kind: 'started' }, [])
    const before = new Map([...me.core.members].map(([name, record]) => [name, { ...record, status: record.status }]))
    const effects = change(me)
    watch.stepped({ kind: 'timer-fired', timer: 'gossip' }, effects)
    for (const [name, now] of me.core.members) watch.changed({ name, before: before.get(name), now, event: 0 })
    watch.ends(me.core)
    return lines
  }

  it('finds nothing where the agent is told what becomes of members, as often as they change', () => {
    expect(
      told((me) => me.hear(alive('c3', 1), dead('c1', 1), alive('c2', 2), leaves('c3', 9), dead('c2', 2))),
    ).toEqual([])
    expect(told((me) => me.hear(alive('c1', 2, { meta: new Uint8Array([2]) })))).toEqual([])
    expect(told((me) => me.pass(80 * 3_600_000))).toEqual([])
  })

  it('reports a change of which the agent hears nothing, or something else, or that there was not', () => {
    const silent = (me: Watched): readonly GossipEffect[] => {
      me.hear(dead('c1', 1), alive('c3', 1))
      return []
    }
    expect(told(silent)).toEqual([
      'M14: s1 knew c1 as present, and knows it as failed: its agent is told nothing',
      'M14: s1 knew c3 as unknown, and knows it as present: its agent is told nothing',
    ])
    const says =
      (kind: 'joined' | 'failed' | 'left' | 'reaped', status?: 'alive' | 'failed' | 'left') => (me: Watched) => {
        const member = { ...memberNamed(me.core, 'c2'), ...(status === undefined ? {} : { status }) } as CoreMember
        return [{ kind: 'members-changed', changes: [{ kind, member }] }] as const
      }
    expect(told(says('failed'))).toEqual([])
    expect([told(says('left')), told(says('failed', 'alive')), told(says('reaped'))].flat()).toEqual([
      'M14: s1 knew c2 as failed, and knows it as failed: its agent is told that it is left',
      'M14: s1 knew c2 as failed, and knows it as failed: its agent is told that it is present',
      'M14: s1 knew c2 as failed, and knows it as failed: its agent is told that it is unknown',
    ])
  })
})

describe('M3', () => {
  it('reports a sound claim that is ignored, and one that is taken although no member could use it', () => {
    const me = new Watched('c1')
    const strange = { ...versions, delegateMax: 3, delegateSpoken: 3 }
    expect(unheard(me, alive('c2', 1, { versions: strange }), alive('c1', 1))).toEqual([])
    expect(unheard(me, alive('c2', 1, { meta: new Uint8Array(512) }))).toEqual([
      'M3: s1 ignores that c2 is alive at incarnation 1',
    ])
    me.tamper(() => {
      const member = me.record('c1')
      member.incarnation = 2
      member.facts = { ...member.facts, versions: strange }
    })
    expect(me.recorded.lines[1]).toMatch(/^M3: s1 takes c1 for a member with versions that do not fit: /)
  })
})

describe('M5', () => {
  it('reports a list that is not that of the members with its status, and a try to reach one that has not failed', () => {
    const { judge, lines } = recorder()
    const law = new GoneMembers(judge)
    law.listed('s1', 'failed', ['a', 'b'], ['b', 'a'])
    law.tried('s1', 'a', 'failed')
    expect(lines).toEqual([])
    law.listed('s1', 'failed', ['a'], [])
    law.tried('s1', 'a', 'alive')
    expect(lines).toEqual([
      'M5: s1 lists a as failed, and none are',
      'M5: s1 tries to reconnect to a, which it considers alive',
    ])
  })
})

describe('M6', () => {
  it('reports a score that moves by itself', () => {
    const me = new Watched('c1')
    me.tamper(() => {
      me.core.health = 3
    })
    expect(me.recorded.lines).toEqual(['M6: the local health of s1 went from 0 to 3, not to 0'])
  })

  it('excuses an agent whose timer fires late for having slept, and not twice in a row', () => {
    const me = new Watched('c1', 'c2')
    me.fire('probe')
    for (const score of [1, 2]) {
      me.nowMs += 5_000
      me.fire('probe')
      expect(me.core.health).toBe(score)
    }
    expect(me.recorded.lines).toEqual([])
  })

  it('reports a score of which operators hear nothing, a probe of another length, and a verdict after a sleep', () => {
    const { judge, lines } = recorder()
    const law = new LocalHealth(judge)
    law.moved('s1', { before: 1, due: 2, is: 2, isTold: true })
    law.paced('s1', 'at its ping', 500, 499.5)
    law.overslept('s1', false)
    expect(lines).toEqual([])
    law.moved('s1', { before: 1, due: 2, is: 2, isTold: false })
    law.paced('s1', 'at its ping', 500, 1_000)
    law.overslept('s1', true)
    expect(lines).toEqual([
      'M6: s1 keeps from its operator that its local health is 2 now',
      'M6: s1 gives a probe, at its ping, 500 ms: by its local health 1000 ms are due',
      'M6: s1 declares a member dead before it has read what came as it slept',
    ])
  })
})

describe('M8', () => {
  it('reports a member that owes a nack and sends none', () => {
    const me = new Watched('c1', 'sender')
    me.hear({ kind: 'indirect-ping', sequence: 7, target: addressOf('c1'), node: 'c1', nack: true })
    me.core.relays.clear()
    for (let steps = 0; steps < 3; steps++) {
      me.nowMs += 300
      me.tamper(() => undefined)
    }
    expect(me.recorded.lines).toEqual([
      'M8: s1 tells host-sender not at all that ping 7 is unanswered, not after 400 ms',
    ])
  })

  it('reports a member that says nothing of a ping that it does not pass on because its target has left', () => {
    const asks = (node: string, nack: boolean) => ({
      kind: 'indirect-ping',
      sequence: 7,
      target: addressOf(node),
      node,
      nack,
    })
    const me = new Watched('c1', 'c2')
    me.pool.laws.grounds.saidGone('c1', 1)
    me.hear(dead('c1', 1, 'c1'))
    me.hear(asks('c1', true) as Message)
    expect(me.of('send')[0]?.messages[0]).toEqual({ kind: 'nack', sequence: 7 })
    expect(unheard(me, asks('c1', false) as Message, asks('c2', true) as Message)).toEqual([])
    expect(unheard(me, asks('c1', true) as Message)).toEqual([
      'M8: s1 keeps from host-sender that ping 7 is for a member that has left',
    ])
  })

  it('reports a nack that comes at another time, members that are not asked, and numbers of an earlier life', () => {
    const { judge, lines } = recorder()
    const law = new ProbeAnswers(judge)
    const nack = (afterMs: number): void => law.silent('s1', addressOf('c1'), 7, { afterMs, timeoutMs: 500 })
    nack(400)
    nack(450)
    law.asked('s1', 'c1', 3, 9)
    law.asked('s1', 'c1', 2, 2)
    law.began('s1', 100)
    law.began('s1', 4_000_000)
    expect(lines).toEqual([])
    nack(399)
    nack(500)
    law.asked('s1', 'c1', 2, 9)
    law.began('s1', 4_000_016)
    expect(lines).toEqual([
      'M8: s1 tells host-c1 after 399.0 ms that ping 7 is unanswered, not after 400 ms',
      'M8: s1 tells host-c1 after 500.0 ms that ping 7 is unanswered, not after 400 ms',
      'M8: s1 asks 2 members to ping c1, although 3 are due',
      'M8: s1 numbers its pings from 4000016, as in its earlier life from 4000000',
    ])
  })
})

describe('M11', () => {
  it('reports work that begins at one end of its interval too often for chance, or outside it', () => {
    const began = (...delaysMs: readonly number[]): readonly string[] => {
      const { judge, lines } = recorder()
      const starts = new TimerStarts(new FrugalGossip(judge))
      for (const delayMs of delaysMs) starts.began('s1', 'push-pull', delayMs, 30_000, 30_000)
      return lines
    }
    expect(began(30_001, 45_000, 52_000, 31_000, 60_000, 59_000, 33_000)).toEqual([])
    expect(began(30_001, 30_001, 30_001, 30_001)).toEqual([
      'M11: members begin push-pull early in its interval 4 times, not at random',
    ])
    expect(began(60_000, 60_000, 60_000, 60_000)).toEqual([
      'M11: members begin push-pull late in its interval 4 times, not at random',
    ])
    expect(began(29_000)).toEqual(['M11: s1 sets the timer of push-pull to 29000 ms, not to 30000 to 60000 ms'])
  })

  it('lets larger pools exchange states less often', () => {
    const { judge, lines } = recorder()
    const starts = new TimerStarts(new FrugalGossip(judge))
    const pool = (size: number) =>
      ({ members: { size }, failed: [], left: [], options: { timing: lanGossip } }) as unknown as ObservedCore
    for (const [size, times] of [
      [32, 1],
      [33, 2],
      [64, 2],
      [65, 3],
    ] as const)
      starts.setExchange('s1', times * lanGossip.pushPullIntervalMs, pool(size))
    expect(lines).toEqual([])
    starts.setExchange('s1', lanGossip.pushPullIntervalMs, pool(33))
    expect(lines).toEqual(['M11: s1 sets the timer of the next exchange to 30000 ms, not to 60000 to 60000 ms'])
  })
})
