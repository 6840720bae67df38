/** Maximum size of a packet. Source: RFC 3164, section 4.1. */
const packetBytesMax = 1_024

/** A packet as a daemon reads it. */
export interface SyslogPacket {
  readonly severity: number
  readonly host: string
  readonly said: string
}

const month = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const form = new RegExp(
  `^<(\\d{1,3})>(?:${month}) [ 1-3]\\d [0-2]\\d:[0-5]\\d:[0-5]\\d (\\S+) ([a-z]{1,32}): (.*)$`,
  's',
)

/** What is wrong with a packet, or what is in it. Source: RFC 3164. */
export function syslogPacket(text: string, bytes: number): SyslogPacket | string {
  if (bytes > packetBytesMax) return `has ${bytes} bytes`
  const [, priority, host = '', , said = ''] = form.exec(text) ?? []
  if (priority === undefined) return `cannot be read: ${JSON.stringify(text)}`
  return read(priority, host, said)
}

/** A line for `logger --prio-prefix`, without its end. Source: logger(1) of util-linux. */
export function loggerLine(text: string, host: string): SyslogPacket | string {
  const [, priority, said = ''] = /^<(\d{1,3})>(.*)$/s.exec(text) ?? []
  return priority === undefined ? `cannot be read: ${JSON.stringify(text)}` : read(priority, host, said)
}

function read(priority: string, host: string, said: string): SyslogPacket | string {
  if (Number(priority) > 191) return `has the priority ${priority}`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it must not have.
  if (/[\u0000-\u001f\u007f]/.test(said)) return `has control characters: ${JSON.stringify(said)}`
  return { severity: Number(priority) % 8, host, said }
}

const severities: ReadonlyMap<string, number> = new Map([
  ['ERROR', 3],
  ['WARN', 4],
  ['INFO', 5],
])

/** A line of the log as it must arrive: `[INFO] agent: text`. Undefined: it is of a lower level. */
export function expectedLine(line: string): { readonly severity: number; readonly said: string } | undefined {
  const [, level = '', said = ''] = /^\[([A-Z]+)\] (.*)$/s.exec(line) ?? []
  const severity = severities.get(level)
  return severity === undefined ? undefined : { severity, said: keyOf(said) }
}

/** Enough of a line to know it again, without what a packet may escape or cut. */
const keyLength = 200

export function keyOf(said: string): string {
  return said.replace(/\\u[0-9a-f]{4}|\\[nrt]|[^\x20-\x5b\x5d-\x7e]/g, '').slice(0, keyLength)
}
