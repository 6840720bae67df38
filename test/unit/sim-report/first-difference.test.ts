import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'

import { sumOfJudged } from '../../../sim/checkers/judged-tally.ts'

import { firstDifference } from '../../../sim/report/first-difference.ts'
import type { TraceDigest } from '../../../sim/report/hashed-lines.ts'
import type { RunResult } from '../../../sim/report/run-report.ts'
import { Trace, type TraceOptions } from '../../../sim/report/trace.ts'
import { traceKinds } from '../../../sim/report/trace-kinds.ts'

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest())
const lines = 3000

/** The trace of a run whose line `odd` says something else each time. */
function traced(odd: number, value: number, options: TraceOptions = {}): TraceDigest {
  const trace = new Trace(sha256, options)
  for (let line = 0; line < lines; line++) trace.add(traceKinds.boot, 1, line === odd ? value : 0)
  return trace.digest()
}

function result(trace: TraceDigest): RunResult {
  return {
    scenario: 'x',
    file: 'x.yaml',
    seed: 1,
    failures: [],
    undecided: [],
    virtualUs: 0,
    events: 0,
    trace,
    elections: 0,
    writesAcknowledged: 0,
    judged: sumOfJudged([]),
    marks: [],
    marksAtUs: [],
    history: { about: undefined, staleDefaultUs: 0, operations: [] },
  }
}

describe('two traces that differ', () => {
  for (const odd of [0, 511, 512, 1500, 2999]) {
    it(`are compared down to line ${odd + 1}`, async () => {
      let runs = 10
      const rerun = async (options: TraceOptions): Promise<RunResult> => result(traced(odd, runs++, options))
      const said = await firstDifference(traced(odd, 1), traced(odd, 2), rerun)
      expect(said[0]).toBe(`the traces differ from line ${odd + 1} on:`)
      expect(said[1]).not.toBe(said[2])
    })
  }

  it('are placed within a block when further runs happen to agree', async () => {
    const rerun = async (options: TraceOptions): Promise<RunResult> => result(traced(700, 5, options))
    const said = await firstDifference(traced(700, 1), traced(700, 2), rerun)
    expect(said).toEqual(['the traces differ from a line between 513 and 1024 on; two more runs agreed there'])
  })
})
