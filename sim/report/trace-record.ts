import { z } from 'zod'
import { type Meaning, meaningSchema } from './meaning.ts'
import type { TraceKindName } from './trace-kinds.ts'

/**
 * A trace as JSON lines: a header, then one event per line. The nth event is in line n + 1 of the file. Every number in
 * `causes` is that of an earlier event.
 */

export const traceVersion = 1

/** Maximum number of causes of one event; the first ones are kept. */
export const causesMax = 64

export const traceHeaderSchema = z.strictObject({
  v: z.literal(traceVersion).describe('Version of the format of traces.'),
  scenario: z.string().describe('Name of the scenario, as its file gives it.'),
  seed: z.int().min(0).describe('The seed of the run: with the scenario and the build it gives the same run again.'),
  build: z.string().describe('Commit and date of the program, or its release where that is not known.'),
  nodes: z.array(z.string()).describe('Machines by number, from 1 on: servers, clients, workloads, the driver.'),
})
export type TraceHeader = z.output<typeof traceHeaderSchema>

const means = z.array(meaningSchema).optional().describe('What the bytes say, by the decoders of the agent.')

const whole = z.int().min(0)
const peer = z.string().describe('The machine at the other end.')
const stream = whole.describe('Number of the connection.')
const size = whole.describe('Bytes.')
const delayUs = whole.describe('Microseconds until it arrives or ends.')
const operation = z.string().describe('Operation of the disk.')
const text = z.string()

/**
 * The fields of each kind of event. Kinds up to `lookup` are lines of the trace, which its hash covers; later kinds are
 * made only for readers of the trace.
 */
export const recordFields = {
  timer: {
    setInTurn: whole.describe('Number of the turn that set it.'),
    waits: text.optional().describe('What it is set for, where the setter says so: what it waits for resets it.'),
  },
  action: { text: text.describe('What the world does to the process: a dial succeeds, a wait ends.') },
  datagram: {
    from: peer,
    size,
    fate: z.enum(['arrives', 'nobody listens', 'lost under way', 'no room']),
    means,
  },
  segment: { from: peer, stream, size, means },
  streamControl: { stream, text },
  diskDone: { operation },
  boot: { boot: whole.describe('Which life of the machine it is, from 1 on.') },
  crash: { boot: whole, text },
  pause: {},
  resume: { waiting: whole.describe('Events that happen now because they waited.') },
  log: { text },
  datagramSent: {
    to: peer,
    fate: z.enum(['on its way', 'lost', 'nobody', 'no room', 'copy', 'replay', 'forged']),
    delayUs,
    size,
    means,
  },
  segmentSent: { to: peer, stream, size, means },
  segmentLost: { to: peer, stream, tries: whole.describe('How often it was sent again before.'), means },
  dial: { to: peer, port: whole, stream },
  disk: { operation, delayUs, path: text },
  clock: { text, value: z.int() },
  link: { to: peer, text },
  driver: {
    text,
    story: z.enum(['step', 'fault', 'note', 'failure']).optional().describe('A line of the story.'),
  },
  error: { text },
  child: { text: text.describe('Command line of a child process.'), delayUs },
  diskFault: { text, value: z.int() },
  diskFile: { operation, file: whole, delayUs },
  diskWrite: { file: whole, at: whole.describe('Offset in the file.'), size, means },
  lookup: { text: text.describe('The name that is looked up.') },
  note: { text: text.describe('What a turn did, or drew, as the process itself says it.'), means },
  lost: {
    to: peer,
    stream: whole.describe('Number of the connection; 0: there is none yet.'),
    size,
    how: z
      .enum(['under way', 'held back', 'knock', 'answer', 'reset'])
      .describe(
        'The link was cut while it was under way; its connection waits for an earlier loss; the packet that opens a connection, its answer, its breaking.',
      ),
    means,
  },
  decision: {
    id: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .describe('Identity, as lists of decisions have it.'),
    text: text.describe('What is decided: a rule of the scenario, a firing of it, an operation of a client.'),
  },
  violation: { code: text.describe('Of the invariant; of an expectation its place in the file.'), text },
} as const

export type RecordKind = keyof typeof recordFields
type Fields<Kind extends RecordKind> = z.output<z.ZodObject<(typeof recordFields)[Kind]>>

const common = {
  n: z.int().min(1).describe('Number of the event.'),
  t: whole.describe('True time since the run began, in microseconds.'),
  node: z.string().describe("The machine; 'world': none."),
  causes: z
    .array(z.int().min(1))
    .max(causesMax)
    .describe('Numbers of the events that led to this one; the first is the nearest.'),
  state: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('What has changed about the machine by the end of this turn, of what inspect shows; null: it is gone.'),
}
type Common = z.output<z.ZodObject<typeof common>>

/** The fields of a kind of event besides its number, time, machine and causes. */
export type RecordFields<Kind extends RecordKind> = Fields<Kind>

/** Kinds of events that the hash of a trace does not include, or not always. */
export type ToldKind = Exclude<RecordKind, TraceKindName> | 'driver' | 'link'

/** One event of a trace. */
export type TraceRecord = { readonly [Kind in RecordKind]: Common & { kind: Kind } & Fields<Kind> }[RecordKind]

export const traceRecordSchema: z.ZodType<TraceRecord> = z.discriminatedUnion(
  'kind',
  Object.entries(recordFields).map(([kind, fields]) =>
    z.strictObject({ ...common, kind: z.literal(kind), ...fields }),
  ) as never,
) as never

/** Bytes whose meaning a trace shows: the input of decoders. */
export interface TracedBytes {
  readonly kind: 'datagram' | 'segment' | 'diskWrite'
  /** Names of machines. For a write to a disk, both are its machine. */
  readonly from: string
  readonly to: string
  /** The destination port; for a connection, the dialled port, in either direction. */
  readonly port: number
  /** Number of the connection; 0: none. */
  readonly stream: number
  /** The path of the written file. */
  readonly path?: string
  readonly payload: Uint8Array
}

/**
 * Decodes the meaning of bytes. A run has one reader, because a message may be spread over several segments of its
 * connection. It is called once for each segment, in the order in which the sender wrote them, whether a segment is
 * sent twice or never.
 */
export type MeaningReader = (bytes: TracedBytes) => readonly Meaning[]

/** Causes of the event that is delivered next, or of the next line. */
export type CauseList = readonly number[]

/** Something that a turn delivers: the number of the event that led to it, and a list if there are several. */
export interface Caused {
  cause: number
  causes: CauseList | undefined
}

/** Each cause once, in the given order. */
export function merged(lists: readonly CauseList[]): CauseList {
  const all = new Set<number>()
  for (const list of lists) for (const cause of list) if (cause > 0) all.add(cause)
  return [...all]
}

/** The causes that came before event `n`, each once, and at most as many as a record has. */
export function cut(causes: CauseList, n: number): number[] {
  const kept: number[] = []
  for (const cause of causes)
    if (cause > 0 && cause < n && kept.length < causesMax && !kept.includes(cause)) kept.push(cause)
  return kept
}
