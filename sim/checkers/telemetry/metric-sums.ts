/** One value in a line of statsd. */
interface MetricLine {
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
function exposedName(name: string): string {
  const letters = [...name].map((letter) => (/[A-Za-z0-9_:]/.test(letter) ? letter : '_')).join('')
  return /^\d/.test(letters) ? `_${letters}` : letters
}

/** The sum of counts, and the number of samples, by the name of the metric as Prometheus writes it. */
export interface MetricSums {
  readonly counts: ReadonlyMap<string, number>
  readonly samples: ReadonlyMap<string, number>
}

/** Adds up what one receiver gets from one process. */
export class ReceivedSums implements MetricSums {
  readonly counts = new Map<string, number>()
  readonly samples = new Map<string, number>()

  take({ name, value, kind }: MetricLine): void {
    if (kind === 'g') return
    const [sums, by] = kind === 'c' ? [this.counts, value] : [this.samples, 1]
    const exposed = exposedName(name)
    sums.set(exposed, (sums.get(exposed) ?? 0) + by)
  }
}

/** Counts have six decimals in lines. */
const tolerance = 1e-3

/** The first sum that is less than it must be, in words; undefined: none. */
export function shortSum(is: MetricSums, least: MetricSums, of: (name: string) => string): string | undefined {
  for (const key of ['counts', 'samples'] as const) {
    for (const [name, value] of least[key]) {
      const found = is[key].get(name) ?? 0
      if (found < value - tolerance) return `${of(name)} has ${key} of ${found} instead of ${value}`
    }
  }
  return undefined
}

/** The same sums over all names together: lines without tags have labels in their names. */
export function totalOf({ counts, samples }: MetricSums): MetricSums {
  const sum = (values: Iterable<number>): number => [...values].reduce((all, value) => all + value, 0)
  return { counts: new Map([['all', sum(counts.values())]]), samples: new Map([['all', sum(samples.values())]]) }
}
