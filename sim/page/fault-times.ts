import type { FaultSpan } from '../picture/film-format.ts'

/** The times of any fault, merged. The argument is in order of the faults' beginnings. */
export function joined(faults: readonly Pick<FaultSpan, 'fromUs' | 'toUs'>[]): readonly (readonly [number, number])[] {
  const spans: [number, number][] = []
  for (const { fromUs, toUs } of faults) {
    const last = spans.at(-1)
    if (last !== undefined && fromUs <= last[1]) last[1] = Math.max(last[1], toUs)
    else spans.push([fromUs, toUs])
  }
  return spans
}
