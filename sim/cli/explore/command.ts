import { ok } from '../../../src/base/result.ts'
import { Ledger } from '../../campaign/ledger.ts'
import { cannotResume, type Manifest, manifestDemands, shareText } from '../../campaign/manifest.ts'
import { countOfShare, type Share, spanText } from '../../campaign/share.ts'
import { runPool } from '../../pool/pool.ts'
import type { SentPage } from '../../pool/warm-worker.ts'
import { WorkerDidNotStart } from '../../pool/warm-worker.ts'
import { cut } from '../../report/seed-record.ts'
import { LineFile, thereAlready } from '../line-file.ts'
import { oneFileTwice } from '../one-file.ts'
import { readPages } from '../pages.ts'
import { Progress } from '../progress.ts'
import { usualStallMs } from '../run-flags.ts'
import { Screen } from '../screen.ts'
import { exits, graver, type SimTerminal } from '../terminal.ts'
import { readForResume } from './campaign-file.ts'
import { Exploration } from './exploration.ts'
import { type ExploreFlags, spanOf } from './flags.ts'
import { GuidedTurns, turnsOf } from './turns.ts'

const whole: Share = { index: 1, of: 1 }

/**
 * `svc-sim explore`: runs seeds over many scenarios, seed by seed; the exit code is that of the campaign's whole file.
 */
export async function explore(files: readonly string[], flags: ExploreFlags, terminal: SimTerminal): Promise<number> {
  const span = spanOf(flags)
  const misuse = typeof span === 'string' ? span : misuseOf(flags)
  if (typeof span === 'string' || misuse !== undefined) return refused(terminal, misuse ?? '')
  const inputs = files.map((file) => ({ as: 'the scenario', file }))
  const overwriting = await oneFileTwice(terminal.disk, inputs, [{ as: '--jsonl', file: flags.jsonl }])
  if (overwriting !== undefined) return refused(terminal, overwriting)
  const pages = await readPages(files.length === 0 ? terminal.shippedScenarios() : files, flags, terminal)
  if (pages === undefined) return exits.usage
  const twice = twiceIn(pages)
  if (twice !== undefined) return refused(terminal, twice)
  const platform = terminal.createPlatform()
  const { sha256 } = platform
  try {
    const manifest = manifestOf(pages, span, flags, terminal)
    const ledger = new Ledger({ scenarios: manifest.scenarios, sha256 })
    const lines = await openLines(manifest, ledger, flags, terminal)
    if (typeof lines === 'string') return refused(terminal, lines)
    return await exploreWith({ pages, manifest, ledger, lines: lines.file, before: lines.before }, flags, terminal)
  } finally {
    platform.close()
  }
}

function refused({ error }: SimTerminal, why: string): number {
  if (why !== '') error(`${why}\n`)
  return exits.usage
}

function misuseOf({ resume, jsonl }: ExploreFlags): string | undefined {
  return resume === true && jsonl === undefined ? '--resume goes on with a file: name it with --jsonl' : undefined
}

/** One page under two names would be one scenario with twice its seeds. */
function twiceIn(pages: readonly SentPage[]): string | undefined {
  const files = new Map<string, string>()
  for (const { hash, loaded } of pages) {
    const before = files.get(hash)
    if (before !== undefined) return `${before} and ${loaded.file} say the same: name one of them`
    files.set(hash, loaded.file)
  }
  return undefined
}

function manifestOf(
  pages: readonly SentPage[],
  { first, last }: { readonly first: number; readonly last?: number | undefined },
  { shard = whole, commit, verify = false, demands = true, guided = false, steps }: ExploreFlags,
  terminal: SimTerminal,
): Manifest {
  const scenarios = pages.map(({ hash: page, loaded: { file, scenario } }) => {
    return { scenario: cut(scenario.scenario), file, page, ...manifestDemands(scenario.demands) }
  })
  return {
    format: 'svc-campaign',
    version: 1,
    program: terminal.version,
    build: terminal.buildHash(),
    scenarios,
    seeds: { first, ...(last === undefined ? {} : { last }) },
    shard,
    ...(commit === undefined ? {} : { commit }),
    flags: { verify, demands, ...(guided ? { guided } : {}), ...(steps === undefined ? {} : { steps }) },
  }
}

