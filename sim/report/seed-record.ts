import { z } from 'zod'
import { type InvariantCode, invariants } from '../checkers/checkers.ts'
import type { Judged } from '../checkers/judged-tally.ts'
import { forksSchema } from './forks.ts'
import { type RunResult, type RunVerdict, verdictOf } from './run-report.ts'

/** Maximum number of failures in a record: the first matters, the others mostly follow from it. */
export const failuresShown = 5
const undecidedShown = 5
/** Limits of one record, whatever the run reported: records of a million seeds pass through one process. */
const textMax = 4_000
/** Maximum length of the options that name what was planted. */
const plantedMax = 1_000
const notesMax = 40
const namesMax = 500

/**
 * The result of one seed. The first three are verdicts on a run; the others say that there is no reliable one:
 *
 * - `not deterministic`: two runs of the seed in one process differ.
 * - `leftover state`: a process that had run other seeds gave another run than a fresh one.
 * - `stuck`: the seed used CPU time without end while its virtual time stood still.
 * - `out of memory`, `died`: the process that ran the seed ended.
 */
export const seedVerdicts = [
  'passed',
  'failed',
  'undecided',
  'not deterministic',
  'leftover state',
  'stuck',
  'out of memory',
  'died',
] as const

export type SeedVerdict = (typeof seedVerdicts)[number]

const text = z.string().max(textMax)
const count = z.int().min(0)
const invariantCode = z.enum(Object.keys(invariants) as InvariantCode[])

const failureSchema = z.strictObject({
  atUs: count.describe('virtual time, in microseconds'),
  place: text.describe('`file:line:column` of what was not met, or the invariant'),
  code: invariantCode.optional().describe('code of the invariant'),
  message: text,
})

const undecidedSchema = z.strictObject({ key: text, operations: count, steps: count })

/** One seed of one scenario, as workers return it, and as `--json` and `--jsonl` write it: one schema for all. */
export const seedRecordSchema = z.strictObject({
  scenario: text.describe('the title of the scenario'),
  file: text.describe('the file of the scenario, as it was named on the command line'),
  page: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of what the page says, whatever its comments'),
  build: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe('SHA-256 of the modules of the program'),
  seed: count.describe('the seed of the run'),
  planted: z
    .string()
    .max(plantedMax)
    .optional()
    .describe('what was wrong with the program on purpose, as options: `--bug tail-kept`; absent: nothing'),
  forks: forksSchema
    .optional()
    .describe('times from which on the run drew other random numbers, each with their seed; absent: none'),
  verdict: z.enum(seedVerdicts).describe('what became of the seed'),
  passed: z.boolean().describe('whether the verdict is `passed`'),
  invariant: invariantCode
    .nullable()
    .describe('code of the invariant that was broken first; null: none, or an expectation'),
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional()
    .describe(
      'in a campaign: names the kind of the failure; of a kind, the first ones alone have `failures` and `notes`',
    ),
  failures: z.array(failureSchema).max(failuresShown).describe('the first failures, in their order'),
  moreFailures: count.describe('number of failures behind those'),
  undecided: z.array(undecidedSchema).max(undecidedShown).describe('keys whose history could not be decided'),
  notes: z.array(text).max(notesMax).describe('lines on a verdict that has no run: a difference, a stack, last words'),
  marks: z.array(text).max(namesMax).describe('rare states that the run went through'),
  marksAtUs: z
    .array(count)
    .max(namesMax)
    .optional()
    .describe('virtual time at which it first was in each of them, in microseconds'),
  counts: z
    .partialRecord(
      invariantCode,
      z.strictObject({
        facts: count,
        of: count.optional(),
        excuses: z.record(text, count).optional(),
      }),
    )
    .describe('by code, of each invariant that judged something: how many facts, of how many things, and excuses used'),
  virtualUs: count.describe('virtual time of the run, in microseconds'),
  events: count.describe('events of the run'),
  elections: count.describe('elections that a server has won'),
  writesAcknowledged: count.describe('writes of clients that were acknowledged'),
  trace: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .describe('hash of the trace; null: the run did not end'),
  verified: z.boolean().describe('whether the seed was run twice, with equal traces'),
  wallMs: count.describe('milliseconds that the run took by the clock on the wall'),
  cpuMs: count.describe('milliseconds of CPU time of all threads of the process meanwhile'),
})

