import type { FaultSpan, FilmOverview, MachineLane, StoryMoment } from '../picture/film-format.ts'
import { escaped, rounded } from '../report/markup.ts'

/** In pixels. */
const width = 900
const nameWidth = 44
const rowHeight = 20
const laneHeight = 14
const rulerHeight = 22
/** The numbers of steps that stand closer together than this on the ruler would overlap. */
const numberGap = 16

/**
 * The run of a lesson as a still picture. It has a lane for each agent, coloured by its term and saturated while the
 * agent leads, shades for faults, and the numbers of the steps that `stepLines` lists.
 */
export function runDrawing({ machines, faults, story, endUs }: FilmOverview): string {
  const agents = machines.flatMap((lane, at) => (lane.kind === 'other' ? [] : [{ lane, at }]))
  const x = (atUs: number): number => rounded(nameWidth + (atUs / Math.max(1, endUs)) * (width - nameWidth))
  const y = (row: number): number => rulerHeight + row * rowHeight
  const rowOf = new Map(agents.map(({ at }, row) => [at, row]))
  const rows = agents.map(({ lane }, row) => laneOf(lane, y(row), endUs, x))
  const shades = faults.flatMap((fault) => shadesOf(fault, rowOf, x, y))
  const height = y(agents.length) + 4
  return [
    `<div class="picture"><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(`Roles and faults over ${seconds(endUs)} s`)}</title>`,
    ...rows,
    ...shades,
    ...rulerOf(stepsOf(story), x, height),
    '</svg></div>',
  ].join('\n')
}

/** The steps and faults of a run, with the same numbers as on the ruler. */
export function stepLines({ story }: Pick<FilmOverview, 'story'>): readonly string[] {
  return stepsOf(story).map(([atUs, kind, text]) => `${seconds(atUs)} s: ${kind === 'fault' ? 'fault: ' : ''}${text}`)
}

function stepsOf(story: FilmOverview['story']): readonly StoryMoment[] {
  return story.filter(([, kind]) => kind === 'step' || kind === 'fault')
}

function laneOf({ name, roles, lives }: MachineLane, y: number, endUs: number, x: (atUs: number) => number): string {
  const parts = [`<text x="0" y="${y + 11}">${escaped(name)}</text>`]
  for (const [at, [fromUs, role, term]] of roles.entries()) {
    const toUs = roles[at + 1]?.[0] ?? endUs
    parts.push(box(x(fromUs), x(toUs), y, `fill="${hueOf(term)}" fill-opacity="${strengthOf(role)}"`))
  }
  for (const [at, [fromUs, is]] of lives.entries()) {
    const toUs = lives[at + 1]?.[0] ?? endUs
    if (is === 'up')
      parts.push(`<line class="lane" x1="${x(fromUs)}" x2="${x(toUs)}" y1="${y + laneHeight}" y2="${y + laneHeight}"/>`)
    else parts.push(box(x(fromUs), x(toUs), y, `class="${is}"`))
  }
  return parts.join('')
}

/** The page of a run colours terms in the same way: each hue is far from the one before. */
function hueOf(term: number): string {
  return `hsl(${90 + ((term * 103) % 250)}, 60%, 50%)`
}

function strengthOf(role: string): number {
  if (role === 'leader') return 0.85
  return role === 'candidate' || role === 'pre-candidate' ? 0.5 : 0.15
}

function shadesOf(
  { kind, fromUs, toUs, machines, text }: FaultSpan,
  rowOf: ReadonlyMap<number, number>,
  x: (atUs: number) => number,
  y: (row: number) => number,
): readonly string[] {
  return machines.flatMap((machine) => {
    const row = rowOf.get(machine)
    if (row === undefined) return []
    const title = `<title>${escaped(`${kind}: ${text}`)}</title>`
    return [`<g class="fault-shade">${title}${box(x(fromUs), x(toUs), y(row), '', 3)}</g>`]
  })
}

function rulerOf(steps: readonly StoryMoment[], x: (atUs: number) => number, height: number): readonly string[] {
  let before = Number.NEGATIVE_INFINITY
  return steps.map(([atUs], at) => {
    const left = x(atUs)
    const isFree = left - before >= numberGap
    if (isFree) before = left
    const number = isFree ? `<text x="${left}" y="12" text-anchor="middle">${at + 1}</text>` : ''
    return `<line class="tick" x1="${left}" x2="${left}" y1="16" y2="${height}"/>${number}`
  })
}

function box(from: number, to: number, y: number, attributes: string, high = laneHeight): string {
  return `<rect x="${from}" y="${y}" width="${rounded(Math.max(0.5, to - from))}" height="${high}" ${attributes}/>`
}

function seconds(us: number): string {
  return (us / 1_000_000).toFixed(1)
}
