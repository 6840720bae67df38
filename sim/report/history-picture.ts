import { deedText, type KeyOperation, operationText, secondsText, valueText } from '../checkers/keys/key-history.ts'
import { changesKey, heldAfter } from '../checkers/keys/key-verdict.ts'
import {
  type Bar,
  columnTimes,
  drawnOperations,
  type Explanation,
  type Lane,
  lanesOf,
  shownUntil,
} from './history-layout.ts'
import { escaped, rounded } from './markup.ts'
import { type EffectPoint, effectPoints } from './order-points.ts'

/** A picture with few columns has wide ones, which fill a screen, between these limits. */
const columnWidths = { least: 34, most: 150, all: 1000 }
const rowHeight = 30
const barHeight = 22
const laneGap = 10
const nameWidth = 170
const axisHeight = 40
/** Maximum number of characters of a value in a tooltip. */
const valueCharacters = 200

/** The drawn things, and the positions of the columns. */
interface Scene {
  readonly times: readonly number[]
  readonly columnWidth: number
  readonly lanes: readonly Lane[]
  readonly points: readonly EffectPoint[]
  readonly marks: Marks
  readonly explanation: Explanation
}

/**
 * The operations of a key, up to the answer that no order explains if there is one, as SVG: a lane for each client, a
 * bar from call to answer, and for operations in the order a point where they take effect, with the key's value from
 * then on. Calls and answers stand in their order at equal distances, whatever the time between them: overlapping
 * operations overlap, and nothing is too short to be seen.
 */
export function historyPicture(operations: readonly KeyOperation[], explanation: Explanation): string {
  const { order, blocked, cause } = explanation
  const drawn = drawnOperations(operations, explanation)
  const endUs = shownUntil(explanation)
  const times = columnTimes(drawn, endUs)
  const { least, most, all } = columnWidths
  const scene: Scene = {
    times,
    columnWidth: Math.max(least, Math.min(most, Math.floor(all / (times.length + 1)))),
    lanes: lanesOf(drawn, times, endUs),
    points: effectPoints(order, new Set(drawn), times),
    marks: new Marks(order, new Set(cause), blocked),
    explanation,
  }
  const keyHeight = order.length === 0 ? 0 : rowHeight + laneGap
  const tops = laneTops(scene.lanes, axisHeight + keyHeight)
  const width = nameWidth + (times.length + 1) * scene.columnWidth
  const height = tops.end + laneGap
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="history" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Operations of each client in time">`,
    ...axis(scene, height),
    ...(keyHeight === 0 ? [] : heldBands(scene)),
    ...scene.lanes.flatMap((lane) => laneSvg(lane, tops.of.get(lane) ?? 0, width, scene)),
    ...effects(scene, tops.of),
    '</svg>',
  ].join('\n')
}

interface Tops {
  readonly of: ReadonlyMap<Lane, number>
  readonly end: number
}

function laneTops(lanes: readonly Lane[], first: number): Tops {
  let end = first
  const of = new Map<Lane, number>()
  for (const lane of lanes) {
    of.set(lane, end)
    end += laneGap + lane.rows.length * rowHeight
  }
  return { of, end }
}

function laneSvg(lane: Lane, y: number, width: number, scene: Scene): readonly string[] {
  const top = y + laneGap / 2
  return [
    `<line class="lane" x1="0" y1="${y}" x2="${width}" y2="${y}"/>`,
    `<text class="client" x="6" y="${top + barHeight - 6}">${escaped(shortened(lane.client, 24))}</text>`,
    ...lane.rows.flatMap((bars, row) => bars.map((bar) => barSvg(bar, top + row * rowHeight, scene))),
  ]
}

/** The key's value, from each operation that changed it until the next. */
function heldBands({ points, times, columnWidth, explanation: { order } }: Scene): readonly string[] {
  const first = points[0]?.operation
  const before = first === undefined ? order : order.slice(0, order.indexOf(first))
  const changes = [
    { column: 0, value: heldAfter(before) },
    ...points
      .filter(({ operation }) => changesKey(operation))
      .map(({ operation, column }) => ({ column, value: operation.value })),
  ]
  const y = axisHeight + laneGap / 2
  const bands = changes.map(({ column, value }, at) => {
    const x = rounded(nameWidth + column * columnWidth)
    const end = nameWidth + (changes[at + 1]?.column ?? times.length) * columnWidth
    const width = rounded(Math.max(1, end - x))
    const text = width < 12 ? '' : escaped(shortened(value ?? '-', Math.floor((width - 4) / 6.7)))
    return [
      `<g class="held${at % 2 === 1 ? ' odd' : ''}"><title>${escaped(`the key holds ${shownValue(value)}`)}</title>`,
      `<rect x="${x}" y="${y}" width="${width}" height="${barHeight}"/>`,
      `<text x="${x + 4}" y="${y + barHeight - 7}">${text}</text></g>`,
    ].join('')
  })
  return [`<text class="held-name" x="6" y="${y + barHeight - 6}">the key holds</text>`, ...bands]
}

