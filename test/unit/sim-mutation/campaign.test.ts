import { describe, expect, it } from 'vitest'
import type { NamedMutant } from '../../../sim/mutation/build.ts'
import { type CampaignOptions, runCampaign } from '../../../sim/mutation/campaign.ts'
import { type Program, scenarioJudge } from '../../../sim/mutation/jury.ts'
import type { MutantLine, RunLine } from '../../../sim/mutation/lines.ts'
import { bytesOfRanges, rangesText } from '../../../sim/mutation/ranges.ts'
import { scores, scoreTable, survivorTable } from '../../../sim/mutation/score.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { requestSchema } from '../../../sim/pool/messages.ts'
import { pageOf } from '../../../sim/pool/seed-runs.ts'
import { type SentPage, sentPage } from '../../../sim/pool/warm-worker.ts'
import type { Worker, WorkerSaid } from '../../../sim/pool/worker.ts'
import { withoutRun } from '../../../sim/report/seed-record.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'

function pageNamed(file: string): SentPage {
  const text = 'scenario: One\ncluster: { dc1: { servers: { count: 1 } } }\nlasts: 1s\n'
  const loaded = loadScenario(file, text)
  if (!loaded.ok) throw new Error('the page does not load')
  const platform = createPlatform()
  const page = sentPage(pageOf(loaded.value, platform), text, true)
  platform.close()
  return page
}

/** What a run comes to: its trace, or the way it fails. */
type Ends = 'a' | 'b' | 'fails' | 'dies' | 'hangs'

interface Script {
  /** `file`, mutant, and mutants that were on before in the same process. */
  readonly ends: (file: string, mutant: number, before: readonly number[]) => Ends
  /** By file. */
  readonly cpuMs: Readonly<Record<string, number>>
  readonly reached: Readonly<Record<string, string>>
}

/** A program whose workers do by script what they are asked for; `asked` has it in order. */
function scripted({ ends, cpuMs, reached }: Script): { readonly program: Program; readonly asked: readonly string[] } {
  const asked: string[] = []
  const start = (alone: number | undefined): Worker => {
    const said: WorkerSaid[] = [{ line: JSON.stringify({ kind: 'ready' }) }]
    const files: string[] = []
    const before: number[] = []
    return {
      send: (line) => {
        const request = requestSchema.parse(JSON.parse(line))
        if (request.kind === 'page') return void files.push(request.file)
        const { seed, mutant = 0 } = request
        const file = files[request.page] ?? ''
        asked.push(`${alone === undefined ? '' : 'alone '}${file} ${mutant}`)
        said.push({ line: JSON.stringify({ kind: 'begun', page: request.page, seed }) })
        const end = ends(file, mutant, before)
        if (mutant > 0) before.push(mutant)
        if (end === 'hangs') {
          const stuck = { kind: 'stuck', cpuMs: 9_000, wallMs: 9_000, virtualUs: 1, stack: ['spin (a.js:1:1)'] }
          said.push({ line: JSON.stringify(stuck) })
        }
        if (end === 'hangs' || end === 'dies') {
          said.push({ end: { code: undefined, signal: 'SIGKILL', errors: 'RangeError: too deep' } })
          return
        }
        const of = { scenario: 'One', file, page: 'ab'.repeat(32), seed }
        const record = withoutRun(of, end === 'fails' ? 'failed' : 'passed', [], { wallMs: 0, cpuMs: cpuMs[file] ?? 0 })
        const failures = end === 'fails' ? [{ code: 'R1', place: 'R1 (it)', message: 'is broken', atUs: 0 }] : []
        const trace = (end === 'a' ? 'a' : 'b').repeat(64)
        const covered = mutant === 0 ? { reached: reached[file] ?? '', loaded: '9' } : {}
        const ended = { kind: 'ended', record: { ...record, failures, trace }, runsBefore: 0, ...covered }
        said.push({ line: JSON.stringify(ended) })
      },
      next: async () => said.shift() ?? { end: { code: 0, signal: undefined, errors: '' } },
      kill: () => undefined,
    }
  }
  return { program: { start }, asked }
}

