import { stillWaiting } from '../picture/film-format.ts'
import type { Drawing } from './drawing.ts'
import type { LaneBox, TimeScale } from './geometry.ts'
import { hasFailed, type Operation, rowsMax } from './operations.ts'

/** Pixels of a lane above its first row, and below its last. */
const margin = 3

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
