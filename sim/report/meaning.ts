import { z } from 'zod'

/**
 * The meaning of bytes on the network or the disk, in the terms of their protocol. `sim/meaning` decodes it, a trace
 * shows it, and `svc-sim trace` selects by it.
 */

/** Maximum number of shown parts of one packet; further ones are only counted. */
export const meaningsMax = 64
/** Maximum number of shown members, entries or records of one message; further ones are only counted. */
export const shownMax = 16
/** Longer texts are cut. */
const textMax = 200

const whole = z.int().min(0)
const term = whole.describe('Raft term.')
const index = whole.describe('Index of the log.')
const text = z.string()
const flag = z.boolean()
const bytes = whole.describe('Bytes.')
const member = text.describe('The member that it is about.')
const incarnation = whole.describe("The member's incarnation that it is about.")
const lamport = whole.describe('Lamport time.')
const sequence = whole.describe('Number by which an answer finds its question.')
const round = whole.describe("The leader's count of rounds; 0: a notice that is not answered.")
const id = whole.describe('Number of the request on its connection, chosen by the requester.')
const method = text.describe('`KV.Get`, `Catalog.Register`; of an answer that of its request, where that was read.')
const event = text.describe('Name of the event or query.')

/** The names in a request or a command, if it has any. */
export const subjects = [
  'key',
  'prefix',
  'service',
  'node',
  'session',
  'check',
  'query',
  'event',
  'name',
  'id',
  'kind',
  'state',
  'source',
  'destination',
  'action',
  'place',
] as const
export type Subject = (typeof subjects)[number]
export const about = z
  .partialRecord(z.enum(subjects), z.union([text, z.array(text).max(shownMax)]))
  .describe('What the request or command names: key, service, node, session, check and the like.')
export type About = z.output<typeof about>

const entry = z
  .strictObject({
    index,
    term,
    kind: z.enum(['command', 'no-op', 'configuration']),
    command: text.optional().describe('`kv.put`, `session.create`: kind of the command.'),
    about: about.optional(),
    servers: text.optional().describe('Voters and nonvoters of a configuration.'),
  })
  .describe('An entry of the log.')
export type EntryMeaning = z.output<typeof entry>

const entries = z.array(entry).max(shownMax).describe(`The first ${shownMax} entries.`)
const pre = flag.describe('It asks whether an election could be won; no term changes.')

