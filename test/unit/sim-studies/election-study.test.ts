import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { svgDocument } from '../../../sim/studies/drawing.ts'
import { electionDrawing } from '../../../sim/studies/election-plot.ts'
import { closingLines, headLines, measuredLine } from '../../../sim/studies/election-report.ts'
import { type ElectionStudy, type Measured, studyElections } from '../../../sim/studies/election-study.ts'
import { ElectionTrial, type Surroundings } from '../../../sim/studies/election-trial.ts'
import { RandomStreams } from '../../../sim/studies/random-streams.ts'

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest())

function study(seed: number, trials: number): ElectionStudy {
  const streams = new RandomStreams(String(seed), sha256)
  return studyElections({ seed, trials, streams, onMeasured: () => {} })
}

function textOf(done: ElectionStudy): string {
  return [
    ...headLines(),
    ...done.measured.map(measuredLine),
    ...closingLines(done),
    svgDocument(electionDrawing(done)),
  ].join('\n')
}

function trial(timeoutMinMs: number, timeoutSpreadMs: number, messageUs: number) {
  const surroundings: Surroundings = { messageUs: () => messageUs, latenessUs: () => 0 }
  return new ElectionTrial({
    timeoutMinUs: timeoutMinMs * 1000,
    timeoutSpreadUs: timeoutSpreadMs * 1000,
    surroundings,
    draws: new RandomStreams('1', sha256).fresh('trial'),
    patienceUs: 5_000_000,
  }).run()
}

describe('the study of elections (extended Raft paper, figure 16)', () => {
  const done = study(7, 60)
  const of = (minMs: number, maxMs: number): Measured => {
    const found = done.measured.find(({ range }) => range.minMs === minMs && range.maxMs === maxMs)
    if (found === undefined) throw new Error(`${minMs}-${maxMs} was not measured`)
    return found
  }

  it('gives the same table and the same graphs for the same seed, and others for another', () => {
    const again = study(7, 3)
    expect(textOf(study(7, 3))).toBe(textOf(again))
    expect(textOf(study(8, 3))).not.toBe(textOf(again))
  })

  it('has a broadcast time of about 15 ms', () => {
    expect(done.broadcastMs).toBeGreaterThan(14)
    expect(done.broadcastMs).toBeLessThan(16)
  })

  it.each([
    [150, 155, 140, 600],
    [150, 175, 110, 250],
    [150, 200, 110, 250],
    [150, 300, 120, 250],
    [12, 24, 15, 60],
    [25, 50, 25, 80],
    [50, 100, 45, 110],
    [100, 200, 85, 180],
  ])('timeouts of %i to %i ms: the median lies between %i and %i ms', (minMs, maxMs, least, most) => {
    const { median } = of(minMs, maxMs).withoutLeaderMs
    expect(median).toBeGreaterThan(least)
    expect(median).toBeLessThan(most)
  })

  it('without randomness elections take seconds, with 1 ms they are many times faster', () => {
    expect(of(150, 150).withoutLeaderMs.median).toBeGreaterThan(5000)
    expect(of(150, 151).withoutLeaderMs.median).toBeLessThan(of(150, 150).withoutLeaderMs.median / 4)
  })

  it('no leader is elected sooner than half of the minimum timeout after the crash', () => {
    for (const { range, withoutLeaderMs } of done.measured) {
      if (range.minMs >= 50) expect(withoutLeaderMs.min).toBeGreaterThanOrEqual(range.minMs / 2)
    }
  })

  it('sets the figures of the paper beside its own, and says a sentence on each difference', () => {
    const text = [...done.measured.map(measuredLine), ...closingLines(done)].join('\n')
    for (const figure of ['median 287', 'worst 513', 'mean 35', 'worst 152']) expect(text).toContain(figure)
    for (const figure of ['in the paper 287 ms', 'in the paper 513 ms', 'in the paper 35 ms', 'in the paper 152 ms']) {
      expect(text).toContain(figure)
    }
  })
})

describe('one trial', () => {
  it('is broken off when timers and messages keep in step for ever', () => {
    expect(trial(150, 0, 7500)).toMatchObject({ isBrokenOff: true, withoutLeaderUs: 5_000_000 })
  })

  it('ends with the first or second election when messages take no time to speak of', () => {
    const { withoutLeaderUs, elections, isBrokenOff } = trial(150, 150, 1)
    expect(isBrokenOff).toBe(false)
    expect(elections).toBeLessThanOrEqual(3)
    expect(withoutLeaderUs).toBeGreaterThanOrEqual(75_000)
    expect(withoutLeaderUs).toBeLessThan(300_000)
  })
})
