import { cumulativePlot, type Plot, type PlotMark } from './cumulative-plot.ts'
import type { Drawing } from './drawing.ts'
import { figureText, rangeText } from './election-report.ts'
import { type ElectionStudy, type Measured, type PaperFigure, patienceMs } from './election-study.ts'
import { rowPlot } from './row-plot.ts'

/** The two graphs of figure 16, with the paper's figures marked, and the rows of the table. */
export function electionDrawing({ measured, seed }: ElectionStudy): Drawing {
  const shown = (graph: 'above' | 'below') => measured.filter(({ range }) => range.graphs.includes(graph))
  const nameOf = ({ range }: Measured): string => `${rangeText(range)} ms`
  const decades = [10, 100, 1000, 10_000, 100_000]
  return {
    description: `Time without leader after a crash, seed ${seed}`,
    plots: [
      cumulativePlot({
        title: 'Time without leader: randomness of the timeout varies',
        axis: 'time without leader (ms)',
        scale: 'logarithmic',
        from: 50,
        to: patienceMs,
        ticks: decades.slice(1),
        ...linesOf(shown('above')),
      }),
      cumulativePlot({
        title: 'Time without leader: the minimum timeout varies',
        axis: 'time without leader (ms)',
        scale: 'linear',
        from: 0,
        to: 600,
        ticks: [0, 100, 200, 300, 400, 500, 600],
        ...linesOf(shown('below')),
      }),
      rowPlot({
        title: 'Time without leader, by the range of the timeout',
        x: { name: 'ms', scale: 'logarithmic', from: 10, to: patienceMs, ticks: decades },
        rows: measured.map((one) => ({ name: nameOf(one), is: one.withoutLeaderMs })),
      }),
      rowPlot({
        title: 'Elections until one succeeds, on average',
        x: { name: 'elections', scale: 'logarithmic', from: 1, to: 10_000, ticks: [1, 10, 100, 1000, 10_000] },
        rows: measured.map((one) => ({ name: nameOf(one), is: one.elections })),
      }),
    ],
  }
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
