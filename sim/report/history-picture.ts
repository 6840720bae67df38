import { deedText, type KeyOperation, operationText, secondsText, valueText } from '../checkers/keys/key-history.ts'
import { heldAfter } from '../checkers/keys/key-verdict.ts'

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Text as it may stand in HTML and SVG, in elements and in quoted attributes; control characters become visible. */
export function escaped(text: string): string {
  return (
    text
      .replace(/[&<>"']/g, (one) => entities.get(one) as string)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not stand in a page
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd')
      .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
  )
}

/** Operations drawn: those of the cause, and the latest before the one that cannot be ordered. */
const operationsDrawn = 200

const columnWidth = 34
const rowHeight = 30
const barHeight = 22
const laneGap = 10
const nameWidth = 170
const axisHeight = 40

interface Bar {
  readonly operation: KeyOperation
  /** Columns of its call and of its answer; an open one reaches up to the next of its row, or to the end. */
  readonly from: number
  to: number
  readonly open: boolean
}

interface Lane {
  readonly client: string
  /** Bars of a row do not overlap; a client that asks two things at a time has more than one. */
  readonly rows: readonly (readonly Bar[])[]
}

/** What a picture shows of the operations of a key. */
export interface Explanation {
  /** One order of operations, which explains their answers. */
  readonly order: readonly KeyOperation[]
  /** The answer that no order explains; undefined: there is none. */
  readonly blocked: KeyOperation | undefined
  /** Few operations that have no order among them. */
  readonly cause: readonly KeyOperation[]
}

/**
 * The operations of a key, up to the answer that nothing explains if there is one, as SVG: a lane for each client, a
 * bar from call to answer. Calls and answers stand in their order at equal distances, whatever time passed between
 * them: what overlaps overlaps, and nothing is too short to be seen.
 */
export function historyPicture(operations: readonly KeyOperation[], explanation: Explanation): string {
  const { order, blocked, cause } = explanation
  const drawn = drawnOperations(operations, explanation)
  const endUs = shownUntil(explanation)
  const times = columnTimes(drawn, endUs)
  const lanes = lanesOf(drawn, times, endUs)
  const rows = lanes.reduce((sum, lane) => sum + lane.rows.length, 0)
  const width = nameWidth + (times.length + 1) * columnWidth
  const height = axisHeight + rows * rowHeight + lanes.length * laneGap
  const marks = new Marks(order, new Set(cause), blocked)
  const parts: string[] = []
  let y = axisHeight
  for (const lane of lanes) {
    const top = y + laneGap / 2
    parts.push(`<line class="lane" x1="0" y1="${y}" x2="${width}" y2="${y}"/>`)
    parts.push(`<text class="client" x="6" y="${top + barHeight - 6}">${escaped(shortened(lane.client, 24))}</text>`)
    for (const [row, bars] of lane.rows.entries()) {
      for (const bar of bars) parts.push(barSvg(bar, top + row * rowHeight, marks))
    }
    y += laneGap + lane.rows.length * rowHeight
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    ...axis(times, height),
    ...parts,
    '</svg>',
  ].join('\n')
}

/** The last moment that the picture has, in microseconds. */
export function shownUntil({ blocked }: Explanation): number {
  return blocked?.returnUs ?? Number.POSITIVE_INFINITY
}

/** What has a bar in the picture, in order of calls. */
export function drawnOperations(
  operations: readonly KeyOperation[],
  explanation: Explanation,
): readonly KeyOperation[] {
  const endUs = shownUntil(explanation)
  const needed = new Set(explanation.cause)
  const before = operations
    .filter((one) => one.callUs <= endUs || needed.has(one))
    .sort((a, b) => a.callUs - b.callUs || a.returnUs - b.returnUs)
  const latest = new Set(before.slice(-operationsDrawn))
  return before.filter((one) => latest.has(one) || needed.has(one))
}

/** The times that have a column, each once: those of calls, and of answers up to the end of the picture. */
function columnTimes(drawn: readonly KeyOperation[], endUs: number): readonly number[] {
  const times = new Set<number>()
  for (const { callUs, returnUs } of drawn) {
    times.add(callUs)
    if (isAnswered(returnUs, endUs)) times.add(returnUs)
  }
  return [...times].sort((a, b) => a - b)
}

function isAnswered(returnUs: number, endUs: number): boolean {
  return returnUs <= endUs && returnUs !== Number.POSITIVE_INFINITY
}

function lanesOf(drawn: readonly KeyOperation[], times: readonly number[], endUs: number): readonly Lane[] {
  const column = new Map(times.map((time, at) => [time, at]))
  const clients = new Map<string, Bar[][]>()
  for (const operation of drawn) {
    const from = column.get(operation.callUs) ?? 0
    const open = !isAnswered(operation.returnUs, endUs)
    const bar: Bar = { operation, from, to: open ? times.length : (column.get(operation.returnUs) ?? from), open }
    const rows = clients.get(operation.client) ?? []
    clients.set(operation.client, rows)
    const row = rows.find((bars) => isFree(bars.at(-1), from))
    const last = row?.at(-1)
    if (last?.open === true) last.to = from
    if (row === undefined) rows.push([bar])
    else row.push(bar)
  }
  return [...clients].sort(([a], [b]) => compareNames(a, b)).map(([client, rows]): Lane => ({ client, rows }))
}

function isFree(last: Bar | undefined, from: number): boolean {
  return last === undefined || (last.open ? last.from < from : last.to <= from)
}

/** Numbers in names count as numbers: client 2 comes before client 10. */
function compareNames(a: string, b: string): number {
  const padded = (name: string): string => name.replace(/\d+/g, (digits) => digits.padStart(12, '0'))
  return padded(a) < padded(b) ? -1 : 1
}

/** What each operation is in the explanation. */
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

  /** Its number in the order, if it has one. */
  numberOf(operation: KeyOperation): number | undefined {
    const place = this.#place.get(operation)
    return place === undefined ? undefined : place + 1
  }

  sayingOf(operation: KeyOperation): string {
    const place = this.#place.get(operation)
    if (operation === this.#blocked) return 'cannot be ordered'
    if (place === undefined) return 'not in the order: it need not have taken effect, or is not judged'
    return `number ${place + 1} of the order; then the key holds ${valueText(heldAfter(this.#order.slice(0, place + 1)))}`
  }
}

function barSvg({ operation, from, to, open }: Bar, y: number, marks: Marks): string {
  const x = nameWidth + from * columnWidth
  const width = Math.max(to - from, 0.25) * columnWidth - 2
  const number = marks.numberOf(operation)
  const label = `${number === undefined ? '' : `${number}. `}${shortText(operation)}`
  const fits = Math.max(1, Math.floor((width - 6) / 6.7))
  // Open to the right: no edge there, for nobody knows where it ends.
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

/** `w a`, `r a`, `cas a>b`, `del`: what has room in a bar. */
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

/** Every few columns a line and its time. */
function axis(times: readonly number[], height: number): readonly string[] {
  return times.flatMap((time, at) => {
    const x = nameWidth + at * columnWidth
    const line = `<line class="tick" x1="${x}" y1="${axisHeight - 8}" x2="${x}" y2="${height}"/>`
    return at % 4 === 0
      ? [line, `<text class="time" x="${x}" y="${axisHeight - 14}">${secondsText(time)}</text>`]
      : [line]
  })
}
