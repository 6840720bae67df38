import { type FilmOverview, stillWaiting } from '../picture/film-format.ts'
import { hasFailed } from './operations.ts'
import type { View } from './view.ts'

/** Number of parts of the visible time in which operations are counted. */
export const parts = 150

/** What clients saw, in parts of equal length of the visible time. */
export interface Counted {
  readonly seconds: readonly number[]
  readonly answered: readonly number[]
  readonly failed: readonly number[]
  /** Milliseconds; null if nothing was answered. */
  readonly median: readonly (number | null)[]
  readonly slow: readonly (number | null)[]
}

/** Counted by the time of the request. */
export function countedIn(
  { operations }: Pick<FilmOverview, 'operations'>,
  { fromUs, toUs }: Pick<View, 'fromUs' | 'toUs'>,
): Counted {
  const each = (toUs - fromUs) / parts
  const answered = new Array<number>(parts).fill(0)
  const failed = new Array<number>(parts).fill(0)
  const times: number[][] = Array.from({ length: parts }, () => [])
  for (const [at, atUs] of operations.atUs.entries()) {
    const part = Math.floor((atUs - fromUs) / each)
    if (part < 0 || part >= parts) continue
    const status = operations.status[at] ?? 0
    if (status === stillWaiting) continue
    const counts = hasFailed(status) ? failed : answered
    counts[part] = (counts[part] ?? 0) + 1
    if (counts === answered) times[part]?.push((operations.tookUs[at] ?? 0) / 1000)
  }
  const share = (of: number) =>
    times.map((list) => list.sort((a, b) => a - b)[Math.floor((list.length - 1) * of)] ?? null)
  return {
    seconds: answered.map((_, part) => (fromUs + (part + 0.5) * each) / 1_000_000),
    answered,
    failed,
    median: share(0.5),
    slow: share(0.99),
  }
}
