/**
 * Work that may be done in slices, so that other work can run in between. It yields the work done since the last time,
 * and returns its result. The unit is the cost of decoding one byte of MessagePack, some 30 ns.
 */
export type Sliced<T> = Generator<number, T, void>

/** Does the whole work at once. */
export function wholly<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
