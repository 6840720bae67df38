import type { Drawing, PlotShapes } from './drawing.ts'
import { type Grid, type VariantMeasured, wholeGrid } from './lifeguard-study.ts'
import { axisUpTo, type PlotRow, rowPlot } from './row-plot.ts'
import { seriesPlot } from './series-plot.ts'
import { tableRow } from './table.ts'

const heads = [
  'protocol',
  'false pos.',
  'of SWIM',
  'at healthy',
  'of SWIM',
  'first med.',
  '99 %',
  'all med.',
  '99 %',
  'missed',
]
const widths = [14, 10, 8, 10, 8, 10, 6, 8, 6, 6]

/** The paper's own summary of all parts together: how many times fewer false positives than plain SWIM. */
const paperFactor = 50

export function lifeguardHead(trials: number, grid: Grid): readonly string[] {
  return [
    `False positives and detection, ${grid.members} members, after Lifeguard (Dadgar, Phillips, Currey 2018), section 5.`,
    `Probes each second, 500 ms for an answer, suspicion α = 5, β = 6. ${grid === wholeGrid ? 'The whole grid of the paper' : cellsText(grid)}, ${trials} run${trials === 1 ? '' : 's'} of each cell.`,
    'A false positive: a member declares another one dead that was never blocked. Detection of members blocked for 32.8 s, in',
    'seconds after the block began: by the first member, and by all members that are not blocked.',
    '',
    tableRow(heads, widths),
  ]
}

function cellsText({ blocked, durationsMs, intervalsMs }: Grid): string {
  const cells = (grid: Pick<Grid, 'blocked' | 'durationsMs' | 'intervalsMs'>): number =>
    grid.blocked.length * grid.durationsMs.length * grid.intervalsMs.length
  return `${cells({ blocked, durationsMs, intervalsMs })} of the paper's ${cells(wholeGrid)} cells`
}

export function variantLine(measured: VariantMeasured, swim: VariantMeasured): string {
  const { variant, total, firstDetection, fullDissemination, undetected } = measured
  return tableRow(
    [
      variant.name,
      String(total.all),
      shareText(total.all, swim.total.all),
      String(total.atHealthy),
      shareText(total.atHealthy, swim.total.atHealthy),
      firstDetection.median.toFixed(2),
      firstDetection.percentile(99).toFixed(1),
      fullDissemination.median.toFixed(2),
      fullDissemination.percentile(99).toFixed(1),
      String(undetected),
    ],
    widths,
  )
}

function shareText(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}

export function lifeguardClosing(measured: readonly VariantMeasured[]): readonly string[] {
  const of = (name: string): VariantMeasured | undefined => measured.find(({ variant }) => variant.name === name)
  const [swim, lifeguard, ours] = [of('SWIM'), of('Lifeguard'), of('as agents run')]
  if (swim === undefined || lifeguard === undefined || ours === undefined) return []
  const latency = (100 * (lifeguard.firstDetection.median / swim.firstDetection.median - 1)).toFixed(1)
  return [
    paperLine(swim),
    '',
    'Beside the paper:',
    `- False positives in all: ${timesText(swim.total.all, lifeguard.total.all)} with all parts; the paper says more than ${paperFactor} times.`,
    `- At members that were never blocked: ${timesText(swim.total.atHealthy, lifeguard.total.atHealthy)}.`,
    `- First detection: the median changes by ${latency} %; in the paper it is within a few per cent of plain SWIM. A blocked member is`,
    '  suspected by several members at once, so its suspicion soon has the minimum timeout.',
    `- Agents have one rule more: a member whose probe timer fires late by a probe interval suspects nobody in that round; ${ours.total.all} false`,
    '  positives remain.',
    '',
    'Differences:',
    '- Totals are smaller than those of the paper, because there are fewer runs; the shares can be compared.',
    '- A blocked member here: its loops that probe, gossip and exchange states stop, and it reads nothing; its timers still fire.',
    '  When it wakes, the loops continue in random order before it reads what came in. The paper does not say how real threads race.',
    '- A datagram takes 0.2 to 1 ms and none is lost; the machines of the paper shared hosts.',
  ]
}

/** The false positives measured here without any part, divided by the paper's factor, in a row of the same table. */
function paperLine(swim: VariantMeasured): string {
  const most = Math.floor(swim.total.all / paperFactor)
  const none = Array.from({ length: widths.length - 3 }, () => '')
  return tableRow(['paper, all', `< ${most}`, `< ${(100 / paperFactor).toFixed(0)} %`, ...none], widths).trimEnd()
}

function timesText(before: number, after: number): string {
  if (after === 0) return before === 0 ? 'none in either case' : `${before} fall to none`
  return `${before} fall to ${after}, ${(before / after).toFixed(0)} times fewer`
}

/** Where all parts would lie if they helped here as much as in the paper's summary. */
function paperLines(measured: readonly VariantMeasured[]) {
  const swim = measured.find(({ variant }) => variant.name === 'SWIM')
  if (swim === undefined) return []
  const points = swim.falsePositives.map(({ blocked, all }) => ({ x: blocked, y: all / paperFactor }))
  return [{ name: `paper: SWIM / ${paperFactor}`, points }]
}

/** False positives by the number of blocked members, as in figures 2 and 3 of the paper, and the rows of the table. */
export function lifeguardDrawing(measured: readonly VariantMeasured[]): Drawing {
  return {
    description: `False positives of ${measured.length} protocols`,
    plots: [
      falsePositivePlot(measured, 'False positives at all members', 'all'),
      falsePositivePlot(measured, 'False positives at members that were never blocked', 'atHealthy'),
      ...tablePlots(measured),
    ],
  }
}

function falsePositivePlot(measured: readonly VariantMeasured[], title: string, of: 'all' | 'atHealthy'): PlotShapes {
  const blocked = measured[0]?.falsePositives.map((one) => one.blocked) ?? []
  const most = Math.max(10, ...measured.flatMap(({ falsePositives }) => falsePositives.map((one) => one[of])))
  const ticks = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].filter((tick) => tick < most * 10)
  const lines = measured.map(({ variant, falsePositives }) => ({
    name: variant.name,
    points: falsePositives.map((one) => ({ x: one.blocked, y: one[of] })),
  }))
  return seriesPlot({
    title,
    x: { name: 'members blocked at once', scale: 'linear', from: 0, to: Math.max(...blocked, 1), ticks: blocked },
    y: { name: 'false positives', scale: 'logarithmic', from: 1, to: ticks.at(-1) ?? 10, ticks },
    lines: of === 'all' ? [...lines, ...paperLines(measured)] : lines,
  })
}

function tablePlots(measured: readonly VariantMeasured[]): readonly PlotShapes[] {
  const rows = (of: (one: VariantMeasured) => PlotRow['is']): readonly PlotRow[] =>
    measured.map((one) => ({ name: one.variant.name, is: of(one) }))
  const latest = measured.flatMap((one) => [one.firstDetection.max, one.fullDissemination.max])
  const seconds = axisUpTo('seconds after the block began', latest)
  const missed = axisUpTo(
    'members blocked for 32.8 s',
    measured.map(({ undetected }) => undetected),
  )
  return [
    rowPlot({ title: 'Detection by the first member', x: seconds, rows: rows((one) => one.firstDetection) }),
    rowPlot({ title: 'Detection by all members', x: seconds, rows: rows((one) => one.fullDissemination) }),
    rowPlot({ title: 'Blocked members that were not detected', x: missed, rows: rows((one) => one.undetected) }),
  ]
}
