import type { FilmOverview } from '../picture/film-format.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { eventWords } from './event-words.ts'
import { type Geometry, type LaneBox, nameWidth, rulerHeight, type TimeScale } from './geometry.ts'
import { faultWordsOf } from './lane-drawing.ts'
import { operationAt } from './operation-drawing.ts'
import { statusWords } from './operations.ts'
import { pickedAt, type Scene } from './picking.ts'
import { shortSeconds } from './view.ts'

/** Letters of the words of one event. */
const wordsMax = 220
/** Pixels beside a mark of the ruler in which it is meant. */
const markWidth = 5

interface Shown extends Scene {
  readonly overview: FilmOverview
}

/** What lies under a point of the picture, in lines of words; empty: nothing that has a name. */
export function wordsAt(x: number, y: number, scene: Shown): readonly string[] {
  const { geometry, scale, overview } = scene
  const box = geometry.lanes.find(({ top, height }) => y >= top && y < top + height)
  const atUs = Math.max(0, Math.min(overview.endUs, scale.us(Math.max(x, nameWidth))))
  if (box !== undefined) {
    return [laneWords(box, atUs, overview), ...operationWords(x, y, box, scene), ...pickedWords(x, y, scene)]
  }
  if (y < rulerHeight) return markWords(x, scale, overview)
  return barWords(x, y, geometry, scale)
}

/** `s3 at 1.534 s: candidate, term 2, log up to 5, cut from s1 s2`. */
function laneWords({ lane, place }: LaneBox, atUs: number, overview: FilmOverview): string {
  const life = lane.lives.findLast(([fromUs]) => fromUs <= atUs)?.[1] ?? (lane.kind === 'other' ? 'up' : 'down')
  const [, role = '', term = 0] = lane.roles.findLast(([fromUs]) => fromUs <= atUs) ?? []
  const [, committed, applied] = lane.progress.findLast(([fromUs]) => fromUs <= atUs) ?? []
  const faults = overview.faults.filter((fault) => {
    return fault.machines.includes(place) && fault.fromUs <= atUs && atUs < Math.max(fault.toUs, fault.fromUs + 1)
  })
  const words = [
    ...(life === 'up' ? [] : [life]),
    ...(life === 'down' || role === '' ? [] : [`${role}, term ${term}`]),
    ...(life === 'down' || committed === undefined ? [] : [`committed ${committed}, applied ${applied}`]),
    faultWordsOf(faults, place, lane, overview),
  ].filter((text) => text !== '')
  return `${lane.name} at ${shortSeconds(atUs)} s${words.length === 0 ? '' : `: ${words.join('; ')}`}`
}

/** `request: answered 200 after 12.3 ms` */
function operationWords(x: number, y: number, box: LaneBox, scene: Scene): readonly string[] {
  const operation = operationAt(x, y, box, scene)
  if (operation === undefined) return []
  const { fromUs, toUs, status } = operation
  return [
    `request of ${shortSeconds(fromUs)} s: ${statusWords(status)} after ${((toUs - fromUs) / 1000).toFixed(1)} ms`,
  ]
}

function pickedWords(x: number, y: number, scene: Shown): readonly string[] {
  const { n } = pickedAt(x, y, scene)
  const event = n === undefined ? undefined : eventIn(scene, n)
  if (event === undefined) return []
  const words = eventWords(event, scene.overview)
  return [`${event.node} ${words.length > wordsMax ? `${words.slice(0, wordsMax)}…` : words}`]
}

function eventIn({ pieces }: Pick<Scene, 'pieces'>, n: number): TraceRecord | undefined {
  for (const { events } of pieces) {
    const found = events.find((event) => event.n === n)
    if (found !== undefined) return found
  }
  return undefined
}

function markWords(x: number, scale: TimeScale, { story }: FilmOverview): readonly string[] {
  return story
    .filter(([atUs, kind]) => kind !== 'note' && Math.abs(scale.x(atUs) - x) < markWidth)
    .slice(0, 6)
    .map(([atUs, , text]) => `${shortSeconds(atUs)} s: ${text}`)
}

function barWords(x: number, y: number, { rows }: Geometry, scale: TimeScale): readonly string[] {
  for (const { name, boxes } of rows) {
    for (const { bar, top, height } of boxes) {
      const span = y >= top && y < top + height ? scale.span(bar.fromUs, bar.toUs) : undefined
      if (span === undefined || x < span.x || x > span.x + span.width) continue
      return [`${name}: ${bar.text}`, `from ${shortSeconds(bar.fromUs)} s to ${shortSeconds(bar.toUs)} s`]
    }
  }
  return []
}
