import type { Meaning } from './meaning.ts'
import { meaningsText } from './meaning-text.ts'
import type { RecordKind, TraceRecord } from './trace-record.ts'

type Words = { readonly [Kind in RecordKind]: (record: Extract<TraceRecord, { readonly kind: Kind }>) => string }

/** The text of each kind of event; its subject is the event's machine. */
const words: Words = {
  timer: ({ waits }) => (waits === undefined ? 'timer fires' : `timer fires: ${waits}`),
  action: ({ text }) => text,
  datagram: ({ from, fate, size, means }) =>
    fate === 'arrives'
      ? `gets from ${from}: ${said(means, size)}`
      : `datagram from ${from}: ${fate}, ${said(means, size)}`,
  segment: ({ from, stream, size, means }) => `gets from ${from} on ${stream}: ${said(means, size)}`,
  streamControl: ({ stream, text }) => `connection ${stream}: ${text}`,
  diskDone: ({ operation }) => `disk has done: ${operation}`,
  boot: ({ boot }) => `boots, life ${boot}`,
  crash: ({ boot, text }) => `crashes in life ${boot}${text === '' ? '' : `: ${text}`}`,
  pause: () => 'pauses',
  resume: ({ waiting }) => `resumes, ${waiting} events waited`,
  log: ({ text }) => `log: ${text}`,
  datagramSent: ({ to, fate, size, means }) =>
    `sends to ${to}${fate === 'on its way' ? '' : ` (${fate})`}: ${said(means, size)}`,
  segmentSent: ({ to, stream, size, means }) => `sends to ${to} on ${stream}: ${said(means, size)}`,
  segmentLost: ({ to, stream, tries, means }) => `sends to ${to} on ${stream}, lost at try ${tries}: ${said(means, 0)}`,
  dial: ({ to, port, stream }) => `dials ${to} port ${port}, connection ${stream}`,
  disk: ({ operation, path }) => `disk: ${operation} ${path}`,
  clock: ({ text, value }) => `clock: ${text} ${value}`,
  link: ({ to, text }) => `link to ${to}: ${text}`,
  driver: ({ text, story }) => `${story ?? 'driver'}: ${text}`,
  error: ({ text }) => `ERROR: ${text}`,
  child: ({ text }) => `runs ${text}`,
  diskFault: ({ text, value }) => `disk fault: ${text} ${value}`,
  diskFile: ({ operation, file }) => `disk: ${operation} of file ${file}`,
  diskWrite: ({ file, at, size, means }) => `writes to file ${file} at ${at}: ${said(means, size)}`,
  lookup: ({ text }) => `looks up ${text}`,
  note: ({ text, means }) => (means === undefined ? text : `${text}: ${said(means, 0)}`),
  lost: ({ to, stream, size, how, means }) => `lost on the way to ${to} on ${stream} (${how}): ${said(means, size)}`,
  decision: ({ text }) => `decision: ${text}`,
  violation: ({ code, text }) => `VIOLATION of ${code}: ${text}`,
}

/** The text of an event, without time, machine and number. */
export function recordWords(record: TraceRecord): string {
  const say = words[record.kind] as (record: TraceRecord) => string
  return say(record)
}

function said(means: readonly Meaning[] | undefined, size: number): string {
  if (means !== undefined && means.length > 0) return meaningsText(means)
  return size === 0 ? 'nothing' : `${size} B`
}
