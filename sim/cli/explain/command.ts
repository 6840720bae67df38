import { invariants } from '../../checkers/checkers.ts'
import { Events } from '../../explain/events.ts'
import { type Explanation, explained, shownLines } from '../../explain/explanation.ts'
import { Lane, WorkerDidNotStart } from '../../pool/lane.ts'
import type { Ended } from '../../pool/messages.ts'
import type { Worker } from '../../pool/worker.ts'
import { type Plant, plantOf } from '../plant.ts'
import { usualStallMs } from '../run-flags.ts'
import { type FailingRun, failingRunOf, plantedRun } from '../shrink/failing-run.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import type { ExplainFlags } from './flags.ts'
import { chainLines, headLines, isCode } from './printing.ts'

/** Lines of the chain that people read where they do not ask for all. */
const linesMax = 30

/** `svc-sim explain`: why a run fails. */
export async function runExplain(
  file: string | undefined,
  flags: ExplainFlags,
  terminal: SimTerminal,
): Promise<number> {
  const plant = plantOf(flags, terminal)
  if (!plant.ok) return refused(terminal, [plant.error])
  if (plant.value !== undefined) return explainPlanted(file, plant.value, flags, terminal)
  if (file === undefined) return refused(terminal, ['name a scenario, its records, or --bug'])
  const run = await failingRunOf(terminal, file, flags.seed)
  if (!run.ok) return refused(terminal, run.error)
  const stallMs = flags.stall ?? usualStallMs
  return explainRun(run.value, { startWorker: () => terminal.startWorker(stallMs), flags, terminal })
}

async function explainPlanted(
  file: string | undefined,
  plant: Plant,
  flags: ExplainFlags,
  terminal: SimTerminal,
): Promise<number> {
  const { copy, words } = plant
  const startWorker = (): Worker => copy.startWorker(flags.stall ?? usualStallMs)
  try {
    const page = file ?? plant.hunt
    if (page === undefined) return refused(terminal, [`${words}: name the scenario that fails`])
    const run = await plantedRun(page, words, flags, { startWorker, terminal })
    if (!run.ok) return refused(terminal, run.error)
    return await explainRun(run.value, { startWorker, flags, terminal })
  } finally {
    copy.remove()
  }
}

interface ExplainParts {
  readonly startWorker: () => Worker
  readonly flags: ExplainFlags
  readonly terminal: SimTerminal
}

async function explainRun(run: FailingRun, parts: ExplainParts): Promise<number> {
  const { flags, terminal } = parts
  const traced = await tracedRun(run, parts)
  if (typeof traced === 'string') return refused(terminal, [traced])
  const { explanation, ended } = traced
  const place = ended.record.failures[(flags.violation ?? 1) - 1]?.place ?? explanation.violation.code
  const most = flags.all === true ? Number.POSITIVE_INFINITY : linesMax
  const lines = shownLines(explanation, most)
  const shown = lines.filter((line) => !('more' in line)).length
  const left = explanation.chain.length - shown
  for (const line of headLines(explanation, place)) terminal.out(`${line}\n`)
  terminal.out(
    `\nThe chain of causes${left === 0 ? '' : `, without ${left} events that tell less (--all has them)`}:\n`,
  )
  for (const line of chainLines(lines)) terminal.out(`${line}\n`)
  return exits.passed
}

/** The run with all its events; a text: why there is nothing to explain. */
async function tracedRun(
  { loaded, seed }: FailingRun,
  { startWorker, flags }: ExplainParts,
): Promise<{ readonly explanation: Explanation; readonly ended: Ended } | string> {
  const page = { loaded, text: JSON.stringify(loaded.document.value), hash: '' }
  const lane = new Lane({ startWorker, pages: [], verify: false, confirm: false, searchStepsMax: flags.steps })
  const events = new Events()
  try {
    const ended = await lane.probe({ page, seed }, { onEvent: (event) => events.add(event) })
    if (ended === undefined) return `${loaded.file}: seed ${seed} did not come to an end`
    const place = (flags.violation ?? 1) - 1
    const { failures } = ended.record
    const failure = failures[place]
    if (failure === undefined) {
      if (failures.length === 0) return `${loaded.file}: seed ${seed} does not fail: there is nothing to explain`
      return `--violation ${place + 1}: the run has ${failures.length} in all`
    }
    const code = failure.code ?? ''
    const explanation = explained(events, place, isCode(code) ? invariants[code].evidence : usualEvidence)
    return explanation === undefined ? `${loaded.file}: no event shows what fails` : { explanation, ended }
  } catch (cause) {
    if (cause instanceof WorkerDidNotStart) return cause.message
    throw cause
  } finally {
    lane.close()
  }
}

/** Of an expectation of the page, which says nothing of what it depends on. */
const usualEvidence = [
  'requests',
  'names',
  'forwards',
  'commands',
  'authority',
  'intentions',
  'rights',
  'elections',
] as const

function refused({ error }: SimTerminal, lines: readonly string[]): number {
  for (const line of lines) error(`${line}\n`)
  return exits.usage
}
