/** Clocks that differ by less are the same for an operator. */
const differenceMs = 60_000

/** How far the clock of the servers is ahead of that of the browser; zero if the difference does not matter. */
export function aheadMs(serverMs: number, browserMs: number): number {
  const difference = serverMs - browserMs
  return Math.abs(difference) > differenceMs ? difference : 0
}
