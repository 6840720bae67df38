import type { FilmOverview } from '../picture/film-format.ts'
import { joined } from './fault-times.ts'
import type { OpenPiece } from './film-source.ts'
import { type BarRow, type Geometry, type LaneBox, nameWidth, rulerHeight, type TimeScale } from './geometry.ts'
import type { Arrow } from './messages.ts'
import { type Palette, roleColour } from './palette.ts'
import { seconds, type View } from './view.ts'

/** The input of one drawing. */
export interface Drawing {
  readonly context: CanvasRenderingContext2D
  readonly overview: FilmOverview
  readonly geometry: Geometry
  readonly scale: TimeScale
  readonly palette: Palette
  readonly view: View
  /** The visible events; empty: there are too many, and their number is drawn. */
  readonly pieces: readonly OpenPiece[]
  readonly arrows: readonly Arrow[]
  /** Highlighted events: the chain of a violation, or those about the selected one. */
  readonly lit: ReadonlySet<number>
}

export function drawFilm(drawing: Drawing): void {
  const { context, geometry, scale, palette } = drawing
  context.fillStyle = palette.ground
  context.fillRect(0, 0, scale.width, geometry.height)
  context.font = '11px ui-monospace, monospace'
  context.textBaseline = 'middle'
  for (const box of geometry.lanes) drawLane(drawing, box)
  for (const row of geometry.rows) drawRow(drawing, row)
  drawFaults(drawing)
  for (const box of geometry.lanes) drawEvents(drawing, box)
  drawArrows(drawing)
  drawChains(drawing)
  drawNames(drawing)
  drawRuler(drawing)
  drawCursor(drawing)
}

function drawLane(drawing: Drawing, box: LaneBox): void {
  const { context, palette, overview, scale } = drawing
  const { lane, top, height } = box
  context.fillStyle = palette.lane
  context.fillRect(nameWidth, top, scale.width - nameWidth, height)
  for (const [at, [fromUs, role, term]] of lane.roles.entries()) {
    const toUs = lane.roles[at + 1]?.[0] ?? overview.endUs
    const span = role === '' ? undefined : scale.span(fromUs, toUs)
    if (span === undefined) continue
    context.fillStyle = roleColour(role, term, palette.isDark)
    context.fillRect(span.x, top, span.width, height)
    if (role !== 'leader' || span.width < 70) continue
    context.fillStyle = palette.text
    context.fillText(`leader, term ${term}`, span.x + 4, top + 8)
  }
  drawLives(drawing, box)
  drawProgress(drawing, box)
}

/** Hides the times at which a process does not run, or is paused. */
function drawLives({ context, palette, overview, scale }: Drawing, { lane, top, height }: LaneBox): void {
  const lives = lane.kind === 'other' ? lane.lives : [[0, 'down'] as const, ...lane.lives]
  for (const [at, [fromUs, is]] of lives.entries()) {
    const span = is === 'up' ? undefined : scale.span(fromUs, lives[at + 1]?.[0] ?? overview.endUs)
    if (span === undefined) continue
    context.fillStyle = is === 'down' ? palette.down : palette.ground
    context.globalAlpha = is === 'down' ? 0.85 : 0.7
    context.fillRect(span.x, top, span.width, height)
    context.globalAlpha = 1
    if (span.width < 40) continue
    context.fillStyle = palette.faint
    context.fillText(is, span.x + 4, top + height / 2)
  }
}

/** How far the log is committed and applied, from the bottom of the lane to its top over the whole run. */
function drawProgress({ context, palette, overview, scale }: Drawing, { lane, top, height }: LaneBox): void {
  const most = Math.max(1, ...overview.machines.map(({ progress }) => progress.at(-1)?.[1] ?? 0))
  const y = (index: number): number => top + height - 2 - (index / most) * (height - 16)
  for (const [of, dash] of [
    [1, [] as number[]],
    [2, [2, 2]],
  ] as const) {
    context.beginPath()
    context.setLineDash(dash)
    context.strokeStyle = palette.progress
    let before: number | undefined
    for (const step of lane.progress) {
      const x = Math.min(Math.max(scale.x(step[0]), nameWidth), scale.width)
      if (before === undefined) context.moveTo(x, y(step[of]))
      else {
        context.lineTo(x, before)
        context.lineTo(x, y(step[of]))
      }
      before = y(step[of])
    }
    if (before !== undefined) context.lineTo(Math.min(scale.x(overview.endUs), scale.width), before)
    context.stroke()
  }
  context.setLineDash([])
}

function drawRow({ context, palette, scale }: Drawing, { name, top, boxes }: BarRow): void {
  for (const { bar, top: y, height } of boxes) {
    const span = scale.span(bar.fromUs, bar.toUs)
    if (span === undefined) continue
    context.fillStyle = palette.bar
    context.fillRect(span.x, y, span.width - 1, height)
    context.save()
    context.beginPath()
    context.rect(span.x, y, span.width - 1, height)
    context.clip()
    context.fillStyle = palette.text
    if (span.width > 20) context.fillText(bar.text, span.x + 3, y + height / 2)
    context.restore()
  }
  context.fillStyle = palette.ground
  context.fillRect(0, top, nameWidth, 15)
  context.fillStyle = palette.faint
  context.fillText(name, 6, top + 8, nameWidth - 10)
}