function mutant(number: number, site: number, isStatic = false): NamedMutant {
  const at = { line: 0, column: 0 }
  const named = { id: `m${number}`, room: 'src/raft', place: `src/raft/a.ts:${number}:1` }
  return {
    number,
    site,
    file: 'src/raft/a.js',
    at,
    operator: 'boolean',
    before: 'true',
    after: 'false',
    isStatic,
    ...named,
  }
}

async function campaign(script: Script, mutants: readonly NamedMutant[], options: Partial<CampaignOptions> = {}) {
  const { program, asked } = scripted(script)
  const lines: MutantLine[] = []
  const runs: RunLine[] = []
  const notes: string[] = []
  await runCampaign({
    judges: Object.keys(script.cpuMs).map((file) =>
      scenarioJudge(file, program, pageNamed(file), { first: 1, last: 1 }),
    ),
    mutants,
    all: mutants,
    sites: 10,
    budgetMs: 1_000,
    jobs: 1,
    known: [],
    onRun: (line) => void runs.push(line),
    onMutant: (line) => void lines.push(line),
    note: (text) => void notes.push(text),
    ...options,
  })
  return { asked, lines, runs, notes }
}

const cpuMs = { 'dear.yaml': 600, 'cheap.yaml': 100, 'middle.yaml': 500 }
const reached = { 'dear.yaml': '0-3', 'cheap.yaml': '0,2', 'middle.yaml': '0-2' }
const never = (): Ends => 'a'

