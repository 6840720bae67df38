import { describe, expect, it } from 'vitest'
import type { StreamEnd, TcpStream } from '../../../src/env/net.ts'
import { Splices, splicesMax } from '../../../src/proxy/splices.ts'
import { HandClock } from '../features/hand-clock.ts'

function stream() {
  let over: (why: StreamEnd) => void = () => undefined
  const played = {
    isClosed: false,
    end: () => over('closed'),
    stream: {
      onData: () => undefined,
      onEnd: () => undefined,
      onDrain: () => undefined,
      onClose: (use: (why: StreamEnd) => void) => {
        over = use
      },
      pause: () => undefined,
      close: () => {
        played.isClosed = true
      },
    } as unknown as TcpStream,
  }
  return played
}

describe('connections through one listener', () => {
  it('are so many that five thousand idle ones leave room, and one too many is broken, which is said, though not each time', async () => {
    expect(splicesMax).toBeGreaterThan(5_000)
    const clock = new HandClock()
    const splices = new Splices(clock.env, { host: '127.0.0.1', port: 9191 })
    const open = Array.from({ length: splicesMax }, stream)
    for (const each of open) expect(splices.begin(each.stream)).toBeDefined()
    const turnedAway = Array.from({ length: 3 }, stream)
    for (const each of turnedAway) expect(splices.begin(each.stream)).toBeUndefined()
    expect([...open, ...turnedAway].filter(({ isClosed }) => isClosed)).toEqual(turnedAway)
    expect(clock.logged.length).toBe(1)
    await clock.advance(10_000)
    splices.begin(stream().stream)
    expect(clock.logged.length).toBe(2)
    open[0]?.end()
    expect(splices.begin(stream().stream)).toBeDefined()
  })
})
