import type { Drawing } from './drawing.ts'
import { nameWidth, rulerHeight } from './geometry.ts'
import { seconds } from './view.ts'

/** Maximum number of characters of a step on the ruler, and the minimum that is worth showing; the story has the whole text. */
const stepLetters = { most: 38, least: 6 } as const

/** Times, and the steps of the page. */
export function drawRuler({ context, palette, overview, scale, geometry }: Drawing): void {
  context.fillStyle = palette.ground
  context.fillRect(0, 0, scale.width, rulerHeight - 12)
  for (const us of scale.marks()) {
    context.fillStyle = palette.faint
    context.fillText(`${seconds(us)} s`, scale.x(us) + 3, 8)
    context.fillStyle = palette.line
    context.fillRect(scale.x(us), 0, 1, 14)
  }
  const marks = overview.story.flatMap(([atUs, kind, text]) => {
    const x = scale.x(atUs)
    return x < nameWidth || x > scale.width || kind === 'note' ? [] : [{ x, kind, text }]
  })
  const letterWidth = context.measureText('m').width
  for (const [at, { x, kind, text }] of marks.entries()) {
    context.fillStyle = kind === 'step' ? palette.cursor : palette.fault
    context.globalAlpha = 0.18
    context.fillRect(x, rulerHeight - 12, 1, geometry.height)
    context.globalAlpha = 1
    context.fillRect(x - 2, 16, 5, 5)
    const room = Math.floor(((marks[at + 1]?.x ?? scale.width) - x - 12) / letterWidth)
    if (kind !== 'step' || room < stepLetters.least) continue
    const letters = Math.min(room, stepLetters.most)
    context.fillText(text.length > letters ? `${text.slice(0, letters - 1)}…` : text, x + 6, 20)
  }
}

export function drawCursor({ context, palette, scale, geometry, view }: Drawing): void {
  const x = scale.x(view.cursorUs)
  if (x < nameWidth || x > scale.width) return
  context.fillStyle = palette.cursor
  context.fillRect(x, 14, 1, geometry.height)
}

/** Times whose events the page had no room for. */
export function drawGone({ context, palette, overview, scale, geometry }: Drawing): void {
  const last = overview.pieces.findLast(({ isGone }) => isGone === true)
  const span = last === undefined ? undefined : scale.span(0, last.toUs)
  if (span === undefined) return
  context.fillStyle = palette.faint
  context.globalAlpha = 0.15
  context.fillRect(span.x, rulerHeight - 4, span.width, geometry.height)
  context.globalAlpha = 1
  if (span.width > 200) context.fillText('single events of this time are not in the page', span.x + 6, rulerHeight + 2)
}
