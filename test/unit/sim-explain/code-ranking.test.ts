import { describe, expect, it } from 'vitest'
import { type Candidate, candidatesOf, nothingsOf, type Watched } from '../../../sim/explain/code-candidates.ts'
import { rankedCode } from '../../../sim/explain/code-ranking.ts'
import { Spectrum } from '../../../sim/explain/spectrum.ts'
import type { NamedMutant } from '../../../sim/mutation/build.ts'

function mutant(number: number, site: number, file: string, operator: NamedMutant['operator']): NamedMutant {
  const at = { line: site, column: 0 }
  return {
    number,
    site,
    file,
    at,
    operator,
    before: 'a',
    after: 'b',
    isStatic: false,
    id: '',
    room: 'src',
    place: `${file}:${site + 1}:1`,
  }
}

/** Sites 0 to 3: near and seldom, near and often, far, and of what the simulator runs, too. */
const watched: Watched = {
  mutants: [
    mutant(1, 0, 'src/raft/a.js', 'doubled'),
    mutant(2, 0, 'src/raft/a.js', 'equality'),
    mutant(3, 1, 'src/raft/b.js', 'boolean'),
    mutant(4, 2, 'src/kv/c.js', 'boolean'),
    mutant(5, 3, 'src/base/d.js', 'boolean'),
    mutant(6, 9, 'src/raft/e.js', 'boolean'),
  ],
  sites: [
    { site: 0, turns: 1, from: 80, until: 80, near: 0, first: 80, last: 80 },
    { site: 1, turns: 60, from: 20, until: 80, near: 0, first: 20, last: 80 },
    { site: 2, turns: 1, from: 10, until: 10 },
    { site: 3, turns: 1, from: 80, until: 80, near: 0, first: 80, last: 80 },
  ],
  arrows: [1, 4],
  ends: new Set(),
  rooms: ['src/raft'],
  returns: [
    { number: 0, file: 'src/kv/c.js', at: { line: 4, column: 0 }, place: 'src/kv/c.js:5:1', isPromised: false },
  ],
  returned: [{ place: 0, turns: 1, near: 0, order: 8 }],
  spectrum: new Spectrum([]),
  isTimeless: false,
}

/** Each site is a function of its own. */
const bySite = (_: string, { line }: NamedMutant['at']) => ({ name: `f${line}`, first: line, last: line })

