import { describe, expect, it } from 'vitest'
import { InTurn } from '../../../src/agent/local/in-turn.ts'
import { done } from '../../../src/base/result.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

/** Work that goes on until the test ends it. */
function workshop() {
  const turns = new InTurn(new HandClock().env)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const bring = (name: string, about?: readonly string[]) =>
    turns.run(async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return done
    }, about)
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await settled()
  }
  return { turns, begun, bring, end }
}

describe('work in turn', () => {
  it('about different things goes on side by side, about the same thing in the order in which it came', async () => {
    const { begun, bring, end } = workshop()
    void bring('first', ['a', 'b'])
    void bring('second', ['b', 'c'])
    void bring('third', ['c'])
    void bring('fourth', ['d'])
    await settled()
    expect(begun).toEqual(['first', 'fourth'])
    await end('first')
    expect(begun).toEqual(['first', 'fourth', 'second'])
    await end('second')
    expect(begun).toEqual(['first', 'fourth', 'second', 'third'])
  })

  it('about everything goes on alone, and what comes behind it waits', async () => {
    const { begun, bring, end } = workshop()
    void bring('a', ['a'])
    void bring('everything')
    void bring('b', ['b'])
    await settled()
    expect(begun).toEqual(['a'])
    await end('a')
    expect(begun).toEqual(['a', 'everything'])
    await end('everything')
    expect(begun).toEqual(['a', 'everything', 'b'])
  })

  it('is no more than so much at a time, and refused where too much waits', async () => {
    const { begun, bring, end } = workshop()
    const all = Array.from({ length: 1025 }, (_, at) => bring(`piece ${at}`, [`thing ${at}`]))
    await settled()
    expect(begun).toHaveLength(256)
    expect(await all[1024]).toMatchObject({ ok: false, error: { kind: 'overloaded' } })
    await end('piece 0')
    expect(begun).toHaveLength(257)
  })

  it('is idle when all of it is over, also what waited', async () => {
    const { turns, bring, end } = workshop()
    let idle = false
    void bring('a', ['a'])
    void bring('b', ['a'])
    void turns.idle().then(() => {
      idle = true
    })
    await settled()
    await end('a')
    expect(idle).toBe(false)
    await end('b')
    expect(idle).toBe(true)
    await turns.idle()
  })
})
