import { describe, expect, it } from 'vitest'
import { alive, nodeState, Subject, suspect } from './subject.ts'

/** A suspicion of `a` in a pool of `size`, by `first`; how long it lasted after these further accusers. */
function suspicionOf(size: number, accusers: readonly string[]): { readonly lastedMs: number; readonly me: Subject } {
  const me = new Subject().know(...Array.from({ length: size - 1 }, (_, i) => (i === 0 ? 'a' : `n${i}`)))
  for (const from of accusers) me.hear(suspect('a', 1, from))
  const beganMs = me.nowMs
  while (me.record('a').state === 'suspect') me.fire('suspicion')
  return { lastedMs: me.nowMs - beganMs, me }
}

describe('a suspicion', () => {
  it('ends in death after the shortest time in a pool too small for confirmations', () => {
    const { lastedMs, me } = suspicionOf(3, ['n1'])
    expect(lastedMs).toBe(4_000)
    expect(me.changes()).toEqual(['failed a'])
    expect(me.counted('memberlist.degraded.timeout')).toBe(0)
  })

  it('lasts six times as long when no member confirms it, which is counted', () => {
    const { lastedMs, me } = suspicionOf(5, ['n1'])
    expect(lastedMs).toBe(24_000)
    expect(me.counted('memberlist.degraded.timeout')).toBe(1)
  })

  it('is shortened by each independent confirmation, down to the shortest time', () => {
    const one = suspicionOf(5, ['n1', 'n2']).lastedMs
    expect(one).toBeGreaterThan(4_000)
    expect(one).toBeLessThan(24_000 - 10_000)
    expect(suspicionOf(5, ['n1', 'n2', 'n3']).lastedMs).toBe(4_000)
  })

  it('is not shortened by the same accuser again, nor by more than are wanted', () => {
    expect(suspicionOf(5, ['n1', 'n1', 'n1']).lastedMs).toBe(24_000)
    const me = new Subject().know('a', 'b', 'c', 'd', 'e')
    me.hear(suspect('a', 1, 'b'), suspect('a', 1, 'c'), suspect('a', 1, 'd'))
    me.spoken()
    me.hear(suspect('a', 1, 'e'))
    expect(me.suspicion('a')?.from.size).toBe(3)
  })

  it('ends at once with a confirmation that comes after the time it leaves, as after no sleep', () => {
    const me = new Subject().know('a', 'b', 'c', 'd')
    me.hear(suspect('a', 1, 'b'))
    me.nowMs += 15_000
    me.hear(suspect('a', 1, 'c'))
    me.fire('suspicion')
    expect(me.record('a').state).toBe('dead')
    expect(me.nowMs).toBe(15_001)
  })

  it('that is confirmed goes on to others as the new accuser has it', () => {
    const me = new Subject().know('a', 'b', 'c', 'd')
    me.hear(suspect('a', 1, 'b'), suspect('a', 1, 'c'))
    expect(me.spoken()).toContainEqual(suspect('a', 1, 'c'))
  })

  it('is neither begun in the own name nor confirmed by what another member merely holds', () => {
    const me = new Subject().know('a', 'b', 'c', 'd')
    me.hear(suspect('a', 1, 'b'))
    me.exchange({ nodes: [nodeState('a', 1, 'suspect')] })
    me.exchange({ nodes: [nodeState('a', 1, 'dead')] })
    expect([...(me.suspicion('a')?.from ?? [])]).toEqual(['b'])
    const spoken = me.spoken()
    me.exchange({ nodes: [nodeState('c', 1, 'suspect')] })
    expect(me.holds('c')).toBe('suspect 1')
    expect([...spoken, ...me.spoken()].filter((one) => one.kind === 'suspect' && one.from === 'me')).toEqual([])
  })

  it('by hearsay takes the first accuser for its originator, and ends in death like any other', () => {
    const me = new Subject().know('a', 'b', 'c', 'd')
    me.exchange({ nodes: [nodeState('a', 1, 'suspect')] })
    const dueMs = me.suspicion('a')?.dueMs
    me.hear(suspect('a', 1, 'b'))
    expect(me.spoken()).toContainEqual(suspect('a', 1, 'b'))
    expect(me.suspicion('a')?.dueMs).toBe(dueMs)
    me.hear(suspect('a', 1, 'c'))
    expect(me.suspicion('a')?.dueMs).toBeLessThan(dueMs ?? 0)
    while (me.record('a').state === 'suspect') me.fire('suspicion')
    expect(me.changes()).toEqual(['failed a'])
  })

  it('ends when the suspect refutes it, and its time passes without consequence', () => {
    const me = new Subject().know('a', 'b', 'c', 'd')
    me.hear(suspect('a', 1))
    me.hear(alive('a', 2))
    expect(me.core.suspects.size).toBe(0)
    me.fire('suspicion')
    expect(me.holds('a')).toBe('alive 2')
    expect(me.timers.has('suspicion')).toBe(false)
  })

  it('of one member does not delay that of another', () => {
    const me = new Subject().know('a', 'b', 'c', 'd', 'e')
    me.hear(suspect('a', 1, 'x'))
    me.nowMs += 1_000
    me.hear(suspect('b', 1, 'x'), suspect('b', 1, 'y'), suspect('b', 1, 'z'))
    me.fire('suspicion')
    expect([me.record('a').state, me.record('b').state]).toEqual(['suspect', 'dead'])
    expect(me.nowMs).toBe(5_000)
    me.fire('suspicion')
    expect([me.record('a').state, me.nowMs]).toEqual(['dead', 24_000])
  })

  it('waits once for what may be unread when the agent slept through its end, and ends the next time', () => {
    const me = new Subject().know('a', 'b')
    me.hear(suspect('a', 1))
    me.nowMs += 60_000
    me.fire('suspicion')
    expect(me.record('a').state).toBe('suspect')
    me.nowMs += 60_000
    me.fire('suspicion')
    expect(me.record('a').state).toBe('dead')
  })
})
