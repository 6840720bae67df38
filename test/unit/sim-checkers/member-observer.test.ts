import { describe, expect, it } from 'vitest'
import { wanGossip } from '../../../src/agent/settings/gossip-timing.ts'
import { addressOf, alive, dead, suspect } from '../gossip-core/subject.ts'
import { Watched } from './watched-member.ts'

describe('what a member does is held against the laws', () => {
  it('and a sound one breaks none: it suspects a silent member, declares it dead, and tries it again', () => {
    const me = new Watched('c1', 'c2')
    me.pool.died('c1')
    me.pool.died('c2')
    me.watch(3_000)
    expect(me.holds('c1')).toBe('dead 1')
    expect(me.recorded.lines).toEqual([])
  })

  it('M3: a record that goes back is seen', () => {
    const me = new Watched('c1')
    me.pool.laws.grounds.saidGone('c1', 3)
    me.hear(dead('c1', 3))
    me.tamper(() => {
      me.record('c1').state = 'alive'
    })
    expect(me.recorded.lines).toEqual(['M3: s1 knew c1 dead at incarnation 3, and now alive at 3'])
  })

  it('M4: one that never suspects a member that is down is seen, but not while the network is in trouble', () => {
    const me = new Watched('c1')
    me.look()
    me.pool.died('c1')
    me.isTroubled = true
    const idle = (seconds: number): void => {
      for (let second = 0; second < seconds; second++) {
        me.nowMs += 1_000
        me.look()
      }
    }
    idle(60)
    expect(me.recorded.lines).toEqual([])
    me.isTroubled = false
    idle(6)
    expect(me.recorded.codes).toContain('M4')
  })

  it('M4: in a pool with the timing of the WAN the bound is its own', () => {
    const me = new Watched('c1')
    const wan = { core: { ...me.core, options: { ...me.core.options, timing: wanGossip } } }
    const observer = me.pool.observerOf('s1', 2)
    const changes = [...me.core.members.values()].map((member) => ({ kind: 'joined', member }) as const)
    observer.stepped(wan.core, { kind: 'started' }, [{ kind: 'members-changed', changes }])
    me.look()
    me.pool.died('c1')
    const idle = (seconds: number): void => {
      for (let second = 0; second < seconds; second++) {
        me.nowMs += 1_000
        me.look()
      }
    }
    // Twice the interval of five seconds, a tenth for clocks, and a look: 13 s.
    idle(12)
    expect(me.recorded.lines).toEqual([])
    idle(4)
    expect(me.recorded.lines[0]).toMatch(/^M4: s1 does not suspect c1, which is down, after 13/)
  })

  it('M5: a member that has left is not sent anything but answers', () => {
    const me = new Watched('c1')
    me.pool.laws.grounds.saidGone('c1', 1)
    me.hear(dead('c1', 1, 'c1'))
    expect(me.record('c1').status).toBe('left')
    me.hear({ kind: 'ping', sequence: 1, node: 'me' })
    const observer = me.pool.observerOf('s1', 2)
    observer.stepped(me.core, { kind: 'timer-fired', timer: 'reap' }, [])
    const ping = { kind: 'ping', sequence: 9, node: 'c1' } as const
    const ack = { kind: 'ack', sequence: 9, payload: new Uint8Array() } as const
    const asks = { ...ping, node: 'me' }
    const asked = { kind: 'packet-received', from: addressOf('c1'), messages: [asks] } as const
    observer.stepped(me.core, asked, [{ kind: 'send', to: addressOf('c1'), messages: [ack] }])
    // A member pings for another without judging the request.
    const forAnother = { kind: 'indirect-ping', sequence: 7, target: addressOf('c1'), node: 'c1', nack: false } as const
    const wanted = { kind: 'packet-received', from: addressOf('sender'), messages: [forAnother] } as const
    observer.stepped(me.core, wanted, [{ kind: 'send', to: addressOf('c1'), messages: [ping] }])
    expect(me.recorded.lines).toEqual([])
    observer.stepped(me.core, { kind: 'timer-fired', timer: 'probe' }, [
      { kind: 'send', to: addressOf('c1'), messages: [ping] },
    ])
    expect(me.recorded.lines).toEqual(['M5: s1 contacts c1, which has left, by ping'])
  })

  it('M6: one that wakes and accuses a member because of its own sleep is seen; one that accuses later is not', () => {
    const me = new Watched('c1', 'c2')
    me.watch(60)
    const accuse = (): void => {
      const observer = me.pool.observerOf('s1', 2)
      observer.stepped(me.core, { kind: 'timer-fired', timer: 'gossip' }, [])
      me.hear(alive('c1', me.record('c1').incarnation + 1))
      observer.stepped(me.core, { kind: 'timer-fired', timer: 'gossip' }, [])
      me.hear(suspect('c1', me.record('c1').incarnation))
      observer.stepped(me.core, { kind: 'timer-fired', timer: 'probe' }, [])
    }
    const asleepFor = (spanMs: number): void => {
      me.pool.fellAsleep('s1')
      me.nowMs += spanMs
      me.pool.woke('s1')
      me.nowMs += 200
    }
    asleepFor(1_400)
    accuse()
    expect(me.recorded.lines).toEqual([])
    me.nowMs += 60_000
    asleepFor(20_000)
    accuse()
    expect(me.recorded.lines).toEqual(['M6: s1, which woke 200 ms ago, suspects c1, which was up all the time'])
    me.nowMs += 20_000
    accuse()
    expect(me.recorded.lines).toHaveLength(1)
  })
})
