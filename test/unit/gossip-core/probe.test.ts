import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect } from '../../../src/gossip/core/types.ts'
import { addressOf, alive, dead, Subject, suspect, versions } from './subject.ts'

function pings(me: Subject, effects: readonly GossipEffect[] = me.effects) {
  return me
    .of('send', effects)
    .flatMap(({ to, messages }) =>
      messages.flatMap((message) =>
        message.kind === 'ping' ? [{ to, sequence: message.sequence, node: message.node }] : [],
      ),
    )
}

function ack(sequence: number): Message {
  return { kind: 'ack', sequence, payload: new Uint8Array(0) }
}

function nack(sequence: number): Message {
  return { kind: 'nack', sequence }
}

/** Fires the next probe and returns its ping. */
function nextPing(me: Subject) {
  me.fire('probe')
  const [ping] = pings(me)
  if (ping === undefined) throw new Error('no ping')
  return ping
}

describe('the probe cycle', () => {
  it('pings each living member once in a round of one interval for each', () => {
    const me = new Subject().know('a', 'b', 'c', 'd')
    me.hear(dead('d', 1))
    me.fire('gossip')
    // The round that runs when members come may pass some by: the new are put at random places.
    for (let i = 0; i < 4; i++) me.hear(ack(nextPing(me).sequence))
    me.core.probeNext = me.core.roster.length
    const firstMs = me.nowMs
    const seen: string[] = []
    for (let i = 0; i < 6; i++) {
      const { node, to, sequence } = nextPing(me)
      expect(to).toEqual(addressOf(node))
      seen.push(node)
      me.hear(ack(sequence))
    }
    expect(seen.slice(0, 3).sort()).toEqual(['a', 'b', 'c'])
    expect(seen.slice(3).sort()).toEqual(['a', 'b', 'c'])
    expect(me.nowMs - firstMs).toBe(6_000)
  })

  it('asks three others and tries a stream when no answer comes in time', () => {
    const me = new Subject().know('a', 'b', 'c', 'd', 'e')
    const { node, sequence } = nextPing(me)
    const sentMs = me.nowMs
    me.fire('probe')
    expect(me.nowMs - sentMs).toBe(500)
    const asked = me.of('send').flatMap(({ to, messages }) => [[to, messages[0]] as const])
    expect(asked).toHaveLength(3)
    for (const [to, message] of asked) {
      expect(to).not.toEqual(addressOf(node))
      expect(message).toEqual({ kind: 'indirect-ping', sequence, target: addressOf(node), node, nack: true })
    }
    expect(me.of('stream-ping')).toEqual([{ kind: 'stream-ping', to: addressOf(node), node, sequence, timeoutMs: 500 }])
  })

  it('suspects a member that answers neither directly nor through the others nor by stream', () => {
    const me = new Subject().know('a', 'b', 'c', 'd', 'e')
    const { node, sequence } = nextPing(me)
    me.fire('probe')
    me.hear(nack(sequence), nack(sequence), nack(sequence))
    me.do({ kind: 'stream-ping-finished', sequence, answered: false })
    me.fire('probe')
    expect(me.holds(node)).toBe('suspect 1')
    expect(me.spoken()).toContainEqual(suspect(node, 1, 'me'))
    expect(me.core.health).toBe(0)
  })

  it('begins the next probe when one has failed', () => {
    const me = new Subject().know('a', 'b')
    const { node } = nextPing(me)
    me.fire('probe')
    me.fire('probe')
    expect(pings(me)).toHaveLength(1)
    expect(pings(me)[0]?.node).not.toBe(node)
  })

  it('takes an answer that comes by another member', () => {
    const me = new Subject().know('a', 'b', 'c')
    const { node, sequence } = nextPing(me)
    me.fire('probe')
    me.hear(ack(sequence))
    me.fire('probe')
    expect(me.holds(node)).toBe('alive 1')
  })

  it('takes an answer by stream alone with a warning about the network', () => {
    const me = new Subject().know('a', 'b', 'c')
    const { node, sequence } = nextPing(me)
    me.fire('probe')
    me.do({ kind: 'stream-ping-finished', sequence, answered: true })
    me.fire('probe')
    expect(me.holds(node)).toBe('alive 1')
    expect(me.of('note').map(({ level }) => level)).toContain('warn')
  })

  it('ignores answers to anything but the present probe', () => {
    const me = new Subject().know('a', 'b', 'c')
    const { node, sequence } = nextPing(me)
    me.hear(ack(sequence + 1), ack(sequence - 1))
    me.do({ kind: 'stream-ping-finished', sequence: sequence - 1, answered: true })
    me.fire('probe')
    me.fire('probe')
    me.hear(ack(sequence))
    expect(me.record(node).state).toBe('suspect')
  })

  it('tells a suspect with the ping what it has to refute', () => {
    const me = new Subject().know('a')
    me.hear(suspect('a', 1))
    me.fire('probe')
    expect(me.of('send').map(({ messages }) => messages.map(({ kind }) => kind))).toContainEqual(['ping', 'suspect'])
  })

  it('gives up on a member that others have found dead meanwhile, and tries no stream to one that left', () => {
    const me = new Subject().know('a', 'b', 'c')
    const { node } = nextPing(me)
    me.hear(dead(node, 1, node))
    me.fire('probe')
    expect(me.of('stream-ping')).toEqual([])
    expect(me.of('send')).toEqual([])
    expect(nextPing(me).node).not.toBe(node)
  })

  it('expects no nack, and tries no stream, where the version is too old for it', () => {
    const me = new Subject()
    const old = { ...versions, protocolMax: 2 }
    for (const name of ['a', 'b', 'c']) me.hear(alive(name, 1, { versions: old }))
    nextPing(me)
    me.fire('probe')
    expect(me.of('send').map(({ messages }) => messages[0])).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'indirect-ping', nack: false })]),
    )
    expect(me.of('stream-ping')).toEqual([])
    me.fire('probe')
    expect(me.core.health).toBe(1)
  })

  it('accuses no member of silence while the agent slept', () => {
    const me = new Subject().know('a', 'b')
    const { node } = nextPing(me)
    me.nowMs += 30_000
    me.fire('probe')
    expect(me.record(node).state).toBe('alive')
    expect(me.core.health).toBe(1)
    expect(pings(me)).toHaveLength(1)
  })

  it('has no timer in a pool of one, nor when the last other is gone', () => {
    const me = new Subject()
    expect([...me.timers.keys()]).toEqual([])
    me.know('a')
    expect(me.timers.has('probe')).toBe(true)
    me.hear(dead('a', 1, 'a'))
    me.pass(40_000)
    expect([...me.timers.keys()]).toEqual(['reap'])
  })
})