describe('a campaign of mutants', () => {
  it('tries the cheapest run for its share of the file first, and stops at the budget', async () => {
    const { asked, lines } = await campaign({ ends: never, cpuMs, reached }, [mutant(1, 0), mutant(2, 3), mutant(3, 7)])
    expect(asked.slice(3, -1)).toEqual(['cheap.yaml 1', 'dear.yaml 1', 'middle.yaml 1', 'dear.yaml 2'])
    expect(lines).toMatchObject([
      { id: 'm1', fate: 'same trace', reaching: 3, tried: 3, cpuMs: 1_200 },
      { id: 'm2', fate: 'same trace', reaching: 1, tried: 1 },
      { id: 'm3', fate: 'not reached', reaching: 0, tried: 0 },
    ])
    const short = await campaign({ ends: never, cpuMs, reached }, [mutant(1, 0)], { budgetMs: 400 })
    expect(short.lines).toMatchObject([{ tried: 2, cpuMs: 600 }])
  })

  it('begins where the change makes a difference, and leaves out where it certainly makes none', async () => {
    const of = { split: 'truth', half: 1, text: 'a' } as const
    const likely = { ...mutant(1, 0), effect: { ...of, site: 1, isCertain: false } }
    const certain = { ...mutant(2, 0), effect: { ...of, site: 3, isCertain: true } }
    const idle = { ...mutant(3, 0), effect: { ...of, site: 8, isCertain: true } }
    const { asked, lines } = await campaign({ ends: never, cpuMs, reached }, [likely, certain, idle], {
      budgetMs: 2_000,
    })
    expect(asked.slice(3, -1)).toEqual(['middle.yaml 1', 'dear.yaml 1', 'cheap.yaml 1', 'dear.yaml 2'])
    expect(lines).toMatchObject([
      { fate: 'same trace', reaching: 3, telling: 3, tried: 3 },
      { fate: 'same trace', reaching: 3, telling: 1, tried: 1 },
      { fate: 'same trace', reaching: 3, telling: 0, tried: 0 },
    ])
    expect(survivorTable(lines, undefined).slice(2)).toEqual([
      expect.not.stringContaining('without effect'),
      expect.stringContaining('| dear.yaml; without effect in 2 runs |'),
      expect.stringContaining('| without effect in 3 runs |'),
    ])
  })

  it.each<[Ends, object]>([
    ['fails', { fate: 'killed', killer: 'law', law: 'R1', judge: 'middle.yaml', tried: 2 }],
    ['dies', { fate: 'killed', killer: 'crash', judge: 'middle.yaml', message: expect.stringContaining('RangeError') }],
    ['hangs', { fate: 'killed', killer: 'time', message: expect.stringContaining('spin (a.js:1:1)') }],
    ['b', { fate: 'unseen', tried: 3, differed: 1 }],
  ])('a run that %s', async (end, expected) => {
    const ends: Script['ends'] = (file, number) => (number === 1 && file === 'middle.yaml' ? end : 'a')
    const { lines } = await campaign({ ends, cpuMs, reached }, [mutant(1, 0)])
    expect(lines).toMatchObject([expected])
  })

  it('gives what takes effect at loading a process of its own', async () => {
    const { asked, lines } = await campaign({ ends: never, cpuMs, reached }, [
      mutant(1, 0, true),
      mutant(2, 9),
      mutant(3, 1),
    ])
    expect(asked.filter((one) => one.startsWith('alone '))).toEqual([
      ...['cheap.yaml 1', 'middle.yaml 1', 'dear.yaml 1'].map((one) => `alone ${one}`).slice(1),
      ...['middle.yaml 2', 'dear.yaml 2'].map((one) => `alone ${one}`),
    ])
    expect(lines).toHaveLength(3)
  })

  it('judges again, each in a process of its own, what a worker judged that a mutant had spoilt', async () => {
    const ends: Script['ends'] = (_, number, before) => (before.includes(1) && number !== 1 ? 'b' : 'a')
    const { asked, lines, notes } = await campaign({ ends, cpuMs, reached }, [mutant(1, 3), mutant(2, 3)])
    expect(asked.slice(3)).toEqual([
      'dear.yaml 1',
      'dear.yaml 2',
      'cheap.yaml 0',
      'alone dear.yaml 1',
      'alone dear.yaml 2',
    ])
    expect(lines.map(({ fate }) => fate)).toEqual(['same trace', 'same trace'])
    expect(notes).toEqual(['a mutant changed state that outlives its run: 2 mutants are judged again'])
  })

  it('tries no mutant where the program does not pass by itself, and makes no known run again', async () => {
    const ends: Script['ends'] = (file) => (file === 'cheap.yaml' ? 'fails' : 'a')
    const first = await campaign({ ends, cpuMs, reached }, [mutant(1, 0)])
    expect(first.notes).toEqual(['cheap.yaml does not pass with seed 1: no mutant is tried there'])
    expect(first.lines).toMatchObject([{ judges: ['middle.yaml', 'dear.yaml'] }])
    const again = await campaign({ ends, cpuMs, reached }, [mutant(1, 0)], { known: first.runs })
    expect(again.asked.slice(0, -1)).toEqual(['middle.yaml 1', 'dear.yaml 1'])
    expect(again.lines).toEqual(first.lines)
  })

  it('counts each room, and all of them', async () => {
    const { lines } = await campaign({ ends: never, cpuMs, reached }, [mutant(1, 0), mutant(3, 7)])
    const other: MutantLine = { ...(lines[0] as MutantLine), room: 'src/store', fate: 'killed', killer: 'time' }
    const table = scoreTable(scores([...lines, other]))
    expect(
      table
        .map((line) => line.split('|').map((cell) => cell.trim()))
        .map((cells) => [cells[1], cells[2], cells[3], cells.at(-2)]),
    ).toEqual([
      ['room', 'sampled', 'reached', 'score'],
      expect.anything(),
      ['src/raft', '2', '1', '0 %'],
      ['src/store', '1', '1', '100 %'],
      ['all rooms', '3', '2', '50 %'],
    ])
  })
})

describe('the table of survivors', () => {
  it('has those that were reached first, and what could break it in code', async () => {
    const { lines } = await campaign({ ends: never, cpuMs, reached }, [mutant(3, 7), mutant(1, 0)])
    const odd = lines.map((line) => ({ ...line, before: 'a ||\n  b', after: '' }))
    expect(survivorTable(odd, undefined).slice(2)).toEqual([
      '| src/raft/a.ts:1:1 | boolean: `a \\|\\| b` → nothing | same trace | cheap.yaml, middle.yaml and 1 more runs |',
      '| src/raft/a.ts:3:1 | boolean: `a \\|\\| b` → nothing | not reached |  |',
    ])
  })
})

describe('ranges of sites', () => {
  it.each(['', '0', '0-2,4', '3-9', '0-9', '1,3,5,9'])('%s', (text) => {
    expect(rangesText(bytesOfRanges(text, 10))).toBe(text)
  })
})
