import { describe, expect, it } from 'vitest'
import { differingLines, type TraceDigest } from '../../../sim/report/hashed-lines.ts'
import { Trace, type TraceOptions } from '../../../sim/report/trace.ts'
import { lineText, traceKinds } from '../../../sim/report/trace-kinds.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { sha256 } from '../../../src/native/hash.ts'
import { busyWorld } from './busy-world.ts'

type Write = (trace: Trace, line: number) => void

function traced(lines: number, write: Write, options: TraceOptions = {}): TraceDigest {
  const trace = new Trace(sha256, options)
  for (let line = 0; line < lines; line++) {
    trace.setTime(line * 1000)
    write(trace, line)
  }
  return trace.digest()
}

const plain: Write = (trace, line) => trace.add(traceKinds.timer, 1, line)

describe('a trace', () => {
  it('has another hash when anything of any line is another', () => {
    const different: Write[] = [
      (trace, line) => trace.add(traceKinds.pause, 1, line),
      (trace, line) => trace.add(traceKinds.timer, 2, line),
      (trace, line) => trace.add(traceKinds.timer, 1, line + 1),
      (trace, line) => trace.add(traceKinds.timer, 1, line, 1),
      (trace, line) => trace.add(traceKinds.timer, 1, line, 0, 1),
      (trace, line) => trace.addText(traceKinds.log, 1, line, 0, 0, ''),
      (trace, line) => trace.addText(traceKinds.log, 1, line, 0, 0, 'a'),
      (trace, line) => trace.addText(traceKinds.log, 1, line, 0, 0, 'é'),
      (trace, line) => trace.addText(traceKinds.log, 1, line, 0, 0, 'a'.repeat(300)),
      (trace, line) => trace.addText(traceKinds.log, 1, line, 0, 0, `${'a'.repeat(299)}b`),
      (trace, line) => trace.addText(traceKinds.log, 1, line, 0, 0, 'a'.repeat(301)),
      (trace, line) => trace.addBytes(traceKinds.datagram, 1, line, 0, 0, utf8('a')),
      (trace, line) => trace.addBytes(traceKinds.datagram, 1, line, 0, 0, new Uint8Array(5)),
      (trace, line) => trace.addBytes(traceKinds.datagram, 1, line, 0, 0, new Uint8Array(6)),
      (trace, line) => trace.addBytes(traceKinds.datagram, 1, line, 0, 0, new Uint8Array(1000)),
    ]
    for (const at of [0, 5, 511, 512, 700]) {
      const hashes = new Set([traced(800, plain).hash])
      for (const other of different) {
        hashes.add(traced(800, (trace, line) => (line === at ? other : plain)(trace, line)).hash)
      }
      const later = traced(800, (trace, line) => {
        if (line === at) trace.setTime(line * 1000 + 1)
        plain(trace, line)
      })
      expect(hashes.add(later.hash).size).toBe(different.length + 2)
    }
    expect(traced(799, plain).hash).not.toBe(traced(800, plain).hash)
    expect(traced(0, plain).hash).not.toBe(traced(1, plain).hash)
  })

  it('tells times apart that differ beyond 32 bits', () => {
    const at = (timeUs: number): string => {
      const trace = new Trace(sha256)
      trace.setTime(timeUs)
      trace.add(traceKinds.timer, 1)
      return trace.digest().hash
    }
    expect(new Set([at(1), at(1 + 2 ** 32), at(1 + 2 ** 33), at(2 ** 31), at(2 ** 50)]).size).toBe(5)
  })

  it('has the same hash whether it is read or not, and whatever remarks are made', () => {
    const quiet = traced(1500, plain)
    const lines: string[] = []
    const read = traced(
      1500,
      (trace, line) => {
        trace.remark(1, 'for readers')
        plain(trace, line)
      },
      { onLine: (line) => lines.push(line) },
    )
    expect(read).toEqual(quiet)
    expect(lines).toHaveLength(3000)
    expect(lines.slice(2, 4)).toEqual(['0.001000 1 # for readers', '0.001000 1 timer set at turn 1'])
  })

  it('is compared by halving: the lines in which two differ first are found, and can be read in a second run', () => {
    const changed: Write = (trace, line) => trace.add(traceKinds.timer, line === 5000 ? 2 : 1, line)
    const [a, b] = [traced(20_000, plain), traced(20_000, changed)]
    const window = differingLines(a, b)
    expect(window).toEqual({ from: 4608, to: 5120 })
    expect(differingLines(a, traced(20_000, plain))).toBeUndefined()
    expect(differingLines(a, traced(19_000, plain))).toEqual({ from: 18_944, to: 19_456 })
    const numbers: number[] = []
    const onLine = (_: string, number: number): void => void numbers.push(number)
    if (window !== undefined) expect(traced(20_000, changed, { onLine, window })).toEqual(b)
    expect([numbers[0], numbers.at(-1), numbers.length]).toEqual([4608, 5119, 512])
  })

  it('reads as sentences', () => {
    const nameOf = (node: number): string => `s${node}`
    expect(lineText(traceKinds.datagramSent, [2, 0, 350], '12 B', nameOf)).toBe(
      'sends datagram to s2, fate 0, 350 us 12 B',
    )
    expect(new Set(Object.values(traceKinds)).size).toBe(Object.keys(traceKinds).length)
  })
})

describe('a world in which everything happens', () => {
  const seeds = process.env['SVC_TEST_LONG'] === '1' ? 200 : 2

  it('[H1] gives the same trace for the same seed, another run of another seed between them', async () => {
    const hashes = new Set<string>()
    for (let seed = 0; seed < seeds; seed++) {
      const first = await busyWorld(`${seed}`)
      const other = await busyWorld(`${seed}-other`)
      const again = await busyWorld(`${seed}`)
      expect(again).toEqual(first)
      hashes.add(first.hash).add(other.hash)
      expect(first.lines).toBeGreaterThan(2000)
    }
    expect(hashes.size).toBe(2 * seeds)
  })

  it('[H1] gives the same trace with every reader', async () => {
    const lines: string[] = []
    const read = await busyWorld('read', { trace: { onLine: (line) => lines.push(line) }, remarkDraws: true })
    expect(read).toEqual(await busyWorld('read'))
    expect(lines.length).toBeGreaterThan(read.lines)
    expect(lines.some((line) => line.includes('draws'))).toBe(true)
  })
})