describe('changes of the code', () => {
  it('are tried where the failure is near and the code seldom runs, the likeliest kinds first', () => {
    const tried = candidatesOf(watched, bySite).map(({ mutant: { number }, turns: { first } }) => [number, first])
    expect(tried).toEqual([
      [2, 80],
      [3, 80],
      [1, 80],
      [3, 20],
      [4, 10],
    ])
  })

  it('are tried early where a function computed a value and did not return it', () => {
    const returned = mutant(7, 1, 'src/raft/b.js', 'return-local')
    const tried = candidatesOf({ ...watched, mutants: [...watched.mutants, returned] }, bySite)
    // The other change of that place comes later, as code that runs often does.
    expect(tried.slice(0, 3).map(({ mutant: { number } }) => number)).toEqual([7, 2, 7])
  })

  it('take turns with those of other functions that are a little less likely', () => {
    const sites = [0, 1, 2, 3].map((site) => ({ site, turns: site === 3 ? 2 : 1, from: 80, until: 80, near: 0 }))
    const mutants = [0, 1, 2, 3].map((site) => mutant(site + 1, site, 'src/raft/a.js', 'equality'))
    const inOne = (_: string, { line }: NamedMutant['at']) => ({ name: 'f', first: line === 3 ? 1 : 0, last: 9 })
    const order = (functionAt: typeof bySite) =>
      candidatesOf({ ...watched, mutants, sites }, functionAt).map(({ mutant: { number } }) => number)
    expect(order(bySite)).toEqual([1, 2, 3, 4])
    expect(order(inOne)).toEqual([1, 4, 2, 3])
  })

  it('are tried before those that led to it from afar where they first ran in the step that failed', () => {
    const sites = watched.sites.map((site) => (site.site === 2 ? { ...site, from: 10, isNew: true as const } : site))
    const costOf = ({ sites: of }: Pick<Watched, 'sites'>): number =>
      candidatesOf({ ...watched, sites: of }, bySite).find(({ mutant: { number } }) => number === 4)?.cost ?? 0
    expect(costOf({ sites })).toBeLessThan(costOf(watched) - 3)
  })

  it('are in effect since the step began that failed, before other times', () => {
    const sites = watched.sites.map((site) => (site.site === 1 ? { ...site, again: 40 } : site))
    const begins = candidatesOf({ ...watched, sites }, bySite)
      .filter(({ mutant: { number } }) => number === 3)
      .map(({ turns: { first } }) => first)
    expect(begins).toEqual([40, 80, 20])
  })

  it('are tried in seldom run code first, whenever it ran, where something never happened', () => {
    const tried = candidatesOf({ ...watched, rooms: [], isTimeless: true }, bySite).map(
      ({ mutant: { number } }) => number,
    )
    expect(tried.indexOf(4)).toBeLessThan(tried.indexOf(3))
  })

  it('are tried late in code that runs that pass go through, too', () => {
    const bytes = (...sites: readonly number[]): Uint8Array => Uint8Array.from(sites)
    const runs = [
      { isOfPage: true, hasFailed: true, reached: bytes(1, 1, 1, 1), returned: bytes(1) },
      ...Array.from({ length: 6 }, () => ({
        ...{ isOfPage: false, hasFailed: false, reached: bytes(1, 0, 1, 1), returned: bytes(1) },
      })),
    ]
    const compared = { ...watched, spectrum: new Spectrum(runs) }
    expect(candidatesOf(compared, bySite)[0]?.mutant.number).toBe(3)
    // Where a question was last seen that got no answer, such runs say nothing.
    expect(candidatesOf({ ...compared, ends: new Set([0]) }, bySite)[0]?.mutant.number).toBe(2)
    expect(nothingsOf(compared)[0]?.cost).toBeGreaterThan((nothingsOf(watched)[0]?.cost ?? 0) + 3)
  })

  it('come behind a function that returned nothing although it says by its type that it does not', () => {
    const candidates = candidatesOf(watched, bySite)
    const trials = candidates.map((candidate) => ({ candidate, outcome: 'cured' as const, undone: [] }))
    const returns = watched.returns.map((each) => ({ ...each, isPromised: true }))
    const nothings = nothingsOf({ ...watched, returns })
    const ranked = rankedCode({
      trials,
      candidates,
      isMissing: false,
      nothings,
      clues: [],
      functionAt: () => undefined,
    })
    expect(ranked[0]).toMatchObject({ file: 'src/kv/c.js', reason: 'nothing' })
  })

  it('come behind the code that would have reported what the page demands, and before what lies about', () => {
    const candidates = candidatesOf(watched, bySite)
    const trials = candidates.map((candidate) => ({ candidate, outcome: 'same' as const, undone: [] }))
    const clue = { file: 'src/kv/c.js', at: { line: 4, column: 0 }, place: 'src/kv/c.js:5:1', text: 'it goes on' }
    const reasonsOf = (kind: 'said' | 'unsaid', cost: number): readonly unknown[] => {
      const asked = { trials, candidates, isMissing: true, nothings: nothingsOf(watched), functionAt: () => undefined }
      return rankedCode({ ...asked, clues: [{ ...clue, kind, cost }] }).map(({ reason }) => reason)
    }
    expect(reasonsOf('unsaid', 0)[0]).toBe('unsaid')
    expect(reasonsOf('said', 40)).not.toContain('said')
  })

  it('are worth less where the run passes because laws have hardly anything to judge', () => {
    const [one, , other] = candidatesOf(watched, bySite) as [Candidate, Candidate, Candidate]
    const alike = [one, other].map((candidate) => ({ ...candidate, cost: 1 }))
    const undone = ['R1', 'R4'].map((law) => ({ law, facts: 1, before: 20 }))
    const firstOf = (idle: number, held?: number): unknown => {
      const trials = alike.map((candidate, at) => ({
        ...{ candidate, outcome: 'cured' as const, undone: at === idle ? undone : [] },
        ...(held === undefined ? {} : { holds: at === held }),
      }))
      const functionAt = bySite
      const asked = { trials, candidates: [], isMissing: false, nothings: [], clues: [], functionAt }
      return rankedCode(asked)[0]
    }
    const [ofOne, ofOther] = alike.map(({ mutant: { place } }) => place)
    expect(firstOf(0)).toMatchObject({ places: [ofOther], undone: [] })
    expect(firstOf(1)).toMatchObject({ places: [ofOne] })
    // The program does not work with the other one at all.
    expect(firstOf(2, 1)).toMatchObject({ places: [ofOther] })
    expect(firstOf(2, 0)).toMatchObject({ places: [ofOne] })
  })

  it('are named as the last to run for a question without an answer unless they cure', () => {
    const candidates = candidatesOf({ ...watched, ends: new Set([0]) }, bySite)
    const reasons = (outcome: 'cured' | 'same'): readonly unknown[] => {
      const trials = candidates.slice(0, 1).map((candidate) => ({ candidate, outcome, undone: [] }))
      const asked = { trials, candidates, isMissing: false, nothings: [], clues: [], functionAt: bySite }
      return rankedCode(asked).map(({ file, reason }) => [file, reason])
    }
    expect(reasons('same')).toEqual([
      ['src/raft/a.js', 'last'],
      ['src/raft/b.js', 'last'],
      ['src/kv/c.js', 'near'],
    ])
    expect(reasons('cured').slice(0, 2)).toEqual([
      ['src/raft/a.js', 'cures'],
      ['src/raft/b.js', 'last'],
    ])
  })

  it('come behind those of the function that called theirs, where both were the last to run', () => {
    const calling = watched.mutants.map((each) => (each.site === 1 ? { ...each, before: 'f0(a)' } : each))
    const filesOf = (mutants: Watched['mutants']): readonly unknown[] => {
      const candidates = candidatesOf({ ...watched, mutants, ends: new Set([0]) }, bySite)
      // Both run as often, so that the call alone makes a difference.
      const alike = candidates.map((each) => ({ ...each, cost: 1 }))
      const asked = { trials: [], candidates: alike, isMissing: false, nothings: [], clues: [], functionAt: bySite }
      return rankedCode(asked).map(({ file }) => file)
    }
    expect(filesOf(watched.mutants).slice(0, 2)).toEqual(['src/raft/a.js', 'src/raft/b.js'])
    expect(filesOf(calling).slice(0, 2)).toEqual(['src/raft/b.js', 'src/raft/a.js'])
  })

  it('name the function first in which most of them make the run pass, and then what is near', () => {
    const candidates = candidatesOf(watched, bySite)
    const outcomeOf = ({ mutant: { number } }: Candidate) => (number === 3 ? ('cured' as const) : ('same' as const))
    const trials = candidates.map((candidate) => ({ candidate, outcome: outcomeOf(candidate), undone: [] }))
    const asked = { trials, candidates, nothings: nothingsOf(watched), clues: [], functionAt: () => undefined }
    const named = (isMissing: boolean): readonly (readonly string[])[] =>
      rankedCode({ ...asked, isMissing }).map(({ file, reason }) => [file, reason])
    expect(named(false)).toEqual([
      ['src/raft/b.js', 'cures'],
      ['src/raft/a.js', 'near'],
      ['src/kv/c.js', 'nothing'],
    ])
    expect(named(true)[0]).toEqual(['src/kv/c.js', 'nothing'])
  })
})
