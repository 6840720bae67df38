import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import type { StreamEnd, TcpStream } from '../../../src/env/net.ts'
import { Splice } from '../../../src/proxy/splice.ts'

/** A stream that writes down what is done to it, and says what a test has it say. */
class Played {
  readonly done: string[] = []
  full = false
  say: { data(bytes: Uint8Array): void; end(): void; drain(): void; close(why: StreamEnd): void } = {
    data: () => undefined,
    end: () => undefined,
    drain: () => undefined,
    close: () => undefined,
  }
  readonly stream = {
    onData: (use: (bytes: Uint8Array) => void) => {
      this.say.data = use
    },
    onEnd: (use: () => void) => {
      this.say.end = use
    },
    onDrain: (use: () => void) => {
      this.say.drain = use
    },
    onClose: (use: (why: StreamEnd) => void) => {
      this.say.close = use
    },
    write: (bytes: Uint8Array) => {
      this.done.push(`write ${bytes.length}`)
      return !this.full
    },
    pause: () => void this.done.push('pause'),
    resume: () => void this.done.push('resume'),
    end: () => void this.done.push('end'),
    close: () => void this.done.push('close'),
  } as unknown as TcpStream
}

function joined() {
  const [first, second] = [new Played(), new Played()]
  const overs: string[] = []
  const splice = new Splice(first.stream, () => overs.push('over'))
  splice.join(second.stream)
  for (const each of [first, second]) each.done.length = 0
  return { first, second, overs, splice }
}

describe('two streams as one', () => {
  it('hold back the one that writes for as long as the other has no room', () => {
    const { first, second } = joined()
    second.full = true
    first.say.data(utf8('abc'))
    expect([first.done, second.done]).toEqual([['pause'], ['write 3']])
    second.say.drain()
    expect(first.done).toEqual(['pause', 'resume'])
    first.full = true
    second.say.data(utf8('d'))
    first.say.drain()
    expect(second.done).toEqual(['write 3', 'pause', 'resume'])
  })

  it('end each direction by itself, and are over when both are', () => {
    const { first, second, overs } = joined()
    first.say.end()
    expect([first.done, second.done]).toEqual([[], ['end']])
    second.say.end()
    expect(first.done).toEqual(['end'])
    first.say.close('ended')
    expect(overs).toEqual([])
    second.say.close('ended')
    expect([overs, first.done, second.done]).toEqual([['over'], ['end'], ['end']])
  })

  it.each(['reset', 'timeout', 'closed'] as const)('break the other where one is over by %s', (why) => {
    const { first, second, overs } = joined()
    second.say.close(why)
    expect(first.done).toEqual(['close'])
    first.say.close('closed')
    expect([overs, second.done]).toEqual([['over'], ['close']])
  })

  it('keep what the first said before the other joined, and its end', () => {
    const [first, second] = [new Played(), new Played()]
    const splice = new Splice(first.stream, () => undefined)
    expect(first.done).toEqual(['pause'])
    first.say.data(utf8('early'))
    first.say.end()
    splice.join(second.stream)
    expect([first.done, second.done]).toEqual([
      ['pause', 'resume'],
      ['write 5', 'end'],
    ])
  })

  it('are none where the first was over before the other came', () => {
    const [first, second] = [new Played(), new Played()]
    const overs: string[] = []
    const splice = new Splice(first.stream, () => overs.push('over'))
    first.say.close('reset')
    splice.join(second.stream)
    expect([splice.isOver, overs, second.done]).toEqual([true, ['over'], ['close']])
  })
})
