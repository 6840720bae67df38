import type { FaultSpan, FilmOverview, MachineLane } from '../picture/film-format.ts'
import { type Drawing, smallFont, usualFont } from './drawing.ts'
import { joined } from './fault-times.ts'
import { type LaneBox, nameWidth, type TimeScale } from './geometry.ts'
import { roleColour } from './palette.ts'
import { seconds } from './view.ts'

/** Lanes that are lower have no room for words. */
const wordsFrom = 28
/** Pixels from the top of a lane to the middle of its words about roles, and about faults. */
const roleWords = 8
const faultWords = 20

/** What a machine was: its role, whether it ran, its release, how far its log was. */
export function drawLane(drawing: Drawing, box: LaneBox): void {
  const { context, palette, scale } = drawing
  context.fillStyle = palette.lane
  context.fillRect(nameWidth, box.top, scale.width - nameWidth, box.height)
  drawRoles(drawing, box)
  drawLives(drawing, box)
  drawProgress(drawing, box)
}

function drawRoles(
  { context, palette, overview, scale, words: written }: Drawing,
  { lane, top, height }: LaneBox,
): void {
  for (const [at, [fromUs, role, term]] of lane.roles.entries()) {
    const span = role === '' ? undefined : scale.span(fromUs, lane.roles[at + 1]?.[0] ?? overview.endUs)
    if (span === undefined) continue
    context.fillStyle = roleColour(role, term, palette.isDark)
    context.fillRect(span.x, top, span.width, height)
    const words = `${role}, term ${term}`
    if (height < wordsFrom || span.width < context.measureText(words).width + 8) continue
    written.write(words, span.x + 4, top + roleWords, role === 'follower' ? palette.faint : palette.text)
  }
}

/** Hides the times at which a process does not run, or is paused. */
function drawLives({ context, palette, overview, scale, words }: Drawing, { lane, top, height }: LaneBox): void {
  const lives = lane.kind === 'other' ? lane.lives : [[0, 'down'] as const, ...lane.lives]
  for (const [at, [fromUs, is]] of lives.entries()) {
    const span = is === 'up' ? undefined : scale.span(fromUs, lives[at + 1]?.[0] ?? overview.endUs)
    if (span === undefined) continue
    context.fillStyle = is === 'down' ? palette.down : palette.ground
    context.globalAlpha = is === 'down' ? 0.85 : 0.7
    context.fillRect(span.x, top, span.width, height)
    context.globalAlpha = 1
    if (span.width < 40) continue
    words.write(is, span.x + 4, top + height / 2, is === 'down' ? palette.onDown : palette.faint)
  }
}

/** The own time of a machine whose clock is wrong, and its releases: after the words about faults, which go first. */
export function drawClockAndRelease(drawing: Drawing, box: LaneBox): void {
  drawReleases(drawing, box)
  const own = drawing.overview.faults.find(({ kind, machines }) => kind === 'clock' && machines.includes(box.place))
  if (own !== undefined && box.height >= wordsFrom) drawOwnTime(drawing, box, own.fromUs)
}

/** A flag where a machine goes on as another release. */
function drawReleases({ context, palette, scale, words }: Drawing, { lane, top, height }: LaneBox): void {
  for (const [at, [atUs, release]] of lane.releases.entries()) {
    const x = scale.x(atUs)
    const before = lane.releases[at - 1]
    if (before === undefined || x < nameWidth || x > scale.width) continue
    context.fillStyle = palette.cursor
    context.fillRect(x - 1, top, 2, height)
    if (height < wordsFrom) continue
    words.writePlated(`${before[1]} → ${release}`, x + 4, top + height - 8, palette.cursor)
  }
}

