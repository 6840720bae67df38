import { type Drawing, smallFont, usualFont } from './drawing.ts'
import { drawArrows, drawChains, drawEvents } from './event-drawing.ts'
import { type BarRow, barHeight, nameWidth } from './geometry.ts'
import { drawClockAndRelease, drawFaults, drawLane } from './lane-drawing.ts'
import { drawOperations } from './operation-drawing.ts'
import { drawCursor, drawGone, drawRuler } from './ruler-drawing.ts'
import { fitted } from './words.ts'

export function drawFilm(drawing: Drawing): void {
  const { context, geometry, scale, palette } = drawing
  context.fillStyle = palette.ground
  context.fillRect(0, 0, scale.width, geometry.height)
  context.font = usualFont
  context.textBaseline = 'middle'
  for (const box of geometry.lanes) drawLane(drawing, box)
  for (const row of geometry.rows) drawRow(drawing, row)
  for (const box of geometry.lanes) drawOperations(drawing, box)
  for (const box of geometry.lanes) drawFaults(drawing, box)
  for (const box of geometry.lanes) drawClockAndRelease(drawing, box)
  drawGone(drawing)
  for (const box of geometry.lanes) drawEvents(drawing, box)
  drawArrows(drawing)
  drawNames(drawing)
  drawRuler(drawing)
  drawChains(drawing)
  drawCursor(drawing)
}

function drawRow({ context, palette, scale }: Drawing, { name, top, boxes, unseen }: BarRow): void {
  const letterWidth = context.measureText('m').width
  for (const { bar, top: y, height } of boxes) {
    const span = scale.span(bar.fromUs, bar.toUs)
    if (span === undefined) continue
    context.fillStyle = palette.bar
    context.fillRect(span.x, y, span.width - 1, height)
    context.fillStyle = palette.text
    context.fillText(fitted(bar.text, span.width - 6, letterWidth), span.x + 3, y + height / 2)
  }
  context.fillStyle = palette.ground
  context.fillRect(0, top, nameWidth, barHeight)
  context.fillStyle = palette.faint
  context.fillText(name, 6, top + 8, nameWidth - 10)
  if (unseen === 0) return
  context.font = smallFont
  context.fillText(`and ${unseen} more`, 6, top + 8 + barHeight, nameWidth - 10)
  context.font = usualFont
}

function drawNames({ context, palette, geometry, view, scale }: Drawing): void {
  const datacenters = new Set(geometry.lanes.flatMap(({ lane }) => lane.datacenter ?? []))
  const [first, last] = [geometry.lanes[0], geometry.lanes.at(-1)]
  if (first === undefined || last === undefined) return
  context.fillStyle = palette.ground
  context.fillRect(0, first.top, nameWidth, last.top + last.height - first.top)
  for (const { lane, top, height } of geometry.lanes) {
    context.fillStyle = lane.name === view.machine ? palette.cursor : palette.text
    context.font = `${lane.name === view.machine ? 'bold ' : ''}12px ui-monospace, monospace`
    context.fillText(lane.name, 6, top + Math.min(12, height / 2), nameWidth - 10)
    context.font = smallFont
    context.fillStyle = palette.faint
    const release = lane.releases.findLast(([at]) => at <= view.cursorUs)?.[1]
    const ahead = lane.clock.findLast(([at]) => at <= view.cursorUs)?.[1] ?? 0
    const clock = Math.abs(ahead) >= 1 ? `, clock ${ahead > 0 ? '+' : '−'}${Math.abs(ahead / 1000).toFixed(1)} s` : ''
    const place = datacenters.size > 1 ? ` in ${lane.datacenter}` : ''
    if (release !== undefined && height >= 28) {
      context.fillText(`${release}${place}${clock}`, 6, top + 25, nameWidth - 10)
    }
  }
  context.font = usualFont
  context.fillStyle = palette.line
  context.fillRect(nameWidth - 1, 0, 1, Math.min(geometry.height, scale.width * 100))
}
