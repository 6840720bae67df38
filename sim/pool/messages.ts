import { z } from 'zod'
import { isRecord } from '../../src/base/shape.ts'
import { forksSchema } from '../report/forks.ts'
import { seedRecordSchema } from '../report/seed-record.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { accountSchema } from '../scenario/account.ts'
import { scenarioBytesMax } from '../scenario/language/yaml-document.ts'

/**
 * Messages between the process of a command and its workers: one JSON value per line, each checked on arrival. Both
 * ends are of one build; the check ensures that neither mistakes one line for another, or half a line for a whole.
 */

const number = z.int().min(0)

/** Maximum number of decisions that one run may leave out. */
export const withoutMax = 5_000

/** Maximum number of events whose turns can be distinguished from others. */
const sitesEventsMax = 100_000

/** A page gets a number, by which later requests refer to it. */
const pageRequest = z.strictObject({
  kind: z.literal('page'),
  page: number,
  file: z.string(),
  text: z.string().max(scenarioBytesMax),
  /** Its runs need not meet its demands. */
  demands: z.literal('off').optional(),
})

const seedRequest = z.strictObject({
  kind: z.literal('seed'),
  page: number,
  seed: number,
  /** Times from which the run continues with other draws. */
  forks: forksSchema.optional(),
  /** Run it twice, with another run between, and compare. */
  verify: z.boolean(),
  /** The next seed of this worker, if known: it can be the run between. */
  following: z.strictObject({ page: number, seed: number, forks: forksSchema.optional() }).optional(),
  /** Maximum number of steps in the search for an order of one key's operations. */
  searchStepsMax: number.optional(),
  /** The active mutant, in a program that has mutants; absent or 0: none. */
  mutant: number.optional(),
  /** The first and the last turn of the run in which it is active, counted from 1; absent: all. */
  turns: z.strictObject({ first: number, last: number }).optional(),
  /**
   * Report the turns in which each site was reached. `events`: those whose turns led to the failure, the nearest first.
   */
  sites: z.strictObject({ events: z.array(number).max(sitesEventsMax), since: number.optional() }).optional(),
  /** Report an account of the run, and end it early if requested. */
  account: z
    .strictObject({
      ends: z.strictObject({ afterFaultsMs: z.number().optional(), atUs: number.optional() }).optional(),
    })
    .optional(),
  /** Decisions that are left out, by their identities: the rule does not fire, or the client does not operate. */
  without: z
    .array(z.string().regex(/^[0-9a-f]{16}$/))
    .max(withoutMax)
    .optional(),
  /** Report which lines of the agent ran. */
  code: z.literal(true).optional(),
  /** Report each event of the run, with its causes, before the end. */
  events: z.literal(true).optional(),
  /** Events also say what has changed about their machines. */
  states: z.literal(true).optional(),
  /** A run that uses more CPU time is ended, even if its virtual time advances. In milliseconds. */
  cpuMaxMs: number.optional(),
})

export const requestSchema = z.discriminatedUnion('kind', [pageRequest, seedRequest])
export type Request = z.infer<typeof requestSchema>
export type PageRequest = z.infer<typeof pageRequest>
export type SeedRequest = z.infer<typeof seedRequest>

/** The turns in which a changeable site was reached. */
const reachedSite = z.strictObject({
  site: number,
  /** Number of turns. */
  turns: number,
  /** The first and the last of them. */
  from: number,
  until: number,
  /** The first was of the event named as `since`, or of a later one. */
  isNew: z.literal(true).optional(),
  /** The first turn that reached it since the event named as `since`. */
  again: number.optional(),
  /** Position among the named events of the nearest one whose turn reached it, and the first and the last such turn. */
  near: number.optional(),
  first: number.optional(),
  last: number.optional(),
})
export type ReachedSite = z.infer<typeof reachedSite>

/** A place where a function returned nothing. */
const returnedNothing = z.strictObject({
  place: number,
  turns: number,
  /** As for sites. */
  near: number.optional(),
  /** Greater for a later time. */
  order: number,
})
export type ReturnedNothing = z.infer<typeof returnedNothing>

/** The worker has started. */
const ready = z.strictObject({ kind: z.literal('ready') })

/** A run begins: if the worker ends before its next line, this run is to blame. */
const begun = z.strictObject({ kind: z.literal('begun'), page: number, seed: number })

/** An event of the present run, if requested. Its writer and its reader are of one build. */
const event = z.strictObject({
  kind: z.literal('event'),
  event: z.custom<TraceRecord>((value) => isRecord(value) && typeof value['n'] === 'number'),
  /** With the first event: the machines by number. */
  nodes: z.array(z.string()).optional(),
})

/** The answer to a request for a seed. */
const ended = z.strictObject({
  kind: z.literal('ended'),
  record: seedRecordSchema,
  /** Number of runs that this worker made before the one of the record. */
  runsBefore: number,
  /** The account of the run, if requested. */
  account: accountSchema.optional(),
  /** By built module of the agent, the lines that ran, as ranges, if requested. */
  code: z.record(z.string(), z.string()).optional(),
  /** If requested. */
  sites: z.array(reachedSite).optional(),
  returns: z.array(returnedNothing).optional(),
  /**
   * Changeable sites that were reached, as ranges: `3-7,12`. For a program that has any, while no mutant was active.
   */
  reached: z.string().optional(),
  /** As `reached`, for the numbers of places that returned nothing. */
  returned: z.string().optional(),
  /** As `reached`, for sites reached while the modules were loaded. */
  loaded: z.string().optional(),
})

/** The present run does not advance, or uses more CPU time than allowed, and the worker ends itself. */
const stuck = z.strictObject({
  kind: z.literal('stuck'),
  /** CPU and wall-clock time since virtual time last advanced, in milliseconds. */
  cpuMs: z.number(),
  wallMs: z.number(),
  virtualUs: z.number(),
  /** The innermost frames, if they could be obtained. */
  stack: z.array(z.string().max(500)).max(30),
})

export const replySchema = z.discriminatedUnion('kind', [ready, begun, event, ended, stuck])
export type Reply = z.infer<typeof replySchema>
export type Stuck = z.infer<typeof stuck>
export type Ended = z.infer<typeof ended>