/** A point where each operation takes effect, joined in their order. */
function effects({ points, lanes, columnWidth }: Scene, tops: Tops['of']): readonly string[] {
  const rows = new Map<KeyOperation, number>()
  for (const lane of lanes) {
    const top = (tops.get(lane) ?? 0) + laneGap / 2 + barHeight
    for (const [row, bars] of lane.rows.entries()) {
      for (const { operation } of bars) rows.set(operation, top + row * rowHeight)
    }
  }
  const places = points.map(({ operation, column }) => ({
    x: rounded(nameWidth + column * columnWidth),
    y: rows.get(operation) ?? 0,
  }))
  if (places.length === 0) return []
  return [
    `<polyline class="effects" points="${places.map(({ x, y }) => `${x},${y}`).join(' ')}"/>`,
    ...places.map(({ x, y }) => `<circle class="effect" cx="${x}" cy="${y}" r="4"/>`),
  ]
}

/** The role of each operation in the explanation. */
class Marks {
  readonly #order: readonly KeyOperation[]
  readonly #place: ReadonlyMap<KeyOperation, number>
  readonly #cause: ReadonlySet<KeyOperation>
  readonly #blocked: KeyOperation | undefined

  constructor(order: readonly KeyOperation[], cause: ReadonlySet<KeyOperation>, blocked: KeyOperation | undefined) {
    this.#order = order
    this.#place = new Map(order.map((operation, at) => [operation, at]))
    this.#cause = cause
    this.#blocked = blocked
  }

  classOf(operation: KeyOperation): string {
    const kind = operation === this.#blocked ? 'blocked' : this.#place.has(operation) ? 'ordered' : 'free'
    return this.#cause.has(operation) ? `${kind} cause` : kind
  }

  /** Its position in the order, if it has one. */
  numberOf(operation: KeyOperation): number | undefined {
    const place = this.#place.get(operation)
    return place === undefined ? undefined : place + 1
  }

  sayingOf(operation: KeyOperation): string {
    const place = this.#place.get(operation)
    if (operation === this.#blocked) return 'cannot be ordered'
    if (place === undefined) return 'not in the order: it need not have taken effect, or is not judged'
    return `number ${place + 1} of the order; then the key holds ${shownValue(heldAfter(this.#order.slice(0, place + 1)))}`
  }
}

function barSvg({ operation, from, to, open }: Bar, y: number, { marks, columnWidth }: Scene): string {
  const x = nameWidth + from * columnWidth
  const width = Math.max(to - from, 0.25) * columnWidth - 2
  const number = marks.numberOf(operation)
  const label = `${number === undefined ? '' : `${number}. `}${shortText(operation)}`
  const fits = Math.max(1, Math.floor((width - 6) / 6.7))
  // Open to the right: it has no edge there, because its end is unknown.
  const shape = open
    ? `<path d="M${x + width} ${y}H${x}V${y + barHeight}H${x + width}"/>`
    : `<rect x="${x}" y="${y}" width="${width}" height="${barHeight}" rx="3"/>`
  return [
    `<g class="${marks.classOf(operation)}${open ? ' open' : ''}">`,
    `<title>${escaped(`${operationText(operation)}\n${marks.sayingOf(operation)}`)}</title>`,
    shape,
    `<text x="${x + 4}" y="${y + barHeight - 7}">${escaped(shortened(label, fits))}</text>`,
    '</g>',
  ].join('')
}

/** `w a`, `r a`, `cas a>b`, `del`: a text short enough for a bar. */
function shortText(operation: KeyOperation): string {
  const { kind, value, expected, found, outcome } = operation
  const shown = (text: string | undefined): string => text ?? '-'
  switch (kind) {
    case 'read':
      return outcome === 'ok' ? `r ${shown(found)}` : 'r ?'
    case 'write':
      return `w ${shown(value)}`
    case 'cas':
      return `cas ${shown(expected)}>${shown(value)}${outcome === 'refused' ? ' no' : ''}`
    default:
      return deedText(operation)
  }
}

function shortened(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, Math.max(0, characters - 1))}…`
}

/** A line and its time every few columns. */
function axis({ times, columnWidth }: Scene, height: number): readonly string[] {
  const labelled = Math.ceil(100 / columnWidth)
  return times.flatMap((time, at) => {
    const x = nameWidth + at * columnWidth
    const line = `<line class="tick" x1="${x}" y1="${axisHeight - 8}" x2="${x}" y2="${height}"/>`
    return at % labelled === 0
      ? [line, `<text class="time" x="${x}" y="${axisHeight - 14}">${secondsText(time)}</text>`]
      : [line]
  })
}

function shownValue(value: string | undefined): string {
  return shortened(valueText(value), valueCharacters)
}
