import { describe, expect, it } from 'vitest'
import { failingRunOf } from '../../../sim/cli/shrink/failing-run.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { type SeedRecord, type SeedVerdict, withoutRun } from '../../../sim/report/seed-record.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { done, err } from '../../../src/base/result.ts'

function recordOf(seed: number, verdict: SeedVerdict, more: Partial<SeedRecord> = {}): string {
  const of = { scenario: 'A', file: `${seed}.yaml`, page: 'ab'.repeat(32), seed }
  const record = withoutRun(of, verdict, [], { wallMs: 1, cpuMs: 1 })
  return `${JSON.stringify({ ...record, trace: 'cd'.repeat(32), ...more })}\n`
}

/** What is said of a file with this text, after so many repetitions of what stands before it; its pages are not there. */
async function said(text: string, seed?: number, before: string = '', times: number = 0): Promise<readonly string[]> {
  let read = 0
  const terminal: Pick<SimTerminal, 'readPieces' | 'disk'> = {
    readPieces: async (_, take) => {
      const pieces = [utf8(before), utf8(text)] as const
      for (; read < times; read++) if (!(await take(pieces[0]))) return done
      await take(pieces[1])
      return done
    },
    disk: { open: async () => err({ kind: 'not-found', path: '', message: '' }) } as unknown as SimTerminal['disk'],
  }
  const run = await failingRunOf(terminal as SimTerminal, 'seeds.jsonl', seed)
  return run.ok ? expect.unreachable('there is no page') : run.error
}

const isFound = (seed: number) => [`${seed}.yaml: there is no such file: check the path`]

describe('the run that records name', () => {
  it('is the first failure, or that of the seed', async () => {
    const text = recordOf(1, 'passed') + recordOf(2, 'undecided') + recordOf(3, 'failed') + recordOf(4, 'failed')
    expect(await said(text)).toEqual(isFound(3))
    expect(await said(text, 4)).toEqual(isFound(4))
    expect(await said(text.trimEnd(), 4)).toEqual(isFound(4))
    expect(await said(text, 1)).toEqual(['seeds.jsonl: no record of a seed 1 that failed: name one that has'])
  })

  it('is found however far behind it stands', async () => {
    const passed = recordOf(1, 'passed', { scenario: 'T'.repeat(4_000) }).repeat(250)
    expect(await said(recordOf(7, 'failed'), undefined, passed, 66)).toEqual(isFound(7))
  })

  it('is none of a run with forks, nor of another program', async () => {
    const forked = recordOf(1, 'failed', { forks: [{ atMs: 5, seed: 1 }] })
    expect(await said(forked)).toEqual(['seeds.jsonl: its runs that failed have forks: repeat one with svc-sim run'])
    expect(await said(forked + recordOf(2, 'failed'))).toEqual(isFound(2))
    expect(await said(recordOf(1, 'failed', { planted: '--bug tail-kept' }))).toEqual([
      'seeds.jsonl: its runs were of a program with --bug tail-kept: give --bug tail-kept',
    ])
  })
})
