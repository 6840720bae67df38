import { z } from 'zod'
import { base64 } from '../../base/bytes.ts'
import { LinearRegexp } from '../../base/linear-regexp.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { ValueReader } from '../../gossip/wire/value-reader.ts'
import { ValueWriter } from '../../gossip/wire/value-writer.ts'
import type { ServiceFacts } from '../../model/catalog.ts'
import type { UserEvent } from '../../model/remote-exec.ts'

/** The only version of the format so far. */
const version = 1
/** Maximum length of any text in an event; the limit for the whole is far smaller. */
const textBytesMax = 512

/** Reference: events.md#firing-an-event. */
export const userEventShape = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    Payload: z.string().meta({ contentEncoding: 'base64' }).nullable(),
    NodeFilter: z.string(),
    ServiceFilter: z.string(),
    TagFilter: z.string(),
    Version: z.number().int(),
    LTime: z.number().int(),
  })
  .meta({ id: 'UserEvent' })

export function userEventJson(event: UserEvent): z.infer<typeof userEventShape> {
  return {
    ID: event.id,
    Name: event.name,
    Payload: event.payload.length === 0 ? null : base64(event.payload),
    NodeFilter: event.nodeFilter,
    ServiceFilter: event.serviceFilter,
    TagFilter: event.tagFilter,
    Version: version,
    LTime: event.lamport,
  }
}

/** Encodes an event in the field's format: members in order of their names, empty ones left out. */
export function encodeUserEvent(event: UserEvent): Uint8Array {
  const filters = [
    ['nf', event.nodeFilter],
    ['sf', event.serviceFilter],
    ['tf', event.tagFilter],
  ] as const
  const named = filters.filter(([, value]) => value !== '')
  const writer = new ValueWriter()
  writer.mapHead(3 + named.length + (event.payload.length > 0 ? 1 : 0))
  const field = (key: string, value: string): void => {
    writer.text(key)
    writer.text(value)
  }
  field('ID', event.id)
  field('n', event.name)
  for (const [key, value] of named) if (key === 'nf') field(key, value)
  if (event.payload.length > 0) {
    writer.text('p')
    writer.raw(event.payload)
  }
  for (const [key, value] of named) if (key !== 'nf') field(key, value)
  writer.text('v')
  writer.uint(version)
  return writer.take()
}

/** Undefined if the bytes are not an event, or of a later version. */
export function decodeUserEvent(bytes: Uint8Array, lamport: number): UserEvent | undefined {
  const from = new ValueReader(bytes)
  const read = { id: '', name: '', nodeFilter: '', serviceFilter: '', tagFilter: '' }
  let payload = new Uint8Array(0)
  let form = 0
  for (let left = from.mapHead(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'ID') read.id = from.text(textBytesMax)
    else if (key === 'n') read.name = from.text(textBytesMax)
    else if (key === 'p') payload = Uint8Array.from(from.raw(bytes.length))
    else if (key === 'nf') read.nodeFilter = from.text(textBytesMax)
    else if (key === 'sf') read.serviceFilter = from.text(textBytesMax)
    else if (key === 'tf') read.tagFilter = from.text(textBytesMax)
    else if (key === 'v') form = from.uint(255)
    else from.skip()
  }
  if (from.failed || form > version || !eventIdShape.test(read.id)) return undefined
  return { ...read, payload, lamport }
}

const eventIdShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Whether the filters select this agent: by its name, one of its services, or a tag of one of these. Each filter is
 * compiled once, whatever the number of services, because that may take 30 ms; `mayCompile`: whether it may be at all.
 */
export function suits(
  event: UserEvent,
  nodeName: string,
  services: readonly ServiceFacts[],
  mayCompile: (expression: string) => boolean,
): boolean {
  const matcherOf = (expression: string): ((text: string) => boolean) => {
    const regexp = mayCompile(expression) ? LinearRegexp.from(expression) : undefined
    return regexp?.ok === true ? (text) => regexp.value.test(text) : () => false
  }
  if (event.nodeFilter !== '' && !matcherOf(event.nodeFilter)(nodeName)) return false
  if (event.serviceFilter === '') return true
  const isNamed = matcherOf(event.serviceFilter)
  const named = services.filter(({ service }) => isNamed(service))
  if (event.tagFilter === '' || named.length === 0) return named.length > 0
  const isTag = matcherOf(event.tagFilter)
  return named.some(({ tags }) => tags.some((tag) => isTag(tag)))
}

/** Checks the filters of an event that is about to be fired. */
export function checkFilters(event: UserEvent): Result<undefined, string> {
  for (const [name, expression] of [
    ['node', event.nodeFilter],
    ['service', event.serviceFilter],
    ['tag', event.tagFilter],
  ] as const) {
    const regexp = LinearRegexp.from(expression)
    if (!regexp.ok) return err(`Invalid ${name} filter: ${regexp.error}`)
  }
  if (event.tagFilter !== '' && event.serviceFilter === '') {
    return err('Cannot provide tag filter without service filter')
  }
  return ok(undefined)
}

/** The index of a list of events, for whose change clients wait: the halves of the last ID, xor-ed. */
export function eventIndex(events: readonly UserEvent[]): bigint {
  const last = events.at(-1)
  if (last === undefined) return 1n
  const digits = last.id.replaceAll('-', '')
  return BigInt(`0x${digits.slice(0, 16)}`) ^ BigInt(`0x${digits.slice(16)}`)
}
