import { describe, expect, it } from 'vitest'
import { DeathGrounds } from '../../../sim/checkers/pool/death-grounds.ts'
import { FrugalGossip } from '../../../sim/checkers/pool/frugal-gossip.ts'
import { GoneMembers } from '../../../sim/checkers/pool/gone-members.ts'
import { ReconnectPace } from '../../../sim/checkers/pool/reconnect-pace.ts'
import { ReconnectTurns } from '../../../sim/checkers/pool/reconnect-turns.ts'
import { lanGossip } from '../../../src/agent/settings/gossip-timing.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import { addressOf, alive, dead, leaves, nodeState, suspect } from '../gossip-core/subject.ts'
import { recorder } from './reports.ts'
import { Watched } from './watched-member.ts'

const noPayload = new Uint8Array()

function ack(sequence: number): Message {
  return { kind: 'ack', sequence, payload: noPayload }
}

/** The number of the ping that was sent last. */
function pingOf(me: Watched): number {
  const [ping] = me.of('send').flatMap(({ messages }) => messages.flatMap((one) => (one.kind === 'ping' ? [one] : [])))
  return ping?.sequence ?? -1
}

/** What `me` would do if it did this in a step with this packet. */
function doing(me: Watched, messages: readonly Message[], ...effects: readonly GossipEffect[]): readonly string[] {
  const observer = me.pool.observerOf('s1', 2)
  observer.stepped(me.core, { kind: 'packet-received', from: addressOf('sender'), messages }, effects)
  return me.recorded.lines
}

function send(to: string, ...messages: readonly Message[]): GossipEffect {
  return { kind: 'send', to: addressOf(to), messages }
}

describe('M8', () => {
  it('takes a probe that was answered for one, and one that was not for a suspicion', () => {
    const me = new Watched('c1', 'c2')
    for (let probes = 0; probes < 4; probes++) {
      me.fire('probe')
      if (probes < 3) me.hear(ack(pingOf(me)))
    }
    me.watch(10)
    expect(me.recorded.lines).toEqual([])
    expect(me.recorded.counts().find((line) => line.startsWith('M8'))).toBe('M8 11')
  })

  it('reports a probe that succeeds by the answer to another one, or fails though its own has come', () => {
    const me = new Watched('c1')
    me.fire('probe')
    me.tamper(() => {
      if (me.core.probe !== undefined) me.core.probe.phase = 'answered'
    })
    me.fire('probe')
    const sequence = pingOf(me)
    expect(me.recorded.lines.map((line) => line.replace(/\d{3,}/, '#'))).toEqual([
      'M8: s1 counts ping # to c1 as answered, but received no answer with that number',
    ])
    me.hear(ack(sequence))
    me.tamper(() => {
      if (me.core.probe !== undefined) me.core.probe.phase = 'direct'
    })
    me.fire('probe')
    me.fire('probe')
    expect(me.recorded.lines[1]).toBe(`M8: s1 counts ping ${sequence} to c1 as unanswered, although the answer arrived`)
  })

  it('lets a member hand on the answer that it was asked for, and a silence', () => {
    const me = new Watched('c1', 'sender')
    me.hear({ kind: 'indirect-ping', sequence: 7, target: addressOf('c1'), node: 'c1', nack: true })
    const sequence = pingOf(me)
    me.fire('relay')
    expect(me.of('send')[0]?.messages[0]).toEqual({ kind: 'nack', sequence: 7 })
    me.hear(ack(sequence))
    expect(me.of('send')[0]?.messages[0]).toEqual(ack(7))
    expect(me.recorded.lines).toEqual([])
  })

  it('reports an answer that a member keeps for itself, unless it comes after the timeout', () => {
    const asks = { kind: 'indirect-ping', sequence: 7, target: addressOf('c1'), node: 'c1', nack: false } as const
    const asked = (untilMs: number): readonly string[] => {
      const me = new Watched('c1', 'sender')
      const observer = me.pool.observerOf('s1', 2)
      const step = (message: Message, ...effects: readonly GossipEffect[]): void =>
        observer.stepped(me.core, { kind: 'packet-received', from: addressOf('c1'), messages: [message] }, effects)
      step(asks, send('c1', { kind: 'ping', sequence: 900, node: 'c1' }))
      me.pass(untilMs)
      // A step, so that the core knows the time.
      me.tamper(() => undefined)
      step(ack(900))
      return me.recorded.lines
    }
    expect(asked(lanGossip.probeTimeoutMs - 1)).toEqual(['M8: s1 keeps from host-c1 that ping 7 has been answered'])
    expect(asked(lanGossip.probeTimeoutMs)).toEqual([])
  })

  it('reports an answer that no member has given, and one to a ping for another', () => {
    const me = new Watched('c1', 'sender')
    expect(doing(me, [{ kind: 'ping', sequence: 3, node: 'me' }], send('sender', ack(3)))).toEqual([])
    expect(doing(me, [{ kind: 'ping', sequence: 3, node: 'c1' }], send('sender', ack(3)))).toHaveLength(1)
    expect(doing(me, [], send('c1', { kind: 'nack', sequence: 4 }))).toEqual([
      'M8: s1 tells host-sender that ping 3 has been answered, which it cannot know',
      'M8: s1 tells host-c1 that ping 4 has not been answered, which it cannot know',
    ])
  })
})

