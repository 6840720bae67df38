import { runCampaign } from './campaign.ts'
import { readDecisions } from './decisions.ts'
import { oneFileTwice } from './one-file.ts'
import { readPages } from './pages.ts'
import type { RunFlags } from './run-flags.ts'
import { runOne } from './single-run.ts'
import { exits, type SimTerminal } from './terminal.ts'

/** The seed of a run for which none is given: always the same, so that the same command gives the same run. */
const defaultSeed = 1

/** A suite of JUnit's says first how many cases it has: it is kept until its last seed. */
const junitSeedsMax = 100_000

/** `svc-sim run`: every file with every seed; the exit code is that of the worst run. */
export async function runFiles(files: readonly string[], flags: RunFlags, terminal: SimTerminal): Promise<number> {
  const misuse = misuseOf(files, flags) ?? (await overwriting(files, flags, terminal))
  if (misuse !== undefined) {
    terminal.error(`${misuse}\n`)
    return exits.usage
  }
  const pages = await readPages(files, flags, terminal)
  const [only] = pages ?? []
  if (pages === undefined || only === undefined) return exits.usage
  const list =
    flags.replay === undefined ? undefined : await readDecisions(terminal, flags.replay, only.loaded, flags.seed)
  if (list?.ok === false) {
    for (const line of list.error) terminal.error(`${line}\n`)
    return exits.usage
  }
  const single = flags.seed ?? list?.value.seed ?? defaultSeed
  if (flags.seeds === undefined && pages.length === 1) {
    return runOne({ page: only, seed: single, forks: flags.fork }, list?.value, flags, terminal)
  }
  return runCampaign(pages, flags.seeds ?? { first: single, last: single }, flags, terminal)
}

/** Scenarios may be given twice; what is written may be neither read nor written by another name. */
function overwriting(files: readonly string[], flags: RunFlags, { disk }: SimTerminal): Promise<string | undefined> {
  const { trace, traceText, history, decisions, jsonl, junit, replay } = flags
  const inputs = [
    ...files.map((file) => ({ as: 'the scenario', file })),
    { as: 'the decisions of --replay', file: replay },
  ]
  const outputs = [
    { as: '--trace', file: trace },
    { as: '--trace-text', file: traceText },
    { as: '--history', file: history },
    { as: '--decisions', file: decisions },
    { as: '--jsonl', file: jsonl },
    { as: '--junit', file: junit },
  ]
  return oneFileTwice(disk, inputs, outputs)
}

function misuseOf(files: readonly string[], flags: RunFlags): string | undefined {
  if (flags.seed !== undefined && flags.seeds !== undefined) return 'give either --seed or --seeds'
  const many = flags.seeds !== undefined || files.length > 1
  if (many && (flags.trace ?? flags.traceText) !== undefined)
    return '--trace writes one run: give one scenario and one --seed'
  if (many && flags.history !== undefined) return '--history writes one run: give one scenario and one --seed'
  if (many && flags.decisions !== undefined) return '--decisions writes one run: give one scenario and one --seed'
  if (many && flags.fork !== undefined) return '--fork is of one run: give one scenario and one --seed'
  const list = flags.replay ?? flags.decisions
  if (list !== undefined && flags.fork !== undefined) return 'a list of decisions has no forks: leave out --fork'
  if (many && flags.replay !== undefined) return '--replay is one run: give its scenario alone'
  if (flags.junit !== undefined && seedsOf(flags) > junitSeedsMax)
    return `--junit holds a case for each seed of a scenario, ${junitSeedsMax} at most: give fewer --seeds, or --jsonl`
  return undefined
}

function seedsOf({ seeds }: RunFlags): number {
  return seeds === undefined ? 1 : seeds.last - seeds.first + 1
}
