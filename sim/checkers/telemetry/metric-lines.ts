/** One value in a line of statsd. */
export interface MetricLine {
  readonly name: string
  readonly value: number
  readonly kind: 'c' | 'g' | 'ms'
}

/** `name:value|kind`, and for DogStatsD `|#tag,label:value`. */
const form = /^([^\s:|@#]+):(-?\d+(?:\.\d+)?)\|(c|g|ms)(\|#[^\s|#,]+(?:,[^\s|#,]+)*)?$/

/** Undefined: a receiver cannot read it. Source: statsd, metric types; DogStatsD, datagram format. */
export function metricLine(line: string, hasTags: boolean): MetricLine | undefined {
  const [, name, value, kind, tags] = form.exec(line) ?? []
  if (name === undefined || (tags !== undefined && !hasTags)) return undefined
  return { name, value: Number(value), kind: kind as MetricLine['kind'] }
}

/** The name of a metric as Prometheus writes it. */
export function exposedName(name: string): string {
  const letters = [...name].map((letter) => (/[A-Za-z0-9_:]/.test(letter) ? letter : '_')).join('')
  return /^\d/.test(letters) ? `_${letters}` : letters
}
