import { z } from 'zod'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { Decided } from './decision-list.ts'

/**
 * What was decided in a run, as a file: JSON lines. The first line says of which run it is, every other is one decision that
 * was not the default one, in the order in which they were made:
 *
 *     {"format":"svc-decisions","version":1,"scenario":"Crash","page":"5f0c…","seed":17,"program":"1.4.0"}
 *     {"kind":"chance","id":"210b4b0922b0b241","n":0,"value":1,"what":"link s3 s4 segment 8300 23 B #1c457c92"}
 *
 * `page` is the SHA-256 of what the scenario says, whatever its comments. `value`: 0 or 1 of an event and a chance, a number below
 * `among` of a choice, a place from 0 to 1 of a range, 32 bits of a raw number.
 */
export interface DecisionFile extends RunDecided {
  readonly decided: readonly Decided[]
}

/** Of which run decisions are. */
export interface RunDecided {
  readonly scenario: string
  readonly page: string
  readonly seed: number
  /** Release of the program. */
  readonly program: string
}

export const decisionBytesMax = 256 << 20
const decisionsMax = 2_000_000
/** Lines that are wrong are told up to here: the first tell, the rest mostly repeat them. */
const problemsMax = 20

const headerSchema = z.strictObject({
  format: z.literal('svc-decisions'),
  version: z.literal(1),
  scenario: z.string(),
  page: z.string().regex(/^[0-9a-f]{64}$/),
  seed: z.int().min(0),
  program: z.string(),
})

const lineSchema = z.strictObject({
  kind: z.enum(['event', 'chance', 'choice', 'range', 'raw']),
  id: z.string().regex(/^[0-9a-f]{16}$/),
  n: z.int(),
  value: z.number().min(0).max(0xffff_ffff),
  among: z.int().min(1).optional(),
  what: z.string().optional(),
})

export function decisionFileText({ decided, ...run }: DecisionFile): string {
  const header = JSON.stringify({ format: 'svc-decisions', version: 1, ...run })
  const lines = decided.map(({ kind, identity, n, value, among, what }) =>
    JSON.stringify({ kind, id: identity, n, value, among, what }),
  )
  return `${[header, ...lines].join('\n')}\n`
}

/** Reads such a file, or says in one line each what is wrong with it: `FILE:LINE: …`. */
export function parseDecisionFile(file: string, text: string): Result<DecisionFile, readonly string[]> {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (lines.length > decisionsMax + 1) return err([`${file}: more than ${decisionsMax} decisions`])
  const header = parsed(headerSchema, lines[0] ?? '')
  if (!header.ok) return err([`${file}:1: ${header.error}: the first line is that of a file of decisions`])
  const decided: Decided[] = []
  const problems: string[] = []
  for (const [at, line] of lines.entries()) {
    if (at === 0) continue
    const decision = parsed(lineSchema, line)
    if (!decision.ok) problems.push(`${file}:${at + 1}: ${decision.error}`)
    else {
      const { kind, id, n, value, among, what = '' } = decision.value
      decided.push({ kind, identity: id, n, value, ...(among === undefined ? {} : { among }), what })
    }
    if (problems.length === problemsMax) break
  }
  if (problems.length > 0) return err(problems)
  const { scenario, page, seed, program } = header.value
  return ok({ scenario, page, seed, program, decided })
}

function parsed<T>(schema: z.ZodType<T>, line: string): Result<T, string> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return err('not JSON')
  }
  const result = schema.safeParse(value)
  if (result.success) return ok(result.data)
  const [issue] = result.error.issues
  const path = issue?.path.join('.') ?? ''
  return err([path, issue?.message ?? 'not of this form'].filter((text) => text !== '').join(': '))
}