function drawFaults({ context, palette, overview, scale, geometry }: Drawing): void {
  context.fillStyle = palette.fault
  for (const { place, top, height } of geometry.lanes) {
    const own = overview.faults.filter(({ machines }) => machines.includes(place))
    for (const [fromUs, toUs] of joined(own.filter(({ kind }) => kind !== 'clock'))) {
      const span = scale.span(fromUs, toUs)
      if (span === undefined) continue
      context.globalAlpha = 0.12
      context.fillRect(span.x, top, span.width, height)
      context.globalAlpha = 1
      context.fillRect(span.x, top, span.width, 2)
    }
    for (const { fromUs } of own.filter(({ kind }) => kind === 'clock')) {
      const span = scale.span(fromUs, fromUs)
      if (span !== undefined) context.fillRect(span.x - 1, top, 3, height)
    }
  }
}

/** Draws each event as a mark, or their number if they are too close together. */
function drawEvents(drawing: Drawing, box: LaneBox): void {
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

function drawArrows({ context, palette, geometry, scale, arrows, view, lit }: Drawing): void {
  const middle = new Map(geometry.lanes.map(({ lane, top, height }) => [lane.name, top + height / 2]))
  for (const arrow of arrows) {
    if (view.hidden.has(arrow.layer) || arrow.toUs < view.fromUs || arrow.fromUs > view.toUs) continue
    const [fromY, toY] = [middle.get(arrow.from), middle.get(arrow.to)]
    if (fromY === undefined || toY === undefined) continue
    const isLit = arrow.n === view.selected || lit.has(arrow.n)
    context.strokeStyle = isLit ? palette.violation : palette.layers[arrow.layer]
    context.lineWidth = isLit ? 2 : 1
    context.globalAlpha = isLit || arrows.length < 400 ? 0.9 : 0.45
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

/** A violation, and the line to it through the events that explain it. */
function drawChains({ context, palette, overview, geometry, scale, view }: Drawing): void {
  const middle = new Map(geometry.lanes.map(({ lane, top, height }) => [lane.name, top + height / 2]))
  for (const { atUs, code, chain } of overview.violations) {
    context.strokeStyle = palette.violation
    context.fillStyle = palette.violation
    const x = scale.x(atUs)
    if (x >= nameWidth && x <= scale.width) {
      context.fillRect(x - 1, rulerHeight - 8, 2, geometry.height)
      context.fillText(code, x + 4, rulerHeight - 6)
    }
    for (const { atUs: at, node } of chain) {
      const y = middle.get(node)
      if (y === undefined || at < view.fromUs || at > view.toUs) continue
      context.beginPath()
      context.arc(scale.x(at), y, 5, 0, 2 * Math.PI)
      context.stroke()
    }
  }
}

function drawNames({ context, palette, geometry, view, scale }: Drawing): void {
  for (const { lane, top, height } of geometry.lanes) {
    context.fillStyle = palette.ground
    context.fillRect(0, top, nameWidth, height)
    context.fillStyle = lane.name === view.machine ? palette.cursor : palette.text
    context.font = `${lane.name === view.machine ? 'bold ' : ''}12px ui-monospace, monospace`
    context.fillText(lane.name, 6, top + Math.min(12, height / 2), nameWidth - 10)
    context.font = '10px ui-monospace, monospace'
    context.fillStyle = palette.faint
    const release = lane.releases.findLast(([at]) => at <= view.cursorUs)?.[1]
    const ahead = lane.clock.findLast(([at]) => at <= view.cursorUs)?.[1] ?? 0
    const clock = Math.abs(ahead) >= 1 ? `, clock ${ahead > 0 ? '+' : ''}${(ahead / 1000).toFixed(1)} s` : ''
    if (release !== undefined && height >= 28) context.fillText(`${release}${clock}`, 6, top + 25, nameWidth - 10)
  }
  context.font = '11px ui-monospace, monospace'
  context.fillStyle = palette.line
  context.fillRect(nameWidth - 1, 0, 1, Math.min(geometry.height, scale.width * 100))
}

/** Maximum number of characters of a step on the ruler; the story has the whole text. */
const stepLetters = 38

/** Times, and the steps of the page. */
function drawRuler({ context, palette, overview, scale, geometry }: Drawing): void {
  context.fillStyle = palette.ground
  context.fillRect(0, 0, scale.width, rulerHeight - 12)
  for (const us of scale.marks()) {
    context.fillStyle = palette.faint
    context.fillText(`${seconds(us)} s`, scale.x(us) + 3, 8)
    context.fillStyle = palette.line
    context.fillRect(scale.x(us), 0, 1, 14)
  }
  let freeX = nameWidth
  for (const [atUs, kind, text] of overview.story) {
    const x = scale.x(atUs)
    if (x < nameWidth || x > scale.width || kind === 'note') continue
    context.fillStyle = kind === 'step' ? palette.cursor : palette.fault
    context.globalAlpha = 0.35
    context.fillRect(x, 14, 1, geometry.height)
    context.globalAlpha = 1
    context.fillRect(x - 2, 16, 5, 5)
    if (kind !== 'step' || x < freeX) continue
    const shown = text.length > stepLetters ? `${text.slice(0, stepLetters)}…` : text
    context.fillText(shown, x + 6, 20)
    freeX = x + 16 + context.measureText(shown).width
  }
}

function drawCursor({ context, palette, scale, geometry, view }: Drawing): void {
  const x = scale.x(view.cursorUs)
  if (x < nameWidth || x > scale.width) return
  context.fillStyle = palette.cursor
  context.fillRect(x, 14, 1, geometry.height)
}
