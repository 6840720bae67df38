import { z } from 'zod'
import { type Failure, type FailureKind, failureText, meshOffText } from '../model/failure.ts'
import { frameBytesMax } from './frame.ts'

const message = z.string()

/** One row for each kind, so that a new kind does not compile until it can be sent. */
const shapes = {
  'bad-request': z.object({ kind: z.literal('bad-request'), message }),
  'too-large': z.object({ kind: z.literal('too-large'), message }),
  'not-found': z.object({ kind: z.literal('not-found'), message }),
  'no-leader': z.object({ kind: z.literal('no-leader') }),
  'not-leader': z.object({
    kind: z.literal('not-leader'),
    leader: z
      .string()
      .optional()
      .transform((leader) => leader),
  }),
  'unknown-datacenter': z.object({ kind: z.literal('unknown-datacenter'), datacenter: z.string() }),
  'no-servers': z.object({ kind: z.literal('no-servers') }),
  'outcome-unknown': z.object({ kind: z.literal('outcome-unknown'), message, final: z.literal(true).optional() }),
  'deadline-exceeded': z.object({ kind: z.literal('deadline-exceeded'), message }),
  cancelled: z.object({ kind: z.literal('cancelled') }),
  overloaded: z.object({ kind: z.literal('overloaded'), message }),
  'rate-limited': z.object({ kind: z.literal('rate-limited') }),
  'shutting-down': z.object({ kind: z.literal('shutting-down') }),
  'disk-full': z.object({ kind: z.literal('disk-full') }),
  'permission-denied': z.object({ kind: z.literal('permission-denied'), message }),
  'token-not-found': z.object({ kind: z.literal('token-not-found') }),
  'access-control-off': z.object({ kind: z.literal('access-control-off') }),
  'legacy-access-control': z.object({ kind: z.literal('legacy-access-control'), message }),
  'unknown-method': z.object({ kind: z.literal('unknown-method'), method: z.string() }),
  'malformed-answer': z.object({ kind: z.literal('malformed-answer'), method: z.string() }),
  'mesh-off': z.object({ kind: z.literal('mesh-off') }),
  refused: z.object({ kind: z.literal('refused'), message }),
} as const satisfies Record<FailureKind, z.ZodType>

/**
 * Kinds that have no name of their own between agents: every release sends and understands them as a refusal with
 * exactly this text. The text is compared here, at the edge, and nowhere else.
 */
const withinRefused = [{ failure: { kind: 'mesh-off' }, text: meshOffText }] as const satisfies readonly {
  readonly failure: Failure
  readonly text: string
}[]

/** A failure in the form that agents of every release understand. */
export function failureToWire(failure: Failure): unknown {
  // For the agent that forwarded the request it is a refusal like any other: releases that do not know the kind still
  // show what is wrong.
  const isWithin = failure.kind === 'malformed-answer' || withinRefused.some((row) => row.failure.kind === failure.kind)
  return isWithin ? { kind: 'refused', message: failureText(failure) } : failure
}

/** A failure in the form that another agent sent. One of an unknown kind (from a newer release) keeps its text. */
export function failureFromWire(value: unknown): Failure {
  const failure = knownFailure(value)
  if (failure.kind !== 'refused') return failure
  return withinRefused.find(({ text }) => text === failure.message)?.failure ?? failure
}

function knownFailure(value: unknown): Failure {
  const kind = z.object({ kind: z.string() }).safeParse(value)
  // Every object has a `toString`: only rows of the table are kinds, whatever name the peer sends.
  if (kind.success && Object.hasOwn(shapes, kind.data.kind)) {
    if (kind.data.kind === 'not-leader') {
      const parsed = shapes['not-leader'].safeParse(value)
      if (parsed.success) return { kind: 'not-leader', leader: parsed.data.leader }
    } else {
      const parsed = shapes[kind.data.kind as Exclude<FailureKind, 'not-leader'>].safeParse(value)
      if (parsed.success) return parsed.data
    }
  }
  const text = z.object({ message: z.string() }).safeParse(value)
  return { kind: 'refused', message: text.success ? text.data.message : 'a failure of an unknown kind' }
}

/**
 * Why this frame must not be sent, if it must not: the peer would close the connection because of its length, and with
 * it everything else that is under way. A write that was answered has taken effect: it must not look refused.
 */
export function tooLong(frame: Uint8Array, what: 'request' | 'answer' | 'answer to a write'): Failure | undefined {
  if (frame.length <= 4 + frameBytesMax) return undefined
  const message = `the ${what} is longer than the limit of ${frameBytesMax} bytes between agents`
  if (what !== 'answer to a write') return { kind: 'too-large', message }
  return { kind: 'outcome-unknown', message: `${message}; the write took effect`, final: true }
}
