import type { Command } from 'commander'
import { err, ok, type Result } from '../../src/base/result.ts'
import { Builds } from '../bisect/builds.ts'
import { Checkout } from '../bisect/checkout.ts'
import { type Failure, failureText, type RunToRepeat, ranIn, verdictOn } from '../bisect/judging.ts'
import { bisect, endsWrong, type Found, stepsAtMost, type Verdict } from '../bisect/search.ts'
import { usualSeed } from '../scenario/language/load.ts'
import { readDecisions } from './decisions.ts'
import { readScenario } from './files.ts'
import { type Ended, seedRange, wholeNumber } from './flag-values.ts'
import type { SeedRange } from './run-flags.ts'
import { exits, type SimTerminal } from './terminal.ts'

interface BisectFlags {
  readonly seed?: number
  readonly seeds?: SeedRange
  readonly replay?: string
  readonly good: string
  readonly bad: string
  readonly build: string
}

export function addBisect(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('bisect')
    .description('Find the commit that made a run fail: build commits of this checkout and run the page with each.')
    .argument('<file>', 'a scenario; every commit runs it as it is now')
    .option('--seed <n>', 'the seed of the run; that of the scenario, or 1, if none is given', wholeNumber)
    .option('--seeds <a..b>', 'a commit is bad if any of these seeds fails', seedRange)
    .option('--replay <file>', 'make the decisions of svc-sim run --decisions instead of those of a seed')
    .requiredOption('--good <commit>', 'a commit in which the run passes')
    .option('--bad <commit>', 'a commit in which it fails', 'HEAD')
    .option('--build <command>', 'builds the program in the folder of a commit', 'npm run build')
    .action(async (file: string, flags: BisectFlags) => {
      ended(await runBisect(file, flags, terminal))
    })
}

/** `svc-sim bisect`. */
async function runBisect(file: string, flags: BisectFlags, terminal: SimTerminal): Promise<number> {
  const { workplace } = terminal
  const run = await runToRepeat(file, flags, terminal)
  if (!run.ok) return refused(run.error, terminal)
  const checkout = await Checkout.at(undefined, workplace)
  if (!checkout.ok) return refused([checkout.error], terminal)
  const builds = new Builds(checkout.value, workplace, ['sh', '-c', flags.build])
  try {
    const found = await new Bisection(checkout.value, builds, run.value, terminal).found(flags)
    if (!found.ok) return refused([found.error], terminal)
    await tell(found.value, checkout.value, terminal)
    return found.value.suspects.length === 1 ? exits.passed : exits.undecided
  } finally {
    builds.close()
  }
}

function refused(lines: readonly string[], { error }: SimTerminal): number {
  for (const line of lines) error(`${line}\n`)
  return exits.usage
}

/** The page and the options of its run, both checked by this program. */
async function runToRepeat(
  file: string,
  { seed, seeds, replay }: BisectFlags,
  terminal: SimTerminal,
): Promise<Result<RunToRepeat, readonly string[]>> {
  if ([seed, seeds, replay].filter((given) => given !== undefined).length > 1)
    return err(['give either --seed, --seeds or --replay'])
  const read = await readScenario(terminal.disk, file)
  if (!read.ok) return read
  const { loaded } = read.value
  const path = await terminal.disk.realPath(file)
  const absolute = path.ok ? path.value : file
  if (replay !== undefined) {
    const list = await readDecisions(terminal, replay, loaded, undefined)
    const listPath = await terminal.disk.realPath(replay)
    if (!list.ok) return list
    return ok({ file: absolute, flags: ['--replay', listPath.ok ? listPath.value : replay] })
  }
  const flags =
    seeds === undefined
      ? ['--seed', String(seed ?? usualSeed(loaded))]
      : ['--seeds', `${seeds.first}..${seeds.last}`, '--until-failure']
  return ok({ file: absolute, flags })
}

/** The search in one checkout, reported commit by commit. */
class Bisection {
  readonly #checkout: Checkout
  readonly #builds: Builds
  readonly #run: RunToRepeat
  readonly #terminal: SimTerminal
  #wanted: Failure | undefined

  constructor(checkout: Checkout, builds: Builds, run: RunToRepeat, terminal: SimTerminal) {
    this.#checkout = checkout
    this.#builds = builds
    this.#run = run
    this.#terminal = terminal
  }

  async found({ good: goodName, bad: badName }: Pick<BisectFlags, 'good' | 'bad'>): Promise<Result<Found, string>> {
    const clean = await this.#checkout.clean(this.#run.file)
    if (!clean.ok) return clean
    const good = await this.#checkout.commit('--good', goodName)
    if (!good.ok) return good
    const bad = await this.#checkout.commit('--bad', badName)
    if (!bad.ok) return bad
    if (!(await this.#checkout.isAncestor(good.value, bad.value)) || good.value === bad.value)
      return err(`--good ${goodName} does not lead to --bad ${badName}: name an earlier commit of its history`)
    // Both ends are judged first: everything between them rests on these two.
    const badEnd = endsWrong('bad', badName, await this.#judge(bad.value))
    if (!badEnd.ok) return badEnd
    const goodEnd = endsWrong('good', goodName, await this.#judge(good.value))
    if (!goodEnd.ok) return goodEnd
    const left = await this.#checkout.between([good.value], bad.value)
    if (left.ok) this.#terminal.out(`${left.value.length} commits, about ${stepsAtMost(left.value.length)} to build\n`)
    return bisect(this.#checkout, { good: good.value, bad: bad.value }, (commit) => this.#judge(commit))
  }

  async #judge(commit: string): Promise<Verdict> {
    const { wallMs, out, workplace } = this.#terminal
    const startedMs = wallMs()
    const used = await this.#builds.use(commit, (folder) => ranIn(folder, this.#run, workplace))
    const verdict: Verdict = used.ok ? verdictOn(used.value, this.#wanted) : { kind: 'skipped', why: used.error }
    const failure = used.ok && used.value.kind === 'failed' ? used.value.failure : undefined
    if (this.#wanted === undefined && failure !== undefined) {
      this.#wanted = failure
      out(`looking for the beginning of: ${failureText(failure)}\n`)
    }
    const why = verdict.kind === 'skipped' ? `\n         ${verdict.why}` : ''
    const seconds = ((wallMs() - startedMs) / 1000).toFixed(0)
    out(`${verdict.kind.padEnd(8)} ${await this.#checkout.title(commit)} (${seconds} s)${why}\n`)
    return verdict
  }
}

async function tell({ suspects }: Found, checkout: Checkout, { out }: SimTerminal): Promise<void> {
  const [first = '', ...more] = suspects
  if (more.length === 0) {
    out(`the first bad commit: ${await checkout.title(first)}\n`)
    for (const line of await checkout.about(first)) out(`  ${line.trim()}\n`)
    return
  }
  out('one of these is the first bad commit; the others could not be judged:\n')
  for (const suspect of suspects) out(`  ${await checkout.title(suspect)}\n`)
}
