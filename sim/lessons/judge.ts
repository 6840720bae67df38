import { formatDuration, parseDuration } from '../../src/base/duration.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import type { Answer } from './answers.ts'
import type { ToldEvent } from './evidence.ts'
import type { RunTask, Task, TaskOf } from './lesson.ts'
import { changedPaths, isWithin, valueAt } from './page-changes.ts'
import { type SeedsOfTask, seedRangeOf } from './seed-range.ts'

/** The judgement of one task. */
export type Judgement =
  | { readonly kind: 'right'; readonly say: string }
  | { readonly kind: 'wrong'; readonly say: string }
  /** The task has no answer yet. */
  | { readonly kind: 'open'; readonly say: string }
  /** The answer could not be judged, for a reason that is not the student's: it counts as no attempt. */
  | { readonly kind: 'unjudged'; readonly say: string }

/** An event that a student names, and whether it is one of those that show the cause. */
export interface JudgedEvent extends ToldEvent {
  readonly isEvidence: boolean
}

/**
 * The event whose number a student gives. Undefined: the trace has no such event. `another`: it has, but nothing is known
 * of it except that it is no evidence.
 */
export type NamedEvent = JudgedEvent | 'another' | undefined

export function judgeChoice(task: TaskOf<'choice'>, { line }: Answer): Judgement {
  if (line === '') return { kind: 'open', say: 'write a, b, c or d' }
  return line.toLowerCase() === task.right ? right(task) : wrong(task, `${line} is not the answer`)
}

/**
 * What is wrong with the edited page before any run; undefined if it may be run. `before` and `now` are the page as
 * plain data.
 */
export function judgeEdit(task: TaskOf<'page'>, before: unknown, now: unknown): Judgement | undefined {
  const changed = changedPaths(before, now)
  if (changed.length === 0) return { kind: 'open', say: 'the page is as it was' }
  const allowed = task['may change']
  const outside = changed.filter((path) => !isWithin(path, allowed))
  const [first] = outside
  if (first !== undefined) {
    return { kind: 'wrong', say: `the task lets you change ${allowed.join(', ')}; you changed ${first}` }
  }
  const weak = Object.entries(task['too weak'] ?? {}).find(([path, values]) =>
    values.includes(String(valueAt(now, path))),
  )
  if (weak !== undefined) return wrong(task, `'${String(valueAt(now, weak[0]))}' in ${weak[0]} says too little`)
  const longest = Object.entries(task['at most'] ?? {})
  const long = longest.find(([path, mostMs]) => !isWithinTime(valueAt(now, path), mostMs))
  if (long === undefined) return undefined
  return wrong(task, `${long[0]} is ${String(valueAt(now, long[0]))}, and at most ${formatDuration(long[1])} is right`)
}

function isWithinTime(value: unknown, mostMs: number): boolean {
  const time = parseDuration(String(value))
  return time.ok && time.value <= mostMs
}

/** The seed that a student gives, or what is wrong with it. */
export function seedGiven(task: TaskOf<'seed'>, { line }: Answer): number | Judgement {
  if (line === '') return { kind: 'open', say: `write a seed of ${task.seeds}` }
  const range = seedsOf(task)
  const seed = Number(line)
  const isSeed = Number.isInteger(seed) && seed >= range.first && seed <= range.last
  return isSeed ? seed : { kind: 'wrong', say: `${line} is no seed of ${task.seeds}` }
}

export function seedsOf({ seeds }: RunTask): SeedsOfTask {
  const range = seedRangeOf(seeds, Number.MAX_SAFE_INTEGER)
  // The schema of lessons has already checked the range.
  if (range === undefined) throw new Error(`a lesson has the seeds ${seeds}`)
  return range
}

/** Judges the runs of a page: each must pass, or break the invariant that the task names. */
export function judgeRuns(task: RunTask, records: readonly SeedRecord[]): Judgement {
  const failing = records.find((record) => !isAsWanted(record, task))
  return failing === undefined ? right(task) : wrong(task, missText(failing, task))
}

/** The judgement of a page that passed although its cluster did something else. */
export function judgeUnnoticed(task: TaskOf<'page'>, values: Readonly<Record<string, unknown>>): Judgement {
  const [[path, value] = []] = Object.entries(values)
  return wrong(task, `the page also passes when ${path} is ${JSON.stringify(value)}, so it says too little`)
}

function isAsWanted({ verdict, invariant }: SeedRecord, { breaks }: RunTask): boolean {
  return breaks === undefined ? verdict === 'passed' : invariant === breaks
}

function missText({ seed, verdict, failures, notes }: SeedRecord, { breaks }: RunTask): string {
  if (breaks !== undefined && verdict === 'passed') return `seed ${seed} passes, and ${breaks} is not broken`
  const [first] = failures
  const what = first === undefined ? (notes[0] ?? verdict) : `${first.code ?? 'not met'}: ${first.message}`
  return `seed ${seed}: ${what}`
}

/**
 * Judges the letter of the cause, and the event of the trace that shows it. `eventNamed` is the event with the
 * student's number.
 */
export function judgeCause(
  task: TaskOf<'cause'>,
  { line, event }: Answer,
  eventNamed: (n: number) => NamedEvent,
): Judgement {
  if (line === '' || event === '')
    return { kind: 'open', say: 'write the cause, and the number of an event: 17 for the event #17' }
  const told = eventNamed(Number(event))
  if (told === undefined) return { kind: 'wrong', say: `the trace has no event ${event}` }
  if (line.toLowerCase() !== task.right) return wrong(task, 'this is not the cause')
  if (told === 'another') return wrong(task, `event ${event} does not show it`)
  if (!told.isEvidence) return wrong(task, `event ${told.n} does not show it: ${told.node} ${told.words}`)
  return right(task)
}

function right({ why }: Task): Judgement {
  return { kind: 'right', say: flowing(why) }
}

function wrong({ hint }: Task, what: string): Judgement {
  return { kind: 'wrong', say: hint === undefined ? what : `${what}. ${flowing(hint)}` }
}

/** A text of a lesson without the line breaks of its file: each place where it is shown breaks lines of its own. */
function flowing(text: string): string {
  return text.trim().replaceAll(/[ \t]*\n[ \t]*/g, ' ')
}
