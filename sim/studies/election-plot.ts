import { cumulativeSvg, type Plot, type PlotMark } from './cumulative-plot.ts'
import { figureText, rangeText } from './election-report.ts'
import { type ElectionStudy, type Measured, type PaperFigure, patienceMs } from './election-study.ts'

/** The two graphs of figure 16, with the paper's figures marked. */
export function electionSvg({ measured, seed }: ElectionStudy): string {
  const shown = (graph: 'above' | 'below') => measured.filter(({ range }) => range.graphs.includes(graph))
  return cumulativeSvg(`Time without leader after a crash, seed ${seed}`, [
    {
      title: 'Time without leader: randomness of the timeout varies',
      axis: 'time without leader (ms)',
      scale: 'logarithmic',
      from: 50,
      to: patienceMs,
      ticks: [100, 1000, 10_000, 100_000],
      ...linesOf(shown('above')),
    },
    {
      title: 'Time without leader: the minimum timeout varies',
      axis: 'time without leader (ms)',
      scale: 'linear',
      from: 0,
      to: 600,
      ticks: [0, 100, 200, 300, 400, 500, 600],
      ...linesOf(shown('below')),
    },
  ])
}

function linesOf(measured: readonly Measured[]): Pick<Plot, 'lines' | 'marks'> {
  return {
    lines: measured.map(({ range, withoutLeaderMs }) => ({ name: `${rangeText(range)} ms`, values: withoutLeaderMs })),
    marks: measured.flatMap(({ range }) => range.paper.map((figure) => markOf(`${rangeText(range)} ms`, figure))),
  }
}

const percents: ReadonlyMap<PaperFigure['of'], number> = new Map([
  ['median', 50],
  ['worst', 100],
  ['least', 0],
])

function markOf(line: string, figure: PaperFigure): PlotMark {
  return { name: `paper: ${figureText(figure)}`, value: figure.ms, percent: percents.get(figure.of), line }
}