describe('M11', () => {
  const exchange = (members: readonly string[], afterMs: readonly number[], sets = true): readonly string[] => {
    const { judge, lines } = recorder()
    const law = new FrugalGossip(judge)
    const effects: readonly GossipEffect[] = sets ? [{ kind: 'set-timer', timer: 'push-pull', delayMs: 1 }] : []
    let nowMs = 0
    for (const [nth, observer] of members.entries()) {
      nowMs += afterMs[nth] ?? 0
      const core = { turn: { nowMs }, options: { timing: lanGossip } } as unknown as ObservedCore
      law.stepped(observer, core, { kind: 'timer-fired', timer: 'push-pull' }, nth === 1 && !sets ? [] : effects)
    }
    return lines
  }

  it('accepts one exchange in an interval of each member, and reports one that comes sooner', () => {
    const { pushPullIntervalMs } = lanGossip
    expect(exchange(['s1', 's1', 's2'], [0, pushPullIntervalMs, 1])).toEqual([])
    expect(exchange(['s1', 's1'], [0, 100])).toEqual([
      `M11: s1 exchanges full states 100 ms after the last one, in spite of an interval of ${pushPullIntervalMs} ms`,
    ])
    expect(exchange(['s1', 's1', 's1'], [0, 100, 100], false)).toEqual([])
  })

  it('reports a packet that has one message twice', () => {
    const me = new Watched('c1')
    const claim = suspect('c2', 1, 'c1')
    expect(doing(me, [], send('c1', claim, { ...claim }))).toEqual([])
    expect(doing(me, [], send('c1', claim, claim))).toEqual(['M11: s1 sends a packet that has the same suspect twice'])
  })

  it('finds nothing in what an agent does by itself', () => {
    const me = new Watched('c1', 'c2')
    me.watch(120)
    expect(me.recorded.lines).toEqual([])
    expect(me.recorded.counts().some((line) => line.startsWith('M11'))).toBe(true)
  })
})

describe('M9', () => {
  const ping = { kind: 'ping', sequence: 1, node: 'x' } as const
  const response = { kind: 'query-response', lamport: 1, id: 1, from: 'me', flags: 0, payload: noPayload } as const

  it('lets packets go to members, and where a packet asks for an answer or a ping', () => {
    const me = new Watched('c1')
    const asks = { kind: 'indirect-ping', sequence: 1, target: addressOf('x'), node: 'x', nack: false } as const
    expect(doing(me, [asks], send('x', ping), send('c1', ping))).toEqual([])
    expect(me.recorded.counts()).toContain('M9 excused: asked by packet 1')
  })

  it('reports those that go anywhere else, among them an answer that is handed on', () => {
    const me = new Watched('c1')
    doing(me, [{ kind: 'relay', to: addressOf('x'), response }], send('x', response))
    doing(me, [], send('y', ping))
    expect(me.recorded.lines).toEqual([
      "M9: s1 sends query-response to host-x:8301, which is no member's address",
      "M9: s1 sends ping to host-y:8301, which is no member's address",
    ])
  })
})

