import type { FilmViolation } from '../picture/film-format.ts'
import { type Drawing, smallFont, usualFont } from './drawing.ts'
import { type LaneBox, nameWidth, rulerHeight } from './geometry.ts'

/** Draws each event as a mark, or their number if they are too close together. */
export function drawEvents(drawing: Drawing, box: LaneBox): void {
  if (drawing.pieces.length === 0) drawDensity(drawing, box)
  else drawMarks(drawing, box)
}

function drawDensity({ context, palette, overview, scale }: Drawing, { lane, top, height }: LaneBox): void {
  const most = Math.max(1, ...lane.density)
  context.fillStyle = palette.faint
  context.globalAlpha = 0.45
  for (const [at, count] of lane.density.entries()) {
    const [fromUs, toUs] = [at, at + 1].map((step) => (step / lane.density.length) * overview.endUs)
    const span = count === 0 ? undefined : scale.span(fromUs ?? 0, toUs ?? 0)
    if (span === undefined) continue
    const size = Math.max(1, (count / most) * height * 0.3)
    context.fillRect(span.x, top + height - size, span.width, size)
  }
  context.globalAlpha = 1
}

function drawMarks({ context, palette, scale, pieces, lit, view }: Drawing, { lane, top, height }: LaneBox): void {
  for (const { events } of pieces) {
    for (const event of events) {
      if (event.node !== lane.name || event.t < view.fromUs || event.t > view.toUs) continue
      const isLit = lit.has(event.n) || event.n === view.selected
      context.fillStyle = isLit ? palette.violation : palette.faint
      const size = isLit ? 3.5 : 1.4
      context.beginPath()
      context.arc(scale.x(event.t), top + height / 2, size, 0, 2 * Math.PI)
      context.fill()
    }
  }
}

export function drawArrows({ context, palette, geometry, scale, arrows, view, lit }: Drawing): void {
  const middle = new Map(geometry.lanes.map(({ lane, top, height }) => [lane.name, top + height / 2]))
  for (const arrow of arrows) {
    if (view.hidden.has(arrow.layer) || arrow.toUs < view.fromUs || arrow.fromUs > view.toUs) continue
    const [fromY, toY] = [middle.get(arrow.from), middle.get(arrow.to)]
    if (fromY === undefined || toY === undefined) continue
    const isLit = arrow.n === view.selected || lit.has(arrow.n)
    context.strokeStyle = isLit ? palette.violation : palette.layers[arrow.layer]
    context.lineWidth = isLit ? 2 : 1
    context.globalAlpha = isLit ? 0.9 : Math.min(0.9, Math.max(0.15, 250 / arrows.length))
    const [x, y] = [scale.x(arrow.toUs), arrow.isLost && arrow.fromUs === arrow.toUs ? fromY + (toY - fromY) / 3 : toY]
    context.beginPath()
    context.moveTo(scale.x(arrow.fromUs), fromY)
    context.lineTo(x, y)
    context.stroke()
    drawHead(context, x, y, Math.sign(toY - fromY), arrow.isLost)
  }
  context.globalAlpha = 1
  context.lineWidth = 1
}

/** An arrow of a received message has a head, one of a lost message a cross. */
function drawHead(context: CanvasRenderingContext2D, x: number, y: number, down: number, isLost: boolean): void {
  context.beginPath()
  const strokes = isLost
    ? ([
        [-3, -3, 3, 3],
        [-3, 3, 3, -3],
      ] as const)
    : ([
        [-3, -5 * down, 0, 0],
        [3, -5 * down, 0, 0],
      ] as const)
  for (const [x1, y1, x2, y2] of strokes) {
    context.moveTo(x + x1, y + y1)
    context.lineTo(x + x2, y + y2)
  }
  context.stroke()
}

/** Pixels between two rings of a lane that have room for their numbers. */
const numberRoom = 15

/** Each violation; of the chosen one the events that explain it, with their numbers in the story, and what it needs. */
export function drawChains(drawing: Drawing): void {
  const { overview, geometry, view } = drawing
  const middle = new Map(geometry.lanes.map(({ lane, top, height }) => [lane.name, top + height / 2]))
  const times = new Map<number, string[]>()
  for (const { atUs, code } of overview.violations) {
    const codes = times.get(atUs) ?? []
    if (!codes.includes(code)) times.set(atUs, [...codes, code])
  }
  for (const [atUs, codes] of times) drawViolations(drawing, atUs, codes.join(' '))
  const chosen = overview.violations[view.violation]
  if (chosen === undefined) return
  drawChain(drawing, chosen, middle)
  drawBlame(drawing, chosen, middle)
}

/** A line through all lanes, with what was broken at this time. */
function drawViolations({ context, palette, geometry, scale }: Drawing, atUs: number, codes: string): void {
  const x = scale.x(atUs)
  if (x < nameWidth || x > scale.width) return
  context.fillStyle = palette.violation
  context.fillRect(x - 1, rulerHeight - 8, 2, geometry.height)
  const isLeft = x > scale.width - 60
  context.textAlign = isLeft ? 'right' : 'left'
  context.fillText(codes, isLeft ? x - 4 : x + 4, rulerHeight - 6)
  context.textAlign = 'left'
}

function drawChain(
  { context, palette, scale, view }: Drawing,
  { chain }: FilmViolation,
  middle: ReadonlyMap<string, number>,
): void {
  const freeX = new Map<number, number>()
  context.font = smallFont
  context.strokeStyle = palette.violation
  for (const [place, { atUs, node, n }] of chain.entries()) {
    if (atUs < view.fromUs || atUs > view.toUs) continue
    // Steps and faults have no lane: they are marked on the ruler.
    const y = middle.get(node) ?? markMiddle
    const x = scale.x(atUs)
    context.beginPath()
    context.arc(x, y, n === view.selected ? 7 : 5, 0, 2 * Math.PI)
    context.stroke()
    if (y === markMiddle || x < (freeX.get(y) ?? 0)) continue
    freeX.set(y, x + numberRoom)
    context.fillStyle = palette.violation
    context.fillText(String(place + 1), x + 6, y - 8)
  }
  context.font = usualFont
}

/** Of the marks of steps and faults on the ruler, in pixels. */
const markMiddle = 18

/** A filled mark at each machine that was hit, and a line through all lanes where the failure needs it. */
function drawBlame(
  { context, palette, scale, view, geometry }: Drawing,
  { blame = [] }: FilmViolation,
  middle: ReadonlyMap<string, number>,
): void {
  for (const { atUs, judgement, events } of blame) {
    if (judgement === 'not needed' || atUs < view.fromUs || atUs > view.toUs) continue
    const isNeeded = judgement === 'needed'
    context.fillStyle = isNeeded ? palette.violation : palette.fault
    if (isNeeded) {
      context.globalAlpha = 0.5
      context.fillRect(scale.x(atUs), rulerHeight - 8, 1, geometry.height)
      context.globalAlpha = 1
      context.fillText('needed', scale.x(atUs) + 4, rulerHeight - 6)
    }
    for (const event of events) {
      const y = middle.get(event.node)
      if (y !== undefined) drawDiamond(context, scale.x(event.atUs), y)
    }
  }
}

function drawDiamond(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath()
  context.moveTo(x, y - 8)
  context.lineTo(x + 6, y)
  context.lineTo(x, y + 8)
  context.lineTo(x - 6, y)
  context.closePath()
  context.fill()
}
