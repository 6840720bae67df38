import { describe, expect, it } from 'vitest'
import { type ComparedRun, Spectrum } from '../../../sim/explain/spectrum.ts'

/** A run that goes through these of five sites. */
function run(hasFailed: boolean, isOfPage: boolean, ...sites: readonly number[]): ComparedRun {
  const reached = new Uint8Array(5)
  for (const site of sites) reached[site] = 1
  return { isOfPage, hasFailed, reached, returned: reached }
}

const passes = Array.from({ length: 8 }, () => run(false, false, 0, 1))

describe('the spectrum of runs', () => {
  it('clears code that passing runs go through where every seed of the page fails', () => {
    const spectrum = new Spectrum([run(true, true, 0, 2), run(true, true, 0, 2), ...passes])
    expect(spectrum.ofSite(2)).toBeLessThan(0.5)
    expect(spectrum.ofSite(0)).toBeGreaterThan(3)
    // Neither failing run went through it.
    expect(spectrum.ofSite(1)).toBeGreaterThan(spectrum.ofSite(0))
  })

  it('says little where the page seldom fails, for then the bug seldom shows where it is', () => {
    const spectrum = new Spectrum([...Array.from({ length: 4 }, () => run(false, true, 0, 2)), ...passes])
    expect(spectrum.ofSite(0)).toBeLessThan(1.5)
    expect(spectrum.ofSite(2)).toBeLessThan(spectrum.ofSite(0))
  })

  it('clears code that a failing run of another page does not go through', () => {
    const spectrum = new Spectrum([run(true, true, 2, 3), run(true, false, 2)])
    expect(spectrum.ofSite(3)).toBeGreaterThan(spectrum.ofSite(2) + 3)
  })

  it('says as much of places that return nothing, and nothing without runs', () => {
    expect(new Spectrum([run(true, true, 2), ...passes]).ofReturn(0)).toBeGreaterThan(3)
    expect(new Spectrum([]).ofSite(0)).toBe(0)
  })

  it('compares with the place that fits best, where some runs fail for another reason', () => {
    const strays = Array.from({ length: 4 }, () => run(true, false, 4))
    const runs = [run(true, true, 0, 2), run(true, true, 0, 2), ...strays, ...passes]
    // Without a comparison both are at the bound, and alike.
    expect(new Spectrum(runs).ofSite(2)).toBe(new Spectrum(runs).ofSite(0))
    const spectrum = new Spectrum(runs, [0, 2])
    expect(spectrum.ofSite(2)).toBe(0)
    expect(spectrum.ofSite(0)).toBeGreaterThan(3)
    expect(spectrum.ofReturn(0)).toBe(spectrum.ofSite(0))
  })

  it('stays within a bound however many runs there are', () => {
    const many = Array.from({ length: 400 }, (_, at) => run(at % 2 === 0, at % 4 < 2, 0))
    for (const site of [0, 1]) expect(new Spectrum(many).ofSite(site)).toBeLessThanOrEqual(10)
  })
})