describe('local health', () => {
  it('falls with nacks that do not come, stays within 0 to 7, and mends with answers', () => {
    const me = new Subject().know('a', 'b', 'c', 'd', 'e')
    nextPing(me)
    me.fire('probe')
    me.fire('probe')
    expect(me.of('health').at(-1)).toEqual({ kind: 'health', score: 3 })
    for (let i = 0; i < 20; i++) me.hear(suspect('me', 100 + 2 * i))
    expect(me.core.health).toBe(7)
    for (let i = 0; i < 20; i++) {
      const ping = me.core.probe?.phase === 'direct' ? me.core.probe : nextPing(me)
      me.hear(ack(ping.sequence))
    }
    expect(me.core.health).toBe(0)
  })

  it('gives the probed more time the worse it is, and counts that', () => {
    const me = new Subject().know('a', 'b')
    me.hear(suspect('me', 5), suspect('me', 10))
    nextPing(me)
    expect(me.counted('memberlist.degraded.probe')).toBe(1)
    const sentMs = me.nowMs
    me.fire('probe')
    expect(me.nowMs - sentMs).toBe(500)
    me.fire('probe')
    expect(me.nowMs - sentMs).toBe(3_000)
  })
})

describe('a ping', () => {
  it('is answered to where it came from, with its number', () => {
    const me = new Subject()
    me.hear({ kind: 'ping', sequence: 9, node: 'me' })
    expect(me.of('send')).toEqual([{ kind: 'send', to: addressOf('sender'), messages: expect.any(Array) }])
    expect(me.of('send')[0]?.messages[0]).toEqual(ack(9))
  })

  it('that is meant for another member at this address is not answered', () => {
    const me = new Subject()
    me.hear({ kind: 'ping', sequence: 9, node: 'other' })
    expect(me.of('send')).toEqual([])
  })
})

