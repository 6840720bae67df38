import { z } from 'zod'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { Decided, MadeAgain } from './decision-list.ts'

/**
 * The decisions of a run as a file: JSON lines. The first line names the run, every other is one decision that was not
 * the default one, in the order in which they were made:
 *
 *     {"format":"svc-decisions","version":1,"scenario":"Crash","page":"5f0c…","seed":17,"program":"1.4.0","build":"3c9e…"}
 *     {"kind":"chance","id":"210b4b0922b0b241","n":0,"value":1,"what":"link s3 s4 piece 8300 23 B #1c457c92 segment 0"}
 *
 * `page` is the SHA-256 of the scenario's content without its comments. `value`: 0 or 1 for an event and a chance, a
 * number below `among` for a choice, a place from 0 to 1 for a range, 32 bits for a raw number.
 */
export interface DecisionFile extends RunDecided {
  readonly decided: readonly MadeAgain[]
}

/** The run to which decisions belong. */
export interface RunDecided {
  readonly scenario: string
  readonly page: string
  readonly seed: number
  /** Release of the program. */
  readonly program: string
  /** Its commit and the commit's date, if known. */
  readonly build: string
}

/**
 * A file with more bytes, when expanded, or more decisions is not the list of one run: it is neither read nor written.
 */
export const decisionBytesMax = 512 << 20
export const decisionsMax = 2_000_000
/** Maximum number of wrong lines that are reported: the others mostly repeat them. */
const problemsMax = 20

const headerSchema = z.strictObject({
  format: z.literal('svc-decisions'),
  version: z.literal(1),
  scenario: z.string(),
  page: z.string().regex(/^[0-9a-f]{64}$/),
  seed: z.int().min(0),
  program: z.string(),
  build: z.string(),
})

export const decisionKinds = ['event', 'chance', 'choice', 'range', 'raw'] as const

const lineFields = z.strictObject({
  kind: z.enum(decisionKinds),
  id: z.string().regex(/^[0-9a-f]{16}$/),
  n: z.int(),
  value: z.number().min(0).max(0xffff_ffff),
  among: z.int().min(1).optional(),
  what: z.string().optional(),
})

const lineSchema = lineFields.superRefine((line, { addIssue }) => {
  const message = wrongValue(line)
  if (message !== undefined) addIssue({ code: 'custom', path: ['value'], message })
})

/** A decision in the form of its line, with a description if it is known. */
export type ListedDecision = z.infer<typeof lineFields>

/** The decision of one line; the error says what is wrong with it. */
export function listedDecision(line: string): Result<ListedDecision, string> {
  return parsed(lineSchema, line)
}

/** The run of the first line; the error says what is wrong with it. */
export function runInHeader(line: string): Result<RunDecided, string> {
  return parsed(headerSchema, line)
}

/** What is wrong with the value of a decision of its kind; undefined: nothing. */
function wrongValue({ kind, value, among }: z.infer<typeof lineFields>): string | undefined {
  switch (kind) {
    case 'range':
      return value < 1 ? undefined : 'a place in a range is from 0 to 1, without 1'
    case 'event':
    case 'chance':
      return value === 0 || value === 1
        ? undefined
        : `a whole number: 0 or 1 of ${kind === 'event' ? 'an event' : 'a chance'}`
    case 'choice':
      if (!Number.isInteger(value)) return 'a whole number'
      return among === undefined || value < among
        ? undefined
        : `a choice among ${among} is a whole number below ${among}`
    case 'raw':
      return Number.isInteger(value) ? undefined : 'a whole number'
  }
}

/** The first line of the file. */
export function decisionHeaderText(run: RunDecided): string {
  return `${JSON.stringify({ format: 'svc-decisions', version: 1, ...run })}\n`
}

/** Any other line of the file. */
export function decisionText({ kind, identity, n, value, among, what }: Decided): string {
  return `${JSON.stringify({ kind, id: identity, n, value, among, what })}\n`
}

/** Reads such a file line by line. */
export class DecisionReading {
  readonly #file: string
  readonly #problems: string[] = []
  readonly #decided: MadeAgain[] = []
  #run: RunDecided | undefined
  #lines = 0

  constructor(file: string) {
    this.#file = file
  }

  /** False: the line is wrong, and the rest need not be read. */
  line(text: string): boolean {
    this.#lines++
    if (this.#lines === 1) return this.#header(text)
    if (this.#decided.length === decisionsMax) {
      this.#problems.push(`${this.#file}: more than ${decisionsMax} decisions`)
      return false
    }
    const decision = parsed(lineSchema, text)
    if (!decision.ok) this.#problems.push(`${this.#file}:${this.#lines}: ${decision.error}`)
    else {
      const { kind, id: identity, n, value } = decision.value
      this.#decided.push({ kind, identity, n, value })
    }
    return this.#problems.length < problemsMax
  }

  /** The whole list, or what is wrong, in one line each: `FILE:LINE: …`. */
  end(): Result<DecisionFile, readonly string[]> {
    if (this.#lines === 0) this.#header('')
    if (this.#run === undefined || this.#problems.length > 0) return err(this.#problems)
    return ok({ ...this.#run, decided: this.#decided })
  }

  #header(text: string): boolean {
    const header = parsed(headerSchema, text)
    if (header.ok) {
      const { scenario, page, seed, program, build } = header.value
      this.#run = { scenario, page, seed, program, build }
    } else {
      this.#problems.push(`${this.#file}:1: ${header.error}: the first line is that of a file of decisions`)
    }
    return header.ok
  }
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
