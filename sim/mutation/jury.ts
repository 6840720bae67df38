import type { InvariantCode } from '../checkers/checkers.ts'
import type { SentPage } from '../pool/warm-worker.ts'
import type { Worker } from '../pool/worker.ts'
import { hasFailed, type SeedRecord } from '../report/seed-record.ts'
import type { PlantedBug } from '../self-test/planted-bug.ts'
import type { Killer } from './lines.ts'

/** An instrumented copy of the program, made when it is first needed. */
export interface Program {
  /** `mutant`: one that is active from the start. */
  start(mutant: number | undefined): Worker
}

/** Why a mutant was recognized. */
export interface Kill {
  readonly killer: Killer
  readonly law?: InvariantCode | undefined
  readonly message: string
}

/** Seeds of one page, and their judgement of a mutant. */
export interface Judge {
  /** File of the scenario, or name of the planted bug. */
  readonly name: string
  readonly program: Program
  readonly page: SentPage
  readonly seeds: { readonly first: number; readonly last: number }
  /** One sound seed suffices. */
  readonly isSearch: boolean
  /** Whether the unchanged program behaves correctly, so that another result is caused by a mutant. */
  isSound(record: SeedRecord): boolean
  kill(record: SeedRecord): Kill | undefined
}

/** Scenarios judge the agent, and checkers that see what is not there: a mutant is killed if one fails. */
export function scenarioJudge(name: string, program: Program, page: SentPage, seeds: Judge['seeds']): Judge {
  return {
    name,
    program,
    page,
    seeds,
    isSearch: false,
    isSound: ({ verdict }) => verdict === 'passed',
    kill: (record) => (hasFailed(record) ? killOf(record) : undefined),
  }
}

/** Assertions of the agent itself, and requests that threw. */
const panics: readonly InvariantCode[] = ['P1', 'P2']

function killOf({ failures: [first], verdict, notes }: SeedRecord): Kill {
  if (first === undefined) return { killer: 'crash', message: [verdict, ...notes].join('; ') }
  const message = `${first.place}: ${first.message}`
  if (first.code === undefined) return { killer: 'expectation', message }
  return { killer: panics.includes(first.code) ? 'panic' : 'law', law: first.code, message }
}

/** Planted bugs judge the checkers: a mutant is killed if a bug is not found any more, or for another reason. */
export function bugJudge(program: Program, bug: PlantedBug, page: SentPage, seeds: Judge['seeds']): Judge {
  const isFound = ({ verdict, failures: [first] }: SeedRecord): boolean =>
    verdict === 'failed' && bug.foundBy.includes(first?.code ?? 'scenario')
  return {
    name: bug.name,
    program,
    page,
    seeds,
    isSearch: true,
    isSound: isFound,
    kill: (record) => {
      if (isFound(record)) return undefined
      const [first] = record.failures
      if (first === undefined)
        return { killer: 'self-test', message: `${bug.name} is not found: the run ends as ${record.verdict}` }
      return { killer: 'self-test', law: first.code, message: `${bug.name} is found by another: ${first.place}` }
    },
  }
}
