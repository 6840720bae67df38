import { type FilmOverview, noAnswer, stillWaiting } from '../picture/film-format.ts'
import type { Drawing } from './drawing.ts'
import type { LaneBox, TimeScale } from './geometry.ts'

/** Rows of a lane for requests that wait at the same time. */
const rowsMax = 4
/** Pixels of a lane above its first row, and below its last. */
const margin = 3

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

function boxOf({ fromUs, toUs, row }: Operation, { top, height }: LaneBox, scale: TimeScale) {
  const span = scale.span(fromUs, toUs)
  if (span === undefined) return undefined
  const rowHeight = (height - 2 * margin) / rowsMax
  return { ...span, y: top + margin + row * rowHeight, height: Math.max(2, rowHeight - 1) }
}

/** The requests of the clients of this lane, with the time until their answers; failed ones last, so that they show. */
export function drawOperations({ context, palette, operations, scale }: Drawing, box: LaneBox): void {
  const mine = box.lane.kind === 'other' ? operations.get(box.place) : undefined
  if (mine === undefined) return
  for (const isForFailed of [false, true]) {
    const drawnTo: number[] = []
    for (const operation of mine) {
      if (hasFailed(operation.status) !== isForFailed) continue
      const shape = boxOf(operation, box, scale)
      // Where many stand in one pixel, one is drawn.
      if (shape === undefined || shape.x + shape.width <= (drawnTo[operation.row] ?? 0)) continue
      drawnTo[operation.row] = Math.ceil(shape.x + shape.width)
      context.fillStyle = isForFailed
        ? palette.violation
        : operation.status === stillWaiting
          ? palette.faint
          : palette.progress
      context.globalAlpha = isForFailed ? 0.9 : 0.45
      context.fillRect(shape.x, shape.y, shape.width, shape.height)
    }
  }
  context.globalAlpha = 1
}

/** The request under a point of a lane; of several, a failed one. */
export function operationAt(
  x: number,
  y: number,
  box: LaneBox,
  { operations, scale }: Pick<Drawing, 'operations' | 'scale'>,
): Operation | undefined {
  const mine = box.lane.kind === 'other' ? (operations.get(box.place) ?? []) : []
  const hit = mine.filter((operation) => {
    const shape = boxOf(operation, box, scale)
    if (shape === undefined) return false
    return x >= shape.x - 1 && x <= shape.x + shape.width + 1 && y >= shape.y - 1 && y <= shape.y + shape.height + 1
  })
  return hit.find(({ status }) => hasFailed(status)) ?? hit[0]
}