describe('M10', () => {
  it('takes a death for one that others have waited for, or that the member has told', () => {
    const { judge, lines } = recorder()
    const grounds = new DeathGrounds(judge)
    const suspected = { members: 5, accusers: 1, spanMs: 24_000, timing: lanGossip }
    grounds.ended('s1', 'c1', 2, suspected)
    grounds.heldDead('s2', 'c1', 2)
    grounds.ended('s1', 'c1', 3, { ...suspected, accusers: 3, spanMs: 4_000 })
    grounds.ended('s1', 'c1', 4, { ...suspected, members: 3, spanMs: 4_000 })
    for (const name of ['c1', 'c2']) grounds.runs(name)
    grounds.saidGone('c2', 5)
    grounds.heldDead('s2', 'c2', 5)
    grounds.heldLeft('s2', 'c2', { incarnation: 4, statusTime: 1 })
    grounds.saidLeaves('c1', 9)
    grounds.heldLeft('s2', 'c1', { incarnation: 2, statusTime: 9 })
    expect(lines).toEqual([])
  })

  it('reports one that no member has waited for, or not for long enough, and a leave that no member announced', () => {
    const { judge, lines } = recorder()
    const grounds = new DeathGrounds(judge)
    const suspected = { members: 5, accusers: 1, spanMs: 20_000, timing: lanGossip }
    grounds.heldDead('s2', 'c1', 1)
    grounds.ended('s1', 'c1', 2, suspected)
    grounds.ended('s1', 'c1', 3, { ...suspected, accusers: 2, spanMs: 9_000 })
    grounds.ended('s1', 'c1', 4, undefined)
    grounds.runs('c1')
    grounds.saidLeaves('c1', 9)
    grounds.heldLeft('s2', 'c1', { incarnation: 2, statusTime: 8 })
    grounds.heldLeft('s2', 'invented by a hostile member', { incarnation: 2, statusTime: 8 })
    expect(lines).toEqual([
      'M10: s2 considers c1 dead at incarnation 1, although no member has suspected it to the end',
      'M10: s1 considers c1 dead after suspecting it for 20s, with 1 accusers: at least 23.951s are due',
      'M10: s1 considers c1 dead after suspecting it for 9s, with 2 accusers: at least 11.357s are due',
      'M10: s1 considers c1 dead at incarnation 4, but has not suspected it',
      'M10: s2 considers c1 as left, at incarnation 2 and time 8, although no member has said so',
    ])
  })

  it('lets a member accuse only those that it suspects', () => {
    const me = new Watched('c1', 'c2')
    me.hear(suspect('c1', 1, 'c2'))
    const accusing = (name: string) => doing(me, [], send('c2', suspect(name, 1)))
    expect([...accusing('c1'), ...accusing('nobody')]).toEqual([])
    expect(accusing('c2')).toEqual(['M10: s1 accuses c2, which it considers alive'])
  })

  it('gives a suspect the time of a pool without those that have failed', () => {
    const me = new Watched('c1', 'c2', 'c3', 'c4')
    for (const name of ['c1', 'c2', 'c3']) {
      me.pool.laws.grounds.saidGone(name, 1)
      me.hear(dead(name, 1, name))
    }
    // A round of probes ends, and those that are dead are not counted any more.
    for (let probes = 0; probes < 6; probes++) {
      me.fire('probe')
      me.hear(ack(pingOf(me)))
    }
    me.hear(suspect('c4', 1, 'c4'))
    me.watch(5)
    expect(me.holds('c4')).toBe('dead 1')
    expect(me.recorded.lines).toEqual([])
  })

  it('hears of suspicions, accusers, deaths and leaves from what a member does', () => {
    const me = new Watched('c1', 'c2', 'c3', 'c4')
    me.hear(suspect('c1', 1, 'c2'), suspect('c1', 1, 'c3'), suspect('c1', 1, 'c4'))
    me.watch(5)
    expect(me.holds('c1')).toBe('dead 1')
    me.do({ kind: 'force-leave-requested', name: 'c1' })
    expect(me.record('c1').status).toBe('left')
    expect(me.recorded.lines).toEqual([])
    me.hear(suspect('c2', 1, 'c3'))
    me.tamper(() => {
      me.record('c2').state = 'dead'
      me.record('c2').status = 'failed'
    })
    me.exchange({ nodes: [nodeState('c3', 1, 'suspect')] })
    me.hear(dead('c3', 1, 'c4'))
    me.hear(leaves('c4', 99), dead('c4', 1, 'c4'))
    expect(me.recorded.lines.filter((line) => line.startsWith('M10'))).toEqual([
      'M10: s1 considers c2 dead at incarnation 1, although no member has suspected it to the end',
      'M10: s1 considers c3 dead at incarnation 1, although no member has suspected it to the end',
      'M10: s1 considers c4 dead at incarnation 1, although no member has suspected it to the end',
      'M10: s1 considers c4 as left, at incarnation 1 and time 99, although no member has said so',
    ])
  })
})