/** Names and fields of each layer. One row is one message. */
export const meaningFields = {
  gossip: {
    ping: { sequence, member },
    'indirect-ping': {
      sequence,
      member,
      nack: flag.describe('The requester wants to be told if the member does not answer.'),
    },
    ack: { sequence, bytes },
    nack: { sequence },
    suspect: { member, incarnation, from: text.describe('The member that suspects it.') },
    alive: {
      member,
      incarnation,
      address: text,
      tags: z
        .record(text, text)
        .describe('What the member says about itself: its release, its datacenter, what it supports.'),
    },
    dead: { member, incarnation, from: text.describe('The member that says so; itself: it left.') },
    'leave-intent': { member, lamport, prune: flag.describe('It is forgotten at once.') },
    'join-intent': { member, lamport },
    'user-event': { event, lamport, bytes },
    query: { event, lamport, id: whole, from: text, bytes },
    'query-response': { lamport, id: whole, from: text, bytes },
    relay: { to: text, id: whole, from: text },
    'push-pull': {
      join: flag.describe('The sender joins by it.'),
      lamport,
      count: whole.describe('Members in it.'),
      members: z
        .array(z.strictObject({ member, state: z.enum(['alive', 'suspect', 'dead', 'left']), incarnation }))
        .max(shownMax)
        .describe(`The first ${shownMax} of them.`),
      events: whole.describe('User events in it.'),
    },
    error: { text },
  },
  raft: {
    'vote-request': {
      pre,
      term,
      lastIndex: index,
      lastTerm: term,
      transfer: flag.describe('The leader asked for it.'),
    },
    'vote-response': { pre, term, granted: flag },
    'append-request': {
      term,
      prev: whole.describe('Index that the entries follow.'),
      prevTerm: term,
      count: whole.describe('Entries; 0: a heartbeat.'),
      commit: whole.describe('Committed up to this index.'),
      round,
      entries,
    },
    'append-response': {
      term,
      success: flag,
      index: whole.describe('Success: verified up to here. Refusal: where the logs may still agree.'),
      hintTerm: whole.describe("Refusal: term of the follower's entry there; 0: unknown."),
      round,
    },
    'snapshot-chunk': {
      term,
      index,
      offset: whole,
      bytes,
      size: whole.describe('Bytes of the whole snapshot.'),
      round,
    },
    'snapshot-response': { term, index, nextOffset: whole, installed: flag, round },
    'timeout-now': { term },
  },
  rpc: {
    hello: { node: text, id: text.describe('Node ID.'), datacenter: text, address: text, protocol: whole },
    request: {
      id,
      method,
      about: about.optional(),
      consistency: text.optional().describe('Of a read: `default`, `consistent`, `stale`.'),
      minIndex: whole.optional().describe('A blocking read waits for a greater index.'),
      identity: text.optional().describe('Of a write: `ORIGIN/NUMBER`, the same over all attempts.'),
    },
    answer: {
      id,
      method: method.optional(),
      about: about.optional().describe('Of the request.'),
      index: whole.optional().describe('Index at which the result last changed.'),
      outcome: text.optional().describe('`true`, `3 rows`, `nothing`; of a text its length alone.'),
    },
    failure: { id, method: method.optional(), about: about.optional(), failure: text, text: text.optional() },
    cancel: { id, method: method.optional() },
    notice: { topic: text, bytes },
    ping: {},
    pong: {},
  },
  http: {
    request: {
      method: text,
      target: text.describe('Path and query, without secrets.'),
      about: about.optional(),
      bytes,
    },
    answer: {
      status: whole,
      method: text.optional(),
      target: text.optional().describe('Of its request.'),
      about: about.optional().describe('Of its request.'),
      index: whole.optional().describe('`X-Svc-Index`.'),
      bytes,
    },
  },
  dns: {
    question: { id: whole, question: text, type: text },
    answer: {
      id: whole,
      question: text,
      type: text,
      rcode: text,
      truncated: flag,
      count: whole,
      records: z.array(text).max(shownMax).describe(`The first ${shownMax} records of the answer section.`),
    },
  },
  log: {
    'hard-state': { term, votedFor: text.optional().describe('Node ID; absent: it has not voted in this term.') },
    entry: { ...entry.shape },
    truncate: { from: index },
    reset: { index, term },
    continued: {},
  },
  /** The bytes do not complete a message yet. */
  part: {
    frame: { of: text.describe('Layer of the stream.'), bytes, held: whole.describe('Bytes that wait for the rest.') },
  },
  /** The bytes cannot be decoded. */
  unknown: { bytes: { bytes, why: text.optional() } },
} as const satisfies Record<string, Record<string, z.core.$ZodShape>>

type Table = typeof meaningFields
export type Layer = keyof Table
type Fields<Shape> = keyof Shape extends never
  ? unknown
  : Shape extends z.core.$ZodShape
    ? z.output<z.ZodObject<Shape>>
    : never

/** One message, entry or record. */
export type Meaning = {
  [L in Layer]: { [N in keyof Table[L]]: { layer: L; name: N } & Fields<Table[L][N]> }[keyof Table[L]]
}[Layer]

export const meaningSchema: z.ZodType<Meaning> = z.discriminatedUnion(
  'layer',
  Object.entries(meaningFields).map(([layer, names]) =>
    z.discriminatedUnion(
      'name',
      Object.entries(names).map(([name, fields]) =>
        z.strictObject({ layer: z.literal(layer), name: z.literal(name), ...fields }),
      ) as never,
    ),
  ) as never,
) as never

/** A text of at most `textMax` characters. */
export function cut(value: string): string {
  return value.length <= textMax ? value : `${value.slice(0, textMax)}…`
}
