import type { TraceRecord } from '../report/trace-record.ts'
import type { OpenPiece } from './film-source.ts'
import type { Geometry, LaneBox, TimeScale } from './geometry.ts'
import type { Arrow } from './messages.ts'
import { operationAt } from './operation-drawing.ts'
import type { OperationsByMachine } from './operations.ts'
import type { View } from './view.ts'

/** Distance in pixels within which something is hit. */
const near = 7

export interface Picked {
  readonly machine: string | undefined
  readonly n: number | undefined
}

/** What the picture shows, and where. */
export interface Scene {
  readonly geometry: Geometry
  readonly scale: TimeScale
  readonly pieces: readonly OpenPiece[]
  readonly arrows: readonly Arrow[]
  readonly view: View
  readonly operations: OperationsByMachine
}

/** The message, or the event of a machine's lane, at a point of the picture. */
export function pickedAt(x: number, y: number, scene: Scene): Picked {
  const { geometry, scale, pieces } = scene
  const box = geometry.lanes.find(({ top, height }) => y >= top && y < top + height)
  const middle = box === undefined ? Number.POSITIVE_INFINITY : Math.abs(y - middleOf(box))
  const event = box === undefined || middle > near ? undefined : nearestEvent(x, box, pieces, scale)
  const arrow = event === undefined ? nearestArrow(x, y, scene) : undefined
  const operation = box === undefined || event !== undefined ? undefined : operationAt(x, y, box, scene)
  return { machine: box?.lane.name, n: event?.n ?? operation?.n ?? arrow?.n }
}

function middleOf({ top, height }: LaneBox): number {
  return top + height / 2
}

function nearestEvent(
  x: number,
  { lane }: LaneBox,
  pieces: readonly OpenPiece[],
  scale: TimeScale,
): TraceRecord | undefined {
  let found: TraceRecord | undefined
  let least: number = near
  for (const { events } of pieces) {
    for (const event of events) {
      if (event.node !== lane.name) continue
      const distance = Math.abs(scale.x(event.t) - x)
      if (distance >= least) continue
      least = distance
      found = event
    }
  }
  return found
}

function nearestArrow(x: number, y: number, { geometry, scale, arrows, view }: Scene): Arrow | undefined {
  const middle = new Map(geometry.lanes.map((box) => [box.lane.name, middleOf(box)]))
  let found: Arrow | undefined
  let least: number = near
  for (const arrow of arrows) {
    const [fromY, toY] = [middle.get(arrow.from), middle.get(arrow.to)]
    if (view.hidden.has(arrow.layer) || fromY === undefined || toY === undefined) continue
    const ends = { x1: scale.x(arrow.fromUs), y1: fromY, x2: scale.x(arrow.toUs), y2: toY }
    const distance = distanceTo(x, y, ends)
    if (distance >= least) continue
    least = distance
    found = arrow
  }
  return found
}

/** Distance from a point to a line between two points. */
function distanceTo(
  x: number,
  y: number,
  { x1, y1, x2, y2 }: { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number },
): number {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length))
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy)
}