export type SeedRecord = z.infer<typeof seedRecordSchema>

/** The cost of a run on this machine. */
export interface RunCost {
  readonly wallMs: number
  readonly cpuMs: number
}

/** Which seed of which page. */
export interface SeedOfPage {
  readonly scenario: string
  readonly file: string
  readonly page: string
  readonly seed: number
  readonly forks?: SeedRecord['forks']
}

export function recordOf(result: RunResult, page: string, cost: RunCost): SeedRecord {
  const { scenario, file, seed, failures, undecided, virtualUs, events, elections, writesAcknowledged } = result
  const verdict: RunVerdict = verdictOf(result)
  return {
    ...withoutRun({ scenario, file, page, seed }, verdict, [], cost),
    invariant: failures[0]?.code ?? null,
    failures: failures.slice(0, failuresShown).map(({ atUs, place, code, message }) => ({
      atUs: Math.round(atUs),
      place: cut(place),
      ...(code === undefined ? {} : { code }),
      message: cut(message),
    })),
    moreFailures: Math.max(0, failures.length - failuresShown),
    undecided: undecided.slice(0, undecidedShown).map((open) => ({ ...open, key: cut(open.key) })),
    marks: result.marks.slice(0, namesMax),
    marksAtUs: result.marksAtUs.slice(0, namesMax),
    counts: countsOf(result.judged),
    virtualUs: Math.round(virtualUs),
    events,
    elections,
    writesAcknowledged,
    trace: result.trace.hash,
  }
}

/** The counts without zeros, which most of them are. */
function countsOf(judged: Judged): SeedRecord['counts'] {
  const counts: SeedRecord['counts'] = {}
  for (const code of Object.keys(judged) as InvariantCode[]) {
    const { facts, of, excuses } = judged[code]
    const used = Object.entries(excuses).filter(([, uses]) => uses > 0)
    if (facts === 0 && used.length === 0) continue
    counts[code] = {
      facts,
      ...(of === undefined ? {} : { of }),
      ...(used.length === 0 ? {} : { excuses: Object.fromEntries(used) }),
    }
  }
  return counts
}

/** The record of a seed that has no run. */
export function withoutRun(of: SeedOfPage, verdict: SeedVerdict, notes: readonly string[], cost: RunCost): SeedRecord {
  return {
    ...of,
    scenario: cut(of.scenario),
    verdict,
    passed: verdict === 'passed',
    invariant: null,
    failures: [],
    moreFailures: 0,
    undecided: [],
    notes: notes.slice(0, notesMax).map(cut),
    marks: [],
    counts: {},
    virtualUs: 0,
    events: 0,
    elections: 0,
    writesAcknowledged: 0,
    trace: null,
    verified: false,
    wallMs: Math.round(cost.wallMs),
    cpuMs: Math.round(cost.cpuMs),
  }
}

/** The record of the same run with another verdict. */
export function rejudged(record: SeedRecord, verdict: SeedVerdict, notes: readonly string[]): SeedRecord {
  const shown = [...record.notes, ...notes].slice(0, notesMax).map(cut)
  return { ...record, verdict, passed: verdict === 'passed', notes: shown }
}

/** Whether an invariant or an expectation was not met, or the seed has no reliable verdict. */
export function hasFailed({ verdict }: Pick<SeedRecord, 'verdict'>): boolean {
  return verdict !== 'passed' && verdict !== 'undecided'
}

/** A text of any length, such as the title of a scenario, as a record has it. */
export function cut(line: string): string {
  return line.length <= textMax ? line : `${line.slice(0, textMax - 1)}…`
}