describe('a ping on behalf of another', () => {
  const request = { kind: 'indirect-ping', sequence: 77, target: addressOf('t'), node: 't', nack: true } as const

  it('goes to the target, and its answer back under the number of the asker', () => {
    const me = new Subject()
    me.hear(request)
    const [ping] = pings(me)
    expect(ping?.to).toEqual(addressOf('t'))
    me.hear(ack(ping?.sequence ?? 0))
    expect(me.of('send').map(({ to, messages }) => [to, messages[0]])).toEqual([[addressOf('sender'), ack(77)]])
    me.fire('relay')
    expect(me.of('send')).toEqual([])
  })

  it('without an answer is a nack, if one is wanted, in time for an asker that waits no longer than this agent does', () => {
    const me = new Subject()
    me.hear(request, { ...request, sequence: 78, nack: false })
    me.fire('relay')
    expect(me.nowMs).toBe(400)
    expect(me.of('send').map(({ messages }) => messages[0])).toEqual([nack(77)])
  })

  it('is answered late where the nack has gone out already, and not at all after the probe timeout', () => {
    const me = new Subject()
    me.hear(request, { ...request, sequence: 79 })
    const [first, second] = pings(me)
    me.fire('relay')
    me.hear(ack(first?.sequence ?? 0))
    expect(me.of('send').map(({ messages }) => messages[0])).toEqual([ack(77)])
    me.fire('relay')
    expect(me.nowMs).toBe(500)
    expect(me.of('send')).toEqual([])
    expect(me.timers.has('relay')).toBe(false)
    me.hear(ack(second?.sequence ?? 0))
    expect(me.of('send')).toEqual([])
  })

  it('that came later has its nack at its own time', () => {
    const me = new Subject()
    me.hear(request)
    me.nowMs += 300
    me.hear({ ...request, sequence: 80 })
    const sent = me.pass(400)
    expect(me.of('send', sent).map(({ messages }) => messages[0])).toEqual([nack(77), nack(80)])
    expect(me.timers.get('relay')).toBe(800)
  })

  it('has its nack at its own time where one that wants none came shortly before', () => {
    const me = new Subject()
    me.hear({ ...request, nack: false })
    me.nowMs += 50
    me.hear({ ...request, sequence: 80 })
    me.fire('relay')
    expect(me.nowMs).toBe(450)
    expect(me.of('send').map(({ messages }) => messages[0])).toEqual([nack(80)])
    expect(me.timers.get('relay')).toBe(500)
  })

  it('[MEM-011] is a nack at once where the target has left', () => {
    const me = new Subject().know('t')
    me.hear(dead('t', 1, 't'))
    me.hear(request)
    expect(me.of('send').map(({ to, messages }) => [to, messages[0]])).toEqual([[addressOf('sender'), nack(77)]])
  })

  it('is dropped when 256 are under way, or when it names no target', () => {
    const me = new Subject()
    for (let i = 0; i < 256; i++) me.hear(request)
    expect(me.counted('gossip.dropped.full')).toBe(0)
    me.hear(request)
    expect(me.counted('gossip.dropped.full')).toBe(1)
    me.hear({ ...request, target: { host: '', port: 0 } })
    expect(me.counted('gossip.dropped.malformed')).toBe(1)
  })
})
