import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FilmSource } from './film-source.ts'
import { geometryOf, nameWidth, TimeScale } from './geometry.ts'
import { wordsAt } from './hover.ts'
import { drawFilm } from './lanes-drawing.ts'
import { arrowsIn } from './messages.ts'
import { operationsOf } from './operations.ts'
import { paletteOf } from './palette.ts'
import { pickedAt } from './picking.ts'
import { useRedrawForPrint } from './printing.ts'
import { panned, type View, zoomed } from './view.ts'
import { useWidth } from './width.ts'
import { Words } from './words.ts'

/** With more pieces in sight the number of events is drawn in place of each. */
const piecesDrawnMax = 5
/** What a turn of the wheel by a hundred pixels does to the time in sight. */
const zoomOfWheel = 1.25

export interface PictureProps {
  readonly source: FilmSource
  /** Rises when a piece was opened. */
  readonly opened: number
  readonly view: View
  readonly lit: ReadonlySet<number>
  readonly theme: string
  readonly onView: (change: (view: View) => View) => void
}

/** The lanes: drag to go through time, turn the wheel to zoom, click to choose. */
export function Picture({ source, opened, view, lit, theme, onView }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  const { overview } = source
  const geometry = useMemo(() => geometryOf(overview), [overview])
  const scale = new TimeScale(view, width)
  const isNear = source.countBetween(view.fromUs, view.toUs) <= piecesDrawnMax
  const pieces = isNear ? source.between(view.fromUs, view.toUs) : []
  const arrows = useMemo(() => arrowsIn(pieces), [pieces.map(({ span }) => span.first).join(), opened])
  const operations = useMemo(() => operationsOf(overview), [overview])
  const scene = { geometry, scale, pieces, arrows, view, operations }

  const draw = (): void => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (element === null || context === null || context === undefined) return
    const ratio = devicePixelRatio
    element.width = width * ratio
    element.height = geometry.height * ratio
    context.scale(ratio, ratio)
    const palette = paletteOf(document.documentElement)
    drawFilm({ context, overview, palette, words: new Words(context, palette), lit, ...scene })
  }
  useEffect(draw, [view, width, opened, lit, theme, arrows])
  useRedrawForPrint(draw)

  useEffect(() => {
    const element = canvas.current
    const turned = (event: WheelEvent): void => {
      event.preventDefault()
      const isAside = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
      onView((now) => {
        const at = new TimeScale(now, width)
        if (isAside) return panned(now, (event.deltaX + (event.shiftKey ? event.deltaY : 0)) * at.usPerPixel, overview)
        return zoomed(now, at.us(event.offsetX), zoomOfWheel ** (event.deltaY / 100), overview)
      })
    }
    element?.addEventListener('wheel', turned, { passive: false })
    return () => element?.removeEventListener('wheel', turned)
  }, [width])

  const dragged = useDrag(scale, (byUs) => onView((now) => panned(now, byUs, overview)))
  const chosen = ({ offsetX, offsetY }: MouseEvent): void => {
    if (dragged.hasMoved()) return
    const { machine, n } = pickedAt(offsetX, offsetY, scene)
    const cursorUs = Math.min(overview.endUs, Math.max(0, scale.us(Math.max(offsetX, nameWidth))))
    onView((now) => ({
      ...now,
      machine: machine ?? now.machine,
      selected: n ?? now.selected,
      cursorUs: offsetX < nameWidth ? now.cursorUs : cursorUs,
    }))
  }
  const [pointed, setPointed] = useState<{ readonly x: number; readonly y: number }>()
  return (
    <div class="lanes">
      <canvas
        ref={canvas}
        id="lanes"
        role="img"
        aria-label="What each machine does over virtual time. The panel beside it has the same as text."
        style={{ height: `${geometry.height}px` }}
        onMouseDown={dragged.begin}
        onClick={chosen}
        onMouseMove={({ offsetX, offsetY }) => setPointed({ x: offsetX, y: offsetY })}
        onMouseLeave={() => setPointed(undefined)}
      />
      {pointed === undefined ? null : (
        <Tip {...pointed} width={width} lines={wordsAt(pointed.x, pointed.y, { ...scene, overview })} />
      )}
    </div>
  )
}

interface TipProps {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly lines: readonly string[]
}

/** What is under the mouse, beside it, on the side that has room. */
function Tip({ x, y, width, lines }: TipProps) {
  if (lines.length === 0) return null
  const side = x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` }
  return (
    <div id="tip" role="tooltip" style={{ ...side, top: `${y + 14}px` }}>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  )
}

/** Follows the mouse from where it went down until it goes up, wherever that is. */
function useDrag(scale: TimeScale, onMove: (byUs: number) => void) {
  const moved = useRef(0)
  return {
    hasMoved: () => moved.current > 4,
    begin: (event: MouseEvent) => {
      moved.current = 0
      let last = event.clientX
      const move = ({ clientX }: MouseEvent): void => {
        moved.current += Math.abs(clientX - last)
        onMove((last - clientX) * scale.usPerPixel)
        last = clientX
      }
      const up = (): void => {
        removeEventListener('mousemove', move)
        removeEventListener('mouseup', up)
      }
      addEventListener('mousemove', move)
      addEventListener('mouseup', up)
    },
  }
}
