import { compareText } from '../../src/base/bytes.ts'
import { type Killer, killers, type MutantLine, type TestedLine } from './lines.ts'

/** The mutants of one room, counted. */
export interface Score {
  readonly room: string
  readonly sampled: number
  readonly reached: number
  readonly killed: Readonly<Record<Killer, number>>
  readonly unseen: number
  readonly sameTrace: number
}

export function scores(lines: readonly MutantLine[]): readonly Score[] {
  const rooms = [...new Set(lines.map(({ room }) => room))]
  const each = rooms.map((room) =>
    scoreOf(
      room,
      lines.filter((line) => line.room === room),
    ),
  )
  return rooms.length < 2 ? each : [...each, scoreOf('all rooms', lines)]
}

function scoreOf(room: string, lines: readonly MutantLine[]): Score {
  const countOf = (holds: (line: MutantLine) => boolean): number => lines.filter(holds).length
  const killed = Object.fromEntries(killers.map((killer) => [killer, countOf((line) => line.killer === killer)]))
  return {
    room,
    sampled: lines.length,
    reached: countOf(({ fate }) => fate !== 'not reached'),
    killed: killed as Record<Killer, number>,
    unseen: countOf(({ fate }) => fate === 'unseen'),
    sameTrace: countOf(({ fate }) => fate === 'same trace'),
  }
}

const columns = ['room', 'sampled', 'reached', ...killers, 'unseen', 'same trace', 'score'] as const

/** A table in Markdown, which is also readable on a terminal. `score`: killed mutants among those reached. */
export function scoreTable(all: readonly Score[]): readonly string[] {
  const rows = all.map(({ room, sampled, reached, killed, unseen, sameTrace }) => {
    const dead = killers.reduce((sum, killer) => sum + killed[killer], 0)
    const numbers = [sampled, reached, ...killers.map((killer) => killed[killer]), unseen, sameTrace]
    return [room, ...numbers, share(dead, reached)]
  })
  return table(columns, rows)
}

export function share(part: number, of: number): string {
  return of === 0 ? '-' : `${((100 * part) / of).toFixed(0)} %`
}

/** The first cell of each row is a text, the others are numbers. */
export function table(
  columns: readonly string[],
  numbers: readonly (readonly (string | number)[])[],
): readonly string[] {
  const rows = numbers.map((row) => row.map(String))
  const widths = columns.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
    return `| ${padded.join(' | ')} |`
  }
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`))
  return [line(columns), `|${rule.join('|')}|`, ...rows.map(line)]
}

/** By room, what the tests kill besides what runs have killed. */
export function testedTable(lines: readonly MutantLine[], tested: readonly TestedLine[]): readonly string[] {
  const byTests = new Map(tested.map((line) => [line.id, line.fate]))
  const rooms = [...new Set(lines.map(({ room }) => room))]
  const rows = [...rooms, ...(rooms.length < 2 ? [] : ['all rooms'])].map((room) => {
    const ofRoom = lines.filter((line) => line.room === room || room === 'all rooms')
    const countOf = (holds: (line: MutantLine) => boolean): number => ofRoom.filter(holds).length
    const isReached = ({ id, fate }: MutantLine): boolean =>
      fate !== 'not reached' || (byTests.get(id) ?? 'not reached') !== 'not reached'
    const reached = countOf(isReached)
    const killed = countOf(({ fate }) => fate === 'killed')
    const more = countOf(({ id, fate }) => fate !== 'killed' && byTests.get(id) === 'killed')
    return [room, ofRoom.length, reached, killed, more, reached - killed - more, share(killed + more, reached)]
  })
  return table(['room', 'sampled', 'reached', 'by runs', 'by tests alone', 'unseen', 'score'], rows)
}

/** Maximum number of scenarios that are named for a survivor; the others are counted. */
const judgesShown = 2

/** Mutants that no run killed, by place: what was reached first, by which scenarios, and what the tests say. */
export function survivorTable(
  lines: readonly MutantLine[],
  tested: readonly TestedLine[] | undefined,
): readonly string[] {
  const alive = lines.filter(({ fate }) => fate !== 'killed')
  const inOrder = alive.toSorted((a, b) => order[a.fate] - order[b.fate] || compareText(a.place, b.place))
  const byTests = new Map(tested?.map((line) => [line.id, line]))
  const rows = inOrder.map(({ id, place, operator, before, after, fate, judges, reaching, telling }) => {
    const shown = judges.slice(0, judgesShown).join(', ')
    const more = telling > judgesShown ? ` and ${telling - judgesShown} more runs` : ''
    const idle = reaching > telling ? `${shown === '' ? '' : '; '}without effect in ${reaching - telling} runs` : ''
    const tests = tested === undefined ? '' : ` ${testsText(byTests.get(id))} |`
    return `| ${place} | ${operator}: ${cell(before)} → ${cell(after)} | ${fate} | ${shown}${more}${idle} |${tests}`
  })
  const [head, rule] = tested === undefined ? ['', ''] : [' tests |', '---|']
  return [`| place | change | fate | reached by |${head}`, `|---|---|---|---|${rule}`, ...rows]
}

function testsText(tested: TestedLine | undefined): string {
  if (tested === undefined) return 'not tried'
  if (tested.fate !== 'killed') return tested.fate
  return tested.test === undefined ? 'killed' : `killed by ${cell(tested.test)}`
}

const order = { unseen: 0, 'same trace': 1, 'not reached': 2, killed: 3 } as const

/** Maximum number of characters of a text in a cell. */
const cellMax = 70

function cell(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  const short = line.length <= cellMax ? line : `${line.slice(0, cellMax - 1)}…`
  return short === '' ? 'nothing' : `\`${short.replaceAll('|', '\\|')}\``
}
