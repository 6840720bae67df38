import { gzipSync } from 'node:zlib'
import { Location, Profile, Function as ProfileFunction, Sample, StringTable, ValueType } from 'pprof-format'

/** A function and its place. `line` 0: unknown. */
export interface Frame {
  readonly name: string
  readonly file: string
  readonly line: number
}

/** The findings at one place. `stack` begins with the function itself; `values` are in the order of their types. */
export interface StackSample {
  readonly stack: readonly Frame[]
  readonly values: readonly number[]
}

export type Measure = readonly [type: string, unit: string]

export interface Sampled {
  readonly measures: readonly Measure[]
  /** The unit by which the process is sampled, and how many units pass between samples. */
  readonly period: { readonly measure: Measure; readonly value: number }
  readonly samples: Iterable<StackSample>
  readonly beganMs: number
  readonly tookMs: number
}

/** Encodes samples in pprof's format, compressed. Source: github.com/google/pprof, proto/profile.proto. */
export function encodeProfile({ measures, period, samples, beganMs, tookMs }: Sampled): Uint8Array {
  const strings = new StringTable()
  const typeOf = ([type, unit]: Measure): ValueType =>
    new ValueType({ type: strings.dedup(type), unit: strings.dedup(unit) })
  const places = new Places(strings)
  const sample = [...samples].map(
    ({ stack, values }) =>
      new Sample({ locationId: stack.map((frame) => places.idOf(frame)), value: values.map(Math.round) }),
  )
  const profile = new Profile({
    sampleType: measures.map(typeOf),
    sample,
    location: places.locations,
    function: places.functions,
    stringTable: strings,
    timeNanos: BigInt(Math.round(beganMs)) * 1_000_000n,
    durationNanos: BigInt(Math.round(tookMs)) * 1_000_000n,
    periodType: typeOf(period.measure),
    period: period.value,
  })
  return gzipSync(profile.encode())
}

/** Each place is in a profile once. */
class Places {
  readonly locations: Location[] = []
  readonly functions: ProfileFunction[] = []
  readonly #strings: StringTable
  readonly #ids = new Map<string, number>()

  constructor(strings: StringTable) {
    this.#strings = strings
  }

  idOf({ name, file, line }: Frame): number {
    const key = `${name}\n${file}\n${line}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#ids.size + 1
    this.#ids.set(key, id)
    const [nameId, filename] = [this.#strings.dedup(name), this.#strings.dedup(file)]
    this.functions.push(new ProfileFunction({ id, name: nameId, systemName: nameId, filename, startLine: line }))
    this.locations.push(new Location({ id, line: [{ functionId: id, line }] }))
    return id
  }
}
