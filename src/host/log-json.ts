import { escapedJson, type LogRecord } from './log-line.ts'

/**
 * The same record as one line of JSON, under the names that later releases of the field give them: `@timestamp` (RFC 3339,
 * UTC), `@level`, `@module`, `@message`, and the fields beside them as they are called.
 */
export function logJson({ wallMs, level, topic, text, fields }: LogRecord): string {
  const line: Record<string, unknown> = {
    '@level': level,
    '@message': text,
    '@module': topic,
    '@timestamp': new Date(wallMs).toISOString(),
  }
  for (const [key, value] of Object.entries(fields ?? {})) {
    // Beyond 2^53 readers of JSON lose digits.
    line[key] = typeof value !== 'bigint' || !Number.isSafeInteger(Number(value)) ? jsonValue(value) : Number(value)
  }
  return escapedJson(line)
}

function jsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