interface OpenLines {
  readonly file: LineFile | undefined
  /** Number of runs that were in the file before. */
  readonly before: number
}

/** The campaign's file, with its manifest in it; a text says why it cannot be used. */
async function openLines(
  manifest: Manifest,
  ledger: Ledger,
  { jsonl, resume = false }: ExploreFlags,
  terminal: SimTerminal,
): Promise<OpenLines | string> {
  if (jsonl === undefined) return { file: undefined, before: 0 }
  const read = resume
    ? await readForResume(terminal, jsonl, {
        manifest: (before) => wrongToResume(before, manifest),
        record: (record) =>
          ledger.take(record).arrival === 'no room' ? 'more seeds than a campaign can have' : undefined,
      })
    : ((await thereAlready(terminal, jsonl)) ?? ok(undefined))
  if (typeof read === 'string') return read
  if (!read.ok) return read.error
  const { wholeBytes = 0, tornBytes = 0, isEmpty = true } = read.value ?? {}
  if (tornBytes > 0) terminal.error(`${jsonl}: its last line was torn (${tornBytes} bytes), and is written again\n`)
  const file = await LineFile.create(terminal, jsonl, wholeBytes)
  if (file === undefined) return ''
  if (isEmpty) file.add(JSON.stringify(manifest))
  return { file, before: ledger.runs }
}

function wrongToResume(before: Manifest, manifest: Manifest): string | undefined {
  const why = cannotResume(before, manifest)
  return why === undefined
    ? undefined
    : `another campaign: ${why}: name another file, or repeat the command that wrote it`
}

interface Prepared {
  readonly pages: readonly SentPage[]
  readonly manifest: Manifest
  readonly ledger: Ledger
  readonly lines: LineFile | undefined
  readonly before: number
}

async function exploreWith(prepared: Prepared, flags: ExploreFlags, terminal: SimTerminal): Promise<number> {
  const { pages, manifest, ledger, lines, before } = prepared
  const { jobs = terminal.cores, stall = usualStallMs, verify = false, steps, time, guided = false } = flags
  const total = pages.length * countOfShare(manifest.seeds, manifest.shard)
  const count = total - before
  const progress = new Progress(guided ? Number.POSITIVE_INFINITY : count, terminal.wallMs, time)
  const screen = new Screen(terminal, () => progress.text())
  const { seeds, shard } = manifest
  const resumed = before === 0 ? '' : `, ${before} runs are in ${flags.jsonl}`
  const scenarios = pages.length === 1 ? '1 scenario' : `${pages.length} scenarios`
  screen.line(
    `${scenarios}, seeds ${spanText(seeds)}, shard ${shareText(shard)}, build ${manifest.build.slice(0, 16)}${resumed}`,
  )
  const exploration = new Exploration({ manifest, ledger, lines, screen, progress, flags, terminal })
  const startedMs = terminal.wallMs()
  const isOver = (): boolean => time !== undefined && terminal.wallMs() - startedMs >= time
  const asked = { pages, manifest, ledger, count, isOver }
  const guide = guided ? new GuidedTurns(asked) : undefined
  let isCutShort = false
  try {
    await runPool({
      pages,
      turns: guide ?? turnsOf(asked),
      // A worker that has a batch finishes it when the time is over.
      ...(time === undefined ? {} : { batchMax: 1 }),
      jobs,
      verify,
      untilFailure: false,
      confirm: true,
      searchStepsMax: steps,
      startWorker: () => terminal.startWorker(stall),
      onRecord: (record) => {
        exploration.take(record)
        guide?.took(record)
      },
      onJudged: (record) => progress.judged(record),
    })
  } catch (cause) {
    if (!(cause instanceof WorkerDidNotStart)) throw cause
    screen.note(cause.message)
    isCutShort = true
  }
  screen.close()
  const exit = exploration.end(isCutShort)
  const problem = await lines?.end()
  if (problem !== undefined) terminal.error(`${problem}\n`)
  return problem === undefined ? exit : graver(exit, exits.usage)
}
