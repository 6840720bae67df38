import { describe, expect, it } from 'vitest'
import type { NamedMutant } from '../../../sim/mutation/build.ts'
import type { MutantLine, TestedLine, TestFileLine } from '../../../sim/mutation/lines.ts'
import { testedTable } from '../../../sim/mutation/score.ts'
import { judgeByTests, type TestsEnd } from '../../../sim/mutation/tested.ts'

function mutant(number: number, site: number, isStatic = false): NamedMutant {
  const at = { line: 0, column: 0 }
  const named = { id: `m${number}`, room: 'src/raft', place: `src/raft/a.ts:${number}:1` }
  const change = { operator: 'boolean', before: 'true', after: 'false' } as const
  return { number, site, file: 'src/raft/a.js', at, ...change, isStatic, ...named }
}

const all = [mutant(1, 0), mutant(2, 1), mutant(3, 2), mutant(4, 3, true), mutant(5, 4)]

function testFile(file: string, ms: number, reached: string, isSound = true): TestFileLine {
  return { kind: 'test file', file, hash: 'ab', ms, isSound, reached }
}

const files = [
  testFile('far.test.ts', 900, '0'),
  testFile('about.test.ts', 300, '0-2'),
  testFile('broken.test.ts', 1, '0-2', false),
  testFile('slow.test.ts', 9_000, '2'),
]

interface Asked {
  readonly files: readonly string[]
  readonly mutant: number
  readonly withinMs: number
}

const failed = (file: string): TestsEnd => ({ kind: 'failed', file, test: 'adds', message: 'expected 1 to be 2' })

async function judged(mutants: readonly NamedMutant[], ends: (asked: Asked, nth: number) => TestsEnd) {
  const asked: Asked[] = []
  const lines: TestedLine[] = []
  const bench = {
    run: async (names: readonly string[], number: number, withinMs: number) => {
      asked.push({ files: names, mutant: number, withinMs })
      return ends(asked.at(-1) as Asked, asked.length)
    },
  }
  const onTested = (line: TestedLine): void => void lines.push(line)
  await judgeByTests({ bench, mutants, all, sites: 5, files, budgetMs: 1_000, jobs: 1, onTested })
  return { asked, lines }
}

describe('mutants that no run kills', () => {
  it('are judged by the tests that reach them, the most about their module first, within the budget', async () => {
    const { asked, lines } = await judged([mutant(1, 0)], () => ({ kind: 'passed' }))
    // 900 ms more would be too much, and a file that fails without a mutant judges none.
    expect(asked).toEqual([{ files: ['about.test.ts'], mutant: 1, withinMs: 123_000 }])
    expect(lines).toEqual([{ kind: 'tested', id: 'm1', fate: 'unseen', reaching: 2, tried: 1 }])
  })

  it('have the first file in any case, however slow, and none if none reaches them', async () => {
    const onlySlow = files.filter(({ file }) => file === 'slow.test.ts')
    const lines: TestedLine[] = []
    const bench = { run: async (): Promise<TestsEnd> => ({ kind: 'passed' }) }
    const mutants = [mutant(3, 2), mutant(2, 1)]
    const onTested = (line: TestedLine): void => void lines.push(line)
    await judgeByTests({ bench, mutants, all, sites: 5, files: onlySlow, budgetMs: 1, jobs: 2, onTested })
    expect(lines.map(({ id, fate, tried }) => [id, fate, tried])).toEqual(
      expect.arrayContaining([
        ['m3', 'unseen', 1],
        ['m2', 'not reached', 0],
      ]),
    )
  })

  it('are killed by a file that fails twice, and not by one that fails once', async () => {
    const both = await judged([mutant(2, 1)], () => failed('about.test.ts'))
    expect(both.lines).toEqual([
      expect.objectContaining({ fate: 'killed', test: 'about.test.ts: adds', message: 'expected 1 to be 2' }),
    ])
    expect(both.asked).toHaveLength(2)
    const once = await judged([mutant(2, 1)], (_, nth) => (nth === 1 ? failed('about.test.ts') : { kind: 'passed' }))
    expect(once.lines).toEqual([expect.objectContaining({ fate: 'unseen' })])
  })

  it('are killed when the tests do not end, or the process ends without them', async () => {
    const overdue = await judged([mutant(2, 1)], () => ({ kind: 'overdue' }))
    expect(overdue.lines).toEqual([expect.objectContaining({ fate: 'killed', message: 'the tests did not end' })])
    const crashed = await judged([mutant(2, 1)], () => ({ kind: 'crashed', message: 'out of memory' }))
    expect(crashed.lines).toEqual([expect.objectContaining({ fate: 'killed', message: 'out of memory' })])
  })

  it('that take effect when their module is loaded are judged by what reaches a function of it', async () => {
    const { lines } = await judged([mutant(4, 3, true)], () => ({ kind: 'passed' }))
    expect(lines).toEqual([expect.objectContaining({ id: 'm4', reaching: 3 })])
  })

  it('are counted apart from what runs kill', () => {
    const line = (id: string, fate: MutantLine['fate']): MutantLine => ({
      ...{ kind: 'mutant', id, room: 'src/raft', place: 'a', operator: 'boolean', before: '', after: '' },
      ...{ isStatic: false, fate, reaching: 1, telling: 1, tried: 1, differed: 0, judges: [], cpuMs: 1 },
    })
    const tested = (id: string, fate: TestedLine['fate']): TestedLine => {
      return { kind: 'tested', id, fate, reaching: 1, tried: 1 }
    }
    const lines = [line('a', 'killed'), line('b', 'unseen'), line('c', 'not reached'), line('d', 'not reached')]
    const told = testedTable(lines, [tested('b', 'killed'), tested('c', 'unseen'), tested('d', 'not reached')])
    expect(told.slice(2)).toEqual([
      expect.stringMatching(/^\| src\/raft \|\s+4 \|\s+3 \|\s+1 \|\s+1 \|\s+1 \|\s+67 % \|$/),
    ])
  })
})
