/**
 * Work that may be done in slices, so that others have their turn in between: it yields what it has done since the last
 * time and returns what came of it. The unit is what it takes to decode one byte of MessagePack, some 30 ns.
 */
export type Sliced<T> = Generator<number, T, void>

/** Does all of it at once. */
export function wholly<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
