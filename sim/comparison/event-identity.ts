import type { TraceRecord } from '../report/trace-record.ts'

/**
 * Fields that only number things, say when, or follow from how many came before: of an event in two runs these may
 * differ, and it is the same event. Those of `correlated` stand in messages, the others in events.
 */
const numbered: ReadonlySet<string> = new Set([
  'n',
  't',
  'node',
  'causes',
  'setInTurn',
  'delayUs',
  'stream',
  'waiting',
  'file',
  'at',
  'tries',
])
const correlated: ReadonlySet<string> = new Set(['id', 'sequence', 'round', 'identity', 'held'])

/**
 * What makes an event of one run the same as one of another: what happens and with which content. Machine, time and
 * causes are compared besides. IDs are drawn by the seed, and spans of time by chance: both read as `#`.
 */
export function eventIdentity(record: TraceRecord): string {
  const isSaid = 'means' in record && record.means !== undefined && record.means.length > 0
  return JSON.stringify(record, (key: string, value: unknown) => {
    if (key === '') return value
    if (numbered.has(key) || correlated.has(key)) return undefined
    // Bytes that were read are known by what they say: numbers in them make them longer or shorter.
    if (key === 'size' && isSaid) return undefined
    return typeof value === 'string' ? withoutChance(value) : value
  })
}

const drawn =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?=[a-f]*\d)[0-9a-f]{8,}\b|\b\d+(?:[.]\d+)?(?:ms|µs|us|s)\b|:\d{4,5}\b/g

function withoutChance(text: string): string {
  return text.replaceAll(drawn, '#')
}
