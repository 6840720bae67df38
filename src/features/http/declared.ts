import { z } from 'zod'
import type { AnswerHeader, DeclaredAnswer, QueryParameter, RequestHeader } from '../contract/operation.ts'

const json = 'application/json'
const plainText = 'text/plain; charset=utf-8'

/** The index for a later wait, and how far the answer can be relied on. */
export const indexHeaders = ['index', 'knownLeader', 'lastContact'] as const
/** For answers of the catalog; the last two only with `cached`. */
export const discoveryHeaders = [...indexHeaders, 'effectiveConsistency', 'cache?', 'age?'] as const

type Headers = readonly (AnswerHeader | `${AnswerHeader}?`)[]

export function jsonAnswer(about: string, shape: z.ZodType, headers: Headers = [], status = 200): DeclaredAnswer {
  return { status, about, content: { [json]: shape }, headers }
}

export function emptyAnswer(status: number, about: string, headers: Headers = []): DeclaredAnswer {
  return { status, about, headers }
}

/** A line with the reason. */
export function textAnswer(status: number, about: string, headers: Headers = []): DeclaredAnswer {
  return { status, about, content: { [plainText]: z.string() }, headers }
}

export const done = emptyAnswer(200, 'Done.')
/** The answer to a registration. */
export const registered = emptyAnswer(200, 'Done; the answer names members of the body that were ignored.', [
  'warning?',
])
/** The answer to a conditional change, such as one with `cas`. */
export const taken = jsonAnswer('Whether it took effect.', z.boolean())

/** Schemas of values in answers. */

/** An unsigned 64-bit integer. */
export const uint64Value = z.custom<number | bigint>(() => true).meta({ type: 'integer', format: 'uint64', minimum: 0 })
export const indexValue = z.number().int().nonnegative()
export const textMap = z.record(z.string(), z.string())
export const textList = z.array(z.string()).readonly()

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly()
}

/** Parameters that several operations accept. A pattern describes their text; an empty text counts as absent. */

/** Digits only, without a sign. */
export const digits = z.string().regex(/^[0-9]*$/)

export const durationText = z
  .string()
  .regex(/^(0|[+-]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)?$/)
  .meta({ description: 'A duration with its unit: `10s`, `1h30m`, `300ms`.' })

/** The field's spellings of a boolean. */
export const truthText = z.enum(['', '1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False'])

/** The value of a boolean parameter. Without a value it is true. */
export function isTrue(given: string | undefined): boolean {
  return given !== undefined && !['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(given)
}

export function parameter<const Name extends string>(
  name: Name,
  value: QueryParameter['value'],
  about: string,
): QueryParameter<Name> {
  return { name, value, about }
}

const dc = parameter('dc', z.string(), 'The datacenter to ask; that of the asked agent where it is absent.')

/** The freshness of an answer. Every operation that accepts `dc` accepts them, including writes, which ignore them. */
export const consistencyParameters = [
  parameter('stale', 'presence', 'Any server may answer, however stale its data are.'),
  parameter('consistent', 'presence', 'The leader confirms its quorum first. Not together with `stale` or `cached`.'),
  parameter(
    'cached',
    'presence',
    'The answer may come from the cache of the asked agent, where the operation is cached. Not together with `consistent`.',
  ),
  parameter(
    'max_stale',
    durationText,
    'As `stale`, but data that are older than this are read from the leader instead.',
  ),
] as const

export const waitingParameters = [
  parameter('index', digits, 'Wait until the index of the answer is greater. Reads without an index do not wait.'),
  parameter('wait', durationText, 'Maximum wait: 5 minutes if absent, and at most 10.'),
] as const

/** The parameters of `parseReadOptions`. */
export const readParameters = [dc, ...consistencyParameters, ...waitingParameters] as const

export const near = parameter('near', z.string(), 'A node, or `_agent`: what is nearer to it comes first.')

export const nodeMeta = parameter(
  'node-meta',
  'texts',
  'Only of nodes with this metadata, `key:value`; given several times, with all of it.',
)

export const tag = parameter('tag', 'texts', 'Only instances with this tag; given several times, with all of them.')

export const filter = parameter(
  'filter',
  z.string(),
  'Only entries for which this expression holds. Selectors are the members of their JSON: `Service.Meta.version == "2"`. Of later releases of the field.',
)

const leader = parameter('leader', 'presence', 'The leader answers, whatever the agent is configured to do.')

/** The common parameters of reads of the catalog and of health. */
export const discoveryParameters = [...readParameters, leader] as const

export const cacheControl: RequestHeader = {
  name: 'cache-control',
  about: 'With `cached`: `max-age`, `stale-if-error` in seconds, `must-revalidate`.',
}
