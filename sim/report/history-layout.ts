import type { KeyOperation } from '../checkers/keys/key-history.ts'

/** Maximum number of drawn operations: those of the cause, and the latest before the one that cannot be ordered. */
const operationsDrawn = 200

export interface Bar {
  readonly operation: KeyOperation
  /** Columns of its call and of its answer; an open operation reaches up to the next of its row, or to the end. */
  readonly from: number
  to: number
  readonly open: boolean
}

export interface Lane {
  readonly client: string
  /** Bars of a row do not overlap; a client with concurrent operations has several rows. */
  readonly rows: readonly (readonly Bar[])[]
}

/** The explanation that a picture shows of the operations of a key. */
export interface Explanation {
  /** One order of operations, which explains their answers. */
  readonly order: readonly KeyOperation[]
  /** The answer that no order explains; undefined if an order explains every answer. */
  readonly blocked: KeyOperation | undefined
  /** A few operations that have no order among themselves. */
  readonly cause: readonly KeyOperation[]
}

/** The last moment in the picture, in microseconds. */
export function shownUntil({ blocked }: Explanation): number {
  return blocked?.returnUs ?? Number.POSITIVE_INFINITY
}

/** The operations that have a bar in the picture, in order of calls. */
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
export function columnTimes(drawn: readonly KeyOperation[], endUs: number): readonly number[] {
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

export function lanesOf(drawn: readonly KeyOperation[], times: readonly number[], endUs: number): readonly Lane[] {
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

/** Numbers in names are compared as numbers: client 2 comes before client 10. */
function compareNames(a: string, b: string): number {
  const padded = (name: string): string => name.replace(/\d+/g, (digits) => digits.padStart(12, '0'))
  return padded(a) < padded(b) ? -1 : 1
}
