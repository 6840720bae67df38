import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { convergenceClosing, convergenceDrawing, sizeLine } from '../../../sim/studies/convergence-report.ts'
import { studyConvergence } from '../../../sim/studies/convergence-study.ts'
import { type Drawing, svgDocument } from '../../../sim/studies/drawing.ts'
import { lifeguardClosing, lifeguardDrawing, variantLine } from '../../../sim/studies/lifeguard-report.ts'
import { studyLifeguard, type VariantMeasured, variants } from '../../../sim/studies/lifeguard-study.ts'
import { RandomStreams } from '../../../sim/studies/random-streams.ts'

function streamsOf(seed: string): RandomStreams {
  const platform = createPlatform()
  platform.close()
  return new RandomStreams(seed, platform.sha256)
}

function pictureOf<Found>(draw: (found: Found) => Drawing, found: Found): string {
  return svgDocument(draw(found))
}

describe('the study of dissemination', () => {
  const study = () => studyConvergence({ streams: streamsOf('7'), sizes: [8, 64], trials: 3, onMeasured: () => {} })

  it('finds that time grows by less than the pool does, and datagrams of a quiet pool not at all', () => {
    const [small, large] = study()
    if (small === undefined || large === undefined) throw new Error('two sizes were asked for')
    expect([small.incomplete, large.incomplete]).toEqual([0, 0])
    expect(large.dissemination.median).toBeGreaterThan(small.dissemination.median)
    expect(large.dissemination.median).toBeLessThan(4 * small.dissemination.median)
    // A ping a second, and an answer to one.
    expect(small.datagrams).toBeCloseTo(2, 1)
    expect(large.datagrams).toBeCloseTo(2, 1)
    expect(large.exchangeBytes / small.exchangeBytes).toBeGreaterThan(6)
  })

  it('gives the same figures for the same seed, in words and as a drawing', () => {
    const [one, other] = [study(), study()]
    expect(one.map(sizeLine)).toEqual(other.map(sizeLine))
    expect(convergenceClosing(one).join('\n')).toContain('From 8 to 64 members')
    expect(pictureOf(convergenceDrawing, one)).toBe(pictureOf(convergenceDrawing, other))
    expect(pictureOf(convergenceDrawing, one)).toMatch(/^<svg .*<\/svg>\n$/s)
  })
})

describe('the study of Lifeguard', () => {
  it('finds far fewer false positives with all parts, and detects as soon', () => {
    const grid = { members: 32, blocked: [8], durationsMs: [16_384], intervalsMs: [1], detections: 1 }
    const chosen = variants.filter(({ name }) => name === 'SWIM' || name === 'Lifeguard')
    const told: VariantMeasured[] = []
    const onMeasured = (measured: VariantMeasured): void => void told.push(measured)
    studyLifeguard({ streams: streamsOf('3'), trials: 1, grid, variants: chosen, onMeasured })
    const [swim, lifeguard] = told
    if (swim === undefined || lifeguard === undefined) throw new Error('two protocols were asked for')
    expect(swim.total.all).toBeGreaterThan(10 * lifeguard.total.all)
    expect([swim.undetected, lifeguard.undetected]).toEqual([0, 0])
    const change = lifeguard.firstDetection.median / swim.firstDetection.median
    expect(change).toBeGreaterThan(0.9)
    expect(change).toBeLessThan(1.1)
    expect(variantLine(lifeguard, swim)).toContain('Lifeguard')
    expect(pictureOf(lifeguardDrawing, told)).toMatch(/^<svg .*<\/svg>\n$/s)
    // Its sentences are of three protocols; with two there is nothing to say.
    expect(lifeguardClosing(told)).toEqual([])
    const all = [...told, { ...lifeguard, variant: { name: 'as agents run', without: {} } }]
    expect(lifeguardClosing(all)[0]).toMatch(/^paper, all +< \d+ +< 2 %$/)
    // The paper's line is beside those of false positives at all members, and not where it says nothing.
    expect(pictureOf(lifeguardDrawing, all).match(/paper: SWIM \/ 50/g)).toHaveLength(1)
  }, 60_000)
})
