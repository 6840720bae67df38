import { type ElectionStudy, type Measured, type PaperFigure, patienceMs, type TimeoutRange } from './election-study.ts'
import { tableRow } from './table.ts'

/** `150-155`, as in the paper. */
export function rangeText({ minMs, maxMs }: TimeoutRange): string {
  return `${minMs}–${maxMs}`
}

const heads = ['timeout ms', 'trials', 'min', 'median', 'mean', 'p90', 'p99', 'worst', 'elections', 'the paper']
const widths = [10, 6, 6, 7, 7, 7, 7, 7, 9, 0]

export function headLines(): readonly string[] {
  return [
    'Time without leader, in ms, after a crash: figure 16 of the extended Raft paper (Ongaro, Ousterhout 2014, 9.3).',
    'Five servers, unequal logs, pre-vote off, no notice of lost connections. The paper: 1,000 trials each, 100 for 150–150.',
    '',
    rowText(heads),
  ]
}

export function measuredLine({ range, withoutLeaderMs, brokenOff, elections }: Measured): string {
  const of = (percent: number) => msText(withoutLeaderMs.percentile(percent))
  return rowText([
    rangeText(range),
    String(withoutLeaderMs.count),
    of(0),
    of(50),
    msText(withoutLeaderMs.mean),
    of(90),
    of(99),
    brokenOff > 0 ? `>${of(100)}` : of(100),
    elections.toFixed(1),
    range.paper.map(figureText).join(', ') || '–',
  ])
}

function rowText(cells: readonly string[]): string {
  return tableRow(cells, widths)
}

function msText(ms: number): string {
  return ms.toFixed(ms < 100 ? 1 : 0)
}

export function figureText({ of, ms }: PaperFigure): string {
  return of === 'least' ? `each over ${ms / 1000} s` : `${of} ${ms}`
}

/** The parameters, and a sentence on each figure of the paper: the result here, and why it may differ. */
export function closingLines({ measured, broadcastMs, seed }: ElectionStudy): readonly string[] {
  const lines = [
    '',
    `Broadcast time (all four answers in): ${broadcastMs.toFixed(1)} ms on average; the paper's was roughly 15 ms. Seed ${seed}.`,
    '',
    'Differences:',
  ]
  for (const one of measured) {
    for (const figure of one.range.paper) lines.push(`- ${differenceText(one, figure)}`)
  }
  for (const text of assumptions) lines.push(`- ${text}`)
  return lines
}

function differenceText({ range, withoutLeaderMs, brokenOff }: Measured, { of, ms }: PaperFigure): string {
  const name = `${rangeText(range)} ms`
  const { count } = withoutLeaderMs
  switch (of) {
    case 'median':
      return (
        `${name}: a median of ${msText(withoutLeaderMs.median)} ms, in the paper ${ms} ms (${percentText(withoutLeaderMs.median, ms)}): ` +
        'about half of the trials need a second round, so the median depends on how often a request arrives before a timeout that is 1 to 5 ms later, which the mean broadcast time does not determine.'
      )
    case 'mean':
      return (
        `${name}: a mean of ${msText(withoutLeaderMs.mean)} ms, in the paper ${ms} ms (${percentText(withoutLeaderMs.mean, ms)}): ` +
        'timeout and broadcast time are about equal here, so the distribution of the delays matters as much as their mean.'
      )
    case 'worst':
      return (
        `${name}: the worst of ${count} took ${msText(withoutLeaderMs.max)} ms, in the paper ${ms} ms; ${withoutLeaderMs.countAbove(ms)} of ${count} took longer than that: ` +
        'such a trial has one to three more split votes, which exponential delays with their long tail cause more often than the paper saw; the worst is a single trial, so it also depends on the seed.'
      )
    case 'least':
      return (
        `${name}: ${withoutLeaderMs.countAbove(ms)} of ${count} took longer than ${ms / 1000} s, in the paper all did ("consistently"); ` +
        `${brokenOff} had no leader after ${patienceMs / 1000} s and were ended: only the lateness of timers ends such a trial, and the paper does not state it.`
      )
  }
}

function percentText(here: number, there: number): string {
  const percent = Math.round((100 * (here - there)) / there)
  return percent > 0 ? `+${percent} %` : `${percent} %`
}

const assumptions: readonly string[] = [
  'Delays: the paper gives only their mean; here each message takes 0.25 ms and an exponentially distributed time more, disk included, and timers fire up to 0.05 ms late.',
  'Logs: five lengths, so that two of the four survivors can win; the paper says "different log lengths", not which.',
  "Voters refuse candidates for a minimum timeout after they heard from a leader (section 6), which the paper's run may not have done; here it changes nothing, because the last heartbeat reaches all servers at the same moment.",
  'The time ends when a server has three votes, not when the other servers learn of the new leader.',
]