describe('the older laws', () => {
  it('M3: the accused member continues with a greater incarnation', () => {
    const me = new Watched('c1')
    me.hear(suspect('me', 1), dead('me', 7))
    expect(me.core.self.incarnation).toBe(8)
    expect(doing(me, [suspect('me', 9), suspect('me', 2 ** 40), dead('me', 12, '')])).toEqual([
      'M3: s1 is accused at incarnation 9, but stays at 8: no member will accept that it is alive',
    ])
  })

  it('M5: members that failed are tried as often as the settings say, not at every interval', () => {
    const { judge, lines } = recorder()
    const one = { size: 10 } as unknown as ObservedCore['members']
    const core = { failed: [{}], left: [], members: one } as unknown as ObservedCore
    const tries: GossipEffect = {
      kind: 'exchange',
      with: addressOf('c1'),
      node: 'c1',
      join: true,
      purpose: 'reconnect',
    }
    const interval = { kind: 'timer-fired', timer: 'reconnect' } as const
    const sound = new ReconnectPace(new GoneMembers(judge))
    for (let at = 0; at < 900; at++) sound.stepped(core, interval, at % 9 === 0 ? [tries] : [])
    expect(lines).toEqual([])
    const eager = new ReconnectPace(new GoneMembers(judge))
    for (let at = 0; at < 60; at++) eager.stepped(core, interval, [tries])
    expect(lines[0]).toMatch(/^M5: failed members were tried \d+ times, although about \d+\.\d tries are due$/)
    const lazy = new ReconnectPace(new GoneMembers(judge))
    lines.length = 0
    for (let at = 0; at < 700; at++) lazy.stepped(core, interval, [])
    expect(lines[0]).toMatch(/^M5: failed members were tried 0 times/)
  })

  it('M5: failed members are tried in turn', () => {
    const { judge, lines } = recorder()
    const turns = new ReconnectTurns(new GoneMembers(judge), 's1')
    const core = { failed: ['a', 'b', 'c'].map((name) => ({ name })) } as unknown as ObservedCore
    const tries = (...names: string[]): void => {
      for (const node of names)
        turns.stepped(core, [{ kind: 'exchange', with: addressOf(node), node, join: true, purpose: 'reconnect' }])
    }
    for (const name of ['a', 'b']) turns.changed(name, 'failed')
    tries('a', 'b')
    turns.changed('c', 'failed')
    tries('b', 'c', 'a', 'a', 'c', 'b')
    // It has lived again, so its tries count anew.
    turns.changed('a', 'alive')
    turns.changed('a', 'failed')
    tries('a', 'a', 'b', 'c')
    expect(lines).toEqual([])
    tries('a', 'b', 'b', 'b')
    expect(lines).toEqual(['M5: s1 tries to reconnect to b a third time, and not to a meanwhile'])
  })

  it('M5: no member tries to reach failed members where there is none', () => {
    const { judge, lines } = recorder()
    const core = { failed: [], left: [], members: new Map() } as unknown as ObservedCore
    const interval = { kind: 'timer-fired', timer: 'reconnect' } as const
    const pace = new ReconnectPace(new GoneMembers(judge))
    pace.stepped(core, interval, [])
    expect(lines).toEqual([])
    pace.stepped(core, interval, [{ kind: 'set-timer', timer: 'reconnect', delayMs: 30_000 }])
    expect(lines).toEqual(['M5: another attempt to reach failed members is scheduled, although no member has failed'])
  })

  it('M3 and M10 know nothing of members that are as they were', () => {
    const me = new Watched('c1')
    me.hear(alive('c1', 2))
    expect(me.recorded.counts()).not.toContain('M10 1')
  })
})
