import type { SizeMeasured } from './convergence-study.ts'
import type { Drawing } from './drawing.ts'
import { axisUpTo, rowPlot } from './row-plot.ts'
import { seriesPlot } from './series-plot.ts'
import { tableRow } from './table.ts'

const heads = [
  'members',
  'trials',
  'median s',
  'worst s',
  'missed',
  'datagrams/s',
  'bytes/s',
  'news dgrams',
  'exchange kB',
  'bytes/s',
]
const widths = [8, 6, 8, 7, 6, 11, 7, 11, 11, 8]

export function convergenceHead(): readonly string[] {
  return [
    'How news of one member reaches all others by gossip, and what a quiet pool costs each member; timing of a LAN.',
    'Datagrams, and the first bytes/s, are what each member sends. "news dgrams": how many more datagrams each member sends',
    'for one piece of news. "exchange kB": one exchange of full states over a stream, both ways; then its bytes/s for each member.',
    '',
    tableRow(heads, widths),
  ]
}

export function sizeLine(measured: SizeMeasured): string {
  const { members, dissemination, incomplete, datagrams, datagramBytes, newsDatagrams, exchangeBytes, streamBytes } =
    measured
  return tableRow(
    [
      String(members),
      String(dissemination.count + incomplete),
      dissemination.median.toFixed(2),
      dissemination.max.toFixed(2),
      String(incomplete),
      datagrams.toFixed(2),
      datagramBytes.toFixed(0),
      newsDatagrams.toFixed(1),
      (exchangeBytes / 1000).toFixed(1),
      streamBytes.toFixed(0),
    ],
    widths,
  )
}

export function convergenceClosing(measured: readonly SizeMeasured[]): readonly string[] {
  const lines = ['']
  for (const [at, size] of measured.entries()) {
    const before = measured[at - 1]
    if (before === undefined) continue
    const rounds = Math.log2(size.members / before.members)
    const perDoubling = (size.dissemination.median - before.dissemination.median) / rounds
    lines.push(
      `- From ${before.members} to ${size.members} members: ${perDoubling.toFixed(2)} s more for each doubling; a member of the quiet pool sends ${(size.datagrams / before.datagrams).toFixed(2)} times as many datagrams.`,
    )
  }
  lines.push(
    '- The time grows with the logarithm of the size of the pool (SWIM, 4.1); the number of probes of a member does not grow.',
  )
  return lines
}

export function convergenceDrawing(measured: readonly SizeMeasured[]): Drawing {
  const sizes = measured.map(({ members }) => members)
  const x = {
    name: 'members',
    scale: 'logarithmic',
    from: Math.min(...sizes),
    to: Math.max(...sizes, Math.min(...sizes) + 1),
    ticks: sizes,
  } as const
  const most = Math.max(1, ...measured.map(({ dissemination }) => Math.ceil(dissemination.max)))
  const points = (of: (size: SizeMeasured) => number) => measured.map((size) => ({ x: size.members, y: of(size) }))
  const missed = measured.map(({ members, incomplete }) => ({ name: `${members} members`, is: incomplete }))
  return {
    description: 'Dissemination and traffic by the size of the pool',
    plots: [
      seriesPlot({
        title: 'From news to the last member that learns it',
        x,
        y: { name: 'seconds', scale: 'linear', from: 0, to: most, ticks: [0, most / 2, most] },
        lines: [
          { name: 'median', points: points(({ dissemination }) => dissemination.median) },
          { name: 'worst', points: points(({ dissemination }) => dissemination.max) },
        ],
      }),
      seriesPlot({
        title: 'What a member of a quiet pool sends',
        x,
        y: { name: 'a second', scale: 'logarithmic', from: 1, to: 10_000, ticks: [1, 10, 100, 1_000, 10_000] },
        lines: [
          { name: 'datagrams', points: points(({ datagrams }) => datagrams) },
          { name: 'their bytes', points: points(({ datagramBytes }) => datagramBytes) },
          { name: 'exchanges, bytes', points: points(({ streamBytes }) => streamBytes) },
        ],
      }),
      seriesPlot({
        title: 'One piece of news, and one exchange of full states',
        x,
        y: { name: '', scale: 'logarithmic', from: 0.1, to: 10_000, ticks: [0.1, 1, 10, 100, 1_000, 10_000] },
        lines: [
          { name: 'datagrams', points: points(({ newsDatagrams }) => newsDatagrams) },
          { name: 'exchange, kB', points: points(({ exchangeBytes }) => exchangeBytes / 1000) },
        ],
      }),
      rowPlot({
        title: 'Trials in which gossip alone did not reach all members',
        x: axisUpTo(
          'trials',
          missed.map(({ is }) => is),
        ),
        rows: missed,
      }),
    ],
  }
}
