import { type FilmOverview, noAnswer, stillWaiting } from '../picture/film-format.ts'

/** Rows of a lane for requests that wait at the same time. */
export const rowsMax = 4

/** A request of a client from its sending to its answer. */
export interface Operation {
  readonly fromUs: number
  readonly toUs: number
  readonly status: number
  /** Number of the request's event. */
  readonly n: number
  /** From the top of its lane. */
  readonly row: number
}

/** By the position of the machine that asked, in the order of their beginnings. */
export type OperationsByMachine = ReadonlyMap<number, readonly Operation[]>

export function hasFailed(status: number): boolean {
  return status === noAnswer || status >= 500
}

/** `answered 200`, or why there is no answer. */
export function statusWords(status: number): string {
  if (status === stillWaiting) return 'waits for its answer'
  return status === noAnswer ? 'no answer' : `answered ${status}`
}

/** The rows of a lane are filled from the first on. */
export function operationsOf({ operations }: Pick<FilmOverview, 'operations'>): OperationsByMachine {
  const byMachine = new Map<number, Operation[]>()
  const order = [...operations.atUs.keys()].sort((a, b) => (operations.atUs[a] ?? 0) - (operations.atUs[b] ?? 0))
  const ends = new Map<number, number[]>()
  for (const at of order) {
    const machine = operations.machine[at] ?? -1
    const fromUs = operations.atUs[at] ?? 0
    const toUs = fromUs + (operations.tookUs[at] ?? 0)
    const rows = ends.get(machine) ?? []
    ends.set(machine, rows)
    const row = freeRow(rows, fromUs)
    rows[row] = Math.max(rows[row] ?? 0, toUs)
    const mine = byMachine.get(machine) ?? []
    byMachine.set(machine, mine)
    mine.push({ fromUs, toUs, status: operations.status[at] ?? 0, n: operations.n[at] ?? 0, row })
  }
  return byMachine
}

/** With more requests at a time than rows, the last row has several. */
function freeRow(ends: readonly number[], fromUs: number): number {
  const free = ends.findIndex((endUs) => endUs <= fromUs)
  if (free >= 0) return free
  return Math.min(ends.length, rowsMax - 1)
}
