import { z } from 'zod'
import { generalised } from '../campaign/fingerprint.ts'
import { lastWords } from './checkout.ts'
import type { Verdict } from './search.ts'
import type { ProgramEnd, Workplace } from './workplace.ts'

/** The run that is repeated with every commit, as options of `svc-sim run`. */
export interface RunToRepeat {
  /** Absolute path of the page: every commit runs the same one. */
  readonly file: string
  readonly flags: readonly string[]
}

/** A failure in the form of any release of this program. */
const failureSchema = z.object({ code: z.string().optional(), place: z.string(), message: z.string() })
const recordSchema = z.object({ verdict: z.string(), failures: z.array(failureSchema) })
export type Failure = z.infer<typeof failureSchema>

/** Exit codes of `svc-sim run`, which have not changed since its first release. */
const passed = 0
const failed = 1

export type Ran =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'unclear'; readonly why: string }

/** Runs the page with the program in a folder. */
export async function ranIn(folder: string, { file, flags }: RunToRepeat, workplace: Workplace): Promise<Ran> {
  const ended = await workplace.run([workplace.node, `${folder}/bin/svc-sim.js`, 'run', file, ...flags, '--json'], {})
  if (ended.exit === passed) return { kind: 'passed' }
  const failure = ended.exit === failed ? failureIn(ended) : undefined
  if (failure !== undefined) return { kind: 'failed', failure }
  return { kind: 'unclear', why: `svc-sim run ends with ${ended.exit ?? 'a signal'}: ${lastWords(ended)}` }
}

function failureIn({ out }: ProgramEnd): Failure | undefined {
  for (const line of out.split('\n')) {
    const record = recordSchema.safeParse(jsonOf(line))
    if (record.success && record.data.verdict === 'failed') return record.data.failures[0]
  }
  return undefined
}

/** The verdict of a run on its commit. `wanted`: the failure whose beginning is looked for; undefined: any failure. */
export function verdictOn(ran: Ran, wanted: Failure | undefined): Verdict {
  if (ran.kind === 'passed') return { kind: 'good' }
  if (ran.kind === 'unclear') return { kind: 'skipped', why: ran.why }
  if (wanted === undefined || isSame(ran.failure, wanted)) return { kind: 'bad' }
  return { kind: 'skipped', why: `fails in another way: ${failureText(ran.failure)}` }
}

/** Whether it is the same invariant, or the same expectation of the page: messages are reworded between releases. */
function isSame(one: Failure, other: Failure): boolean {
  if (one.code !== undefined || other.code !== undefined) return one.code === other.code
  return one.place === other.place || generalised(one.message) === generalised(other.message)
}

export function failureText({ place, message }: Failure): string {
  return `${place}: ${message}`
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