/** How far the log is committed and applied, from the bottom of the lane to its top over the whole run. */
function drawProgress({ context, palette, overview, scale, view }: Drawing, { lane, top, height }: LaneBox): void {
  const most = Math.max(1, ...overview.machines.map(({ progress }) => progress.at(-1)?.[1] ?? 0))
  const y = (index: number): number => top + height - 2 - (index / most) * (height - 16)
  const first = lane.progress.findLastIndex(([atUs]) => atUs <= view.fromUs)
  const seen = lane.progress.slice(Math.max(0, first)).filter(([atUs]) => atUs <= view.toUs)
  for (const [of, dash] of [
    [1, [] as number[]],
    [2, [2, 2]],
  ] as const) {
    context.beginPath()
    context.setLineDash(dash)
    context.strokeStyle = palette.progress
    let before: number | undefined
    for (const step of seen) {
      const x = Math.max(scale.x(step[0]), nameWidth)
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

/** What is wrong with the machine, shaded and in words. */
export function drawFaults(drawing: Drawing, { lane, place, top, height }: LaneBox): void {
  const { context, palette, overview, scale } = drawing
  const own = overview.faults.filter(({ machines }) => machines.includes(place))
  if (own.length === 0) return
  for (const [fromUs, toUs] of joined(own)) {
    const span = scale.span(fromUs, toUs)
    if (span === undefined) continue
    context.fillStyle = palette.fault
    if (toUs === fromUs) {
      context.fillRect(span.x - 1, top, 3, height)
      continue
    }
    context.globalAlpha = 0.12
    context.fillRect(span.x, top, span.width, height)
    context.globalAlpha = 1
    context.fillRect(span.x, top, span.width, 2)
  }
  if (height < wordsFrom) return
  drawFaultWords(drawing, own, { lane, place, top, height })
}

function drawFaultWords(
  { context, palette, overview, scale, words: written }: Drawing,
  own: readonly FaultSpan[],
  { lane, place, top }: LaneBox,
): void {
  context.font = smallFont
  for (const fromUs of new Set(own.map((fault) => fault.fromUs))) {
    const begun = own.filter((fault) => fault.fromUs === fromUs)
    const span = scale.span(fromUs, Math.max(...begun.map(({ toUs }) => toUs)))
    if (span === undefined) continue
    const words = faultWordsOf(begun, place, lane, overview)
    const width = context.measureText(words).width + 8
    const isMoment = begun.every(({ toUs }) => toUs === fromUs)
    if (!isMoment && span.width < width) continue
    written.writePlated(words, span.x + 4, top + faultWords, palette.fault)
  }
  context.font = usualFont
}

/** Machines that are named of those to which links are disturbed. */
const endNamesMax = 4

/** `cut from s1 s2, stalled disk`, `links to s1 s2: 600 to 1200 ms`: what is wrong with a machine, in a few words. */
export function faultWordsOf(
  faults: readonly FaultSpan[],
  place: number,
  lane: MachineLane,
  { machines }: Pick<FilmOverview, 'machines'>,
): string {
  const ends = (kind: FaultSpan['kind']): string => {
    const places = faults.filter((fault) => fault.kind === kind).flatMap((fault) => fault.machines)
    const others = [...new Set(places)].filter((other) => other !== place).map((other) => machines[other]?.name ?? '')
    return others.length > endNamesMax ? `${others.length} machines` : others.join(' ')
  }
  const [cut, disturbed] = [ends('cut'), ends('link')]
  const settings = faults.filter(({ kind }) => kind === 'link').map(({ text }) => text.slice(text.indexOf(': ') + 2))
  const rest = faults
    .filter(({ kind }) => kind !== 'cut' && kind !== 'link')
    .map(({ text }) => text.replace(`${lane.name}: `, ''))
  return [
    ...(cut === '' ? [] : [`cut from ${cut}`]),
    ...(disturbed === '' ? [] : [`links to ${disturbed}: ${[...new Set(settings)].join('; ')}`]),
    ...new Set(rest),
  ].join(', ')
}

/** Pixels between two marks of a machine's own time. */
const ownMarkWidth = 110

/** What the wall clock of a machine shows, where it was set or runs at a wrong rate: seconds since the run began. */
function drawOwnTime(
  { context, palette, overview, scale, words }: Drawing,
  { lane, top, height }: LaneBox,
  sinceUs: number,
): void {
  context.font = smallFont
  for (const [at, [fromUs, aheadMs]] of lane.clock.entries()) {
    const toUs = lane.clock[at + 1]?.[0] ?? overview.endUs
    const span = toUs <= sinceUs ? undefined : scale.span(Math.max(sinceUs, fromUs), toUs)
    if (span === undefined || span.width < ownMarkWidth) continue
    for (const ownUs of ownMarks(scale, span, aheadMs * 1000)) {
      const x = scale.x(ownUs - aheadMs * 1000)
      context.fillStyle = palette.fault
      context.fillRect(x, top + height - 5, 1, 5)
      words.writePlated(`own ${seconds(ownUs)} s`, x + 3, top + height - 6, palette.fault)
    }
  }
  context.font = usualFont
}

function ownMarks(
  scale: TimeScale,
  { x, width }: { readonly x: number; readonly width: number },
  aheadUs: number,
): readonly number[] {
  const [fromUs, toUs] = [scale.us(x) + aheadUs, scale.us(x + width) + aheadUs]
  const step = scale.step(ownMarkWidth)
  const first = Math.ceil(fromUs / step) * step
  const count = Math.max(0, Math.floor((toUs - scale.usPerPixel * ownMarkWidth * 0.8 - first) / step) + 1)
  return Array.from({ length: count }, (_, at) => first + at * step)
}
