import type { TraceRecord } from '../report/trace-record.ts'

/**
 * Fields that only number things, give a time, or depend on how many came before: the same event may have different
 * values in two runs. Those in `correlated` are in messages, the others in events.
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
 * What makes an event of one run the same as one of another: its kind and its content. Machine, time and causes are
 * compared separately. IDs depend on the seed, and spans of time on draws: both are replaced by `#`.
 */
export function eventIdentity(record: TraceRecord): string {
  const isSaid = 'means' in record && record.means !== undefined && record.means.length > 0
  return JSON.stringify(record, (key: string, value: unknown) => {
    if (key === '') return value
    if (numbered.has(key) || correlated.has(key)) return undefined
    // Decoded bytes are identified by their meaning: numbers in them change their length.
    if (key === 'size' && isSaid) return undefined
    return typeof value === 'string' ? withoutChance(value) : value
  })
}

const drawn =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?=[a-f]*\d)[0-9a-f]{8,}\b|\b\d+(?:[.]\d+)?(?:ms|µs|us|s)\b|:\d{4,5}\b/g

function withoutChance(text: string): string {
  return text.replaceAll(drawn, '#')
}
