import { z } from 'zod'
import { isRecord } from '../../src/base/shape.ts'
import { forksSchema } from '../report/forks.ts'
import { seedRecordSchema } from '../report/seed-record.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { accountSchema } from '../scenario/account.ts'
import { scenarioBytesMax } from '../scenario/language/yaml-document.ts'

/**
 * What crosses between the process of a command and its workers: one JSON value a line, each checked where it comes in.
 * Both ends are of one build; what is checked is that neither took a line for another, or half of one for a whole.
 */

const number = z.int().min(0)

/** Decisions that one run may be without. */
const withoutMax = 5_000

/** Events whose turns can be told apart from others. */
const sitesEventsMax = 100_000

/** A page gets a number; later requests name it by that. */
const pageRequest = z.strictObject({
  kind: z.literal('page'),
  page: number,
  file: z.string(),
  text: z.string().max(scenarioBytesMax),
  /** Its runs may come to less than it demands. */
  demands: z.literal('off').optional(),
})

const seedRequest = z.strictObject({
  kind: z.literal('seed'),
  page: number,
  seed: number,
  /** Times at which the run goes on with other chance. */
  forks: forksSchema.optional(),
  /** Run it twice, with another run between, and compare. */
  verify: z.boolean(),
  /** The seed that this worker is asked for next, if that is known: it can be the run between. */
  following: z.strictObject({ page: number, seed: number, forks: forksSchema.optional() }).optional(),
  /** Maximum number of steps in the search for an order of one key's operations. */
  searchStepsMax: number.optional(),
  /** The mutant that is on, in a program that has any; absent or 0: none. */
  mutant: number.optional(),
  /** The first and the last turn of the run in which it is on, from 1 on; absent: in all. */
  turns: z.strictObject({ first: number, last: number }).optional(),
  /**
   * Tell of each site in which turns it was reached. `events`: those whose turns led to something, the nearest to it first.
   */
  sites: z.strictObject({ events: z.array(number).max(sitesEventsMax), since: number.optional() }).optional(),
  /** Tell what the run was made of, and end it early if need be. */
  account: z
    .strictObject({
      ends: z.strictObject({ afterFaultsMs: z.number().optional(), atUs: number.optional() }).optional(),
    })
    .optional(),
  /** Decisions that are left out, by their identities: no firing of a rule, no operation of a client comes of them. */
  without: z
    .array(z.string().regex(/^[0-9a-f]{16}$/))
    .max(withoutMax)
    .optional(),
  /** Tell which lines of the agent ran. */
  code: z.literal(true).optional(),
  /** Tell each event of the run, too, with its causes, before its end. */
  events: z.literal(true).optional(),
  /** A run that uses more CPU time is ended, even if its virtual time advances. In milliseconds. */
  cpuMaxMs: number.optional(),
})

export const requestSchema = z.discriminatedUnion('kind', [pageRequest, seedRequest])
export type Request = z.infer<typeof requestSchema>
export type PageRequest = z.infer<typeof pageRequest>
export type SeedRequest = z.infer<typeof seedRequest>

/** In which turns a site was reached that can be changed. */
const reachedSite = z.strictObject({
  site: number,
  /** In so many turns. */
  turns: number,
  /** The first and the last of them. */
  from: number,
  until: number,
  /** The first was of the event that was named as `since`, or of a later one. */
  isNew: z.literal(true).optional(),
  /** Place among the events that were named of the nearest whose turn reached it, and the first and the last such turn. */
  near: number.optional(),
  first: number.optional(),
  last: number.optional(),
})
export type ReachedSite = z.infer<typeof reachedSite>

/** A place that returned nothing. */
const returnedNothing = z.strictObject({
  place: number,
  turns: number,
  /** As of sites. */
  near: number.optional(),
  /** It rises with the time at which it last did. */
  order: number,
})
export type ReturnedNothing = z.infer<typeof returnedNothing>

/** The worker has started. */
const ready = z.strictObject({ kind: z.literal('ready') })

/** A run begins; it is the one to blame if the worker ends before its next line. */
const begun = z.strictObject({ kind: z.literal('begun'), page: number, seed: number })

/** An event of the run that goes on, where they were asked for. Its writer and its reader are of one build. */
const event = z.strictObject({
  kind: z.literal('event'),
  event: z.custom<TraceRecord>((value) => isRecord(value) && typeof value['n'] === 'number'),
})

/** The answer to a request for a seed. */
const ended = z.strictObject({
  kind: z.literal('ended'),
  record: seedRecordSchema,
  /** Runs that this worker had made before the one of the record. */
  runsBefore: number,
  /** What the run was made of, where it was asked for. */
  account: accountSchema.optional(),
  /** By built module of the agent the lines that ran, as ranges, where they were asked for. */
  code: z.record(z.string(), z.string()).optional(),
  /** Where it was asked for. */
  sites: z.array(reachedSite).optional(),
  returns: z.array(returnedNothing).optional(),
  /**
   * Sites that can be changed and were reached, as ranges: `3-7,12`. Of a program that has any, while no mutant was on.
   */
  reached: z.string().optional(),
  /** The same of those that were reached while the modules were loaded. */
  loaded: z.string().optional(),
})

/** The run that has begun does not advance, or uses more CPU time than it may, and the worker ends itself. */
const stuck = z.strictObject({
  kind: z.literal('stuck'),
  /** CPU and wall-clock time since virtual time has last advanced, in milliseconds. */
  cpuMs: z.number(),
  wallMs: z.number(),
  virtualUs: z.number(),
  /** The innermost frames, where they could be obtained. */
  stack: z.array(z.string().max(500)).max(30),
})

export const replySchema = z.discriminatedUnion('kind', [ready, begun, event, ended, stuck])
export type Reply = z.infer<typeof replySchema>
export type Stuck = z.infer<typeof stuck>
export type Ended = z.infer<typeof ended>
