/** The picture of a soak: one plot for each figure, a line for each agent, over the time of the run. */
import { svgDocument } from '../../dist/sim/studies/drawing.js'
import { seriesPlot } from '../../dist/sim/studies/series-plot.js'
import { median } from '../figures.mjs'

/** A line has so many points, each the median of its part of the time; a name with `most` shows the largest instead. */
const pointsMax = 60
const plots = [
  { field: 'rssMb', title: 'Resident memory', unit: 'MB' },
  { field: 'heapMb', title: 'Heap in use', unit: 'MB' },
  { field: 'descriptors', title: 'Open descriptors', unit: 'descriptors' },
  { field: 'diskMb', title: 'Data directory', unit: 'MB' },
  { field: 'cpuPercent', title: 'CPU time', unit: '% of a core' },
  { field: 'loopP99Ms', title: 'Delay of the event loop, p99 of five seconds', unit: 'ms' },
  { field: 'lagMs', title: 'From a write to the watcher at this agent', unit: 'ms' },
]

export function pictureOf(lines) {
  const samples = lines.filter(({ type }) => type === 'sample')
  const lastS = lines.at(-1).atS
  const isLong = lastS > 2 * 3600 * 0.9
  const unit = lastS > 600 ? { name: isLong ? 'hours' : 'minutes', s: isLong ? 3600 : 60 } : { name: 'seconds', s: 1 }
  const x = axis(unit.name, lastS / unit.s)
  return svgDocument({
    description: `A soak of five agents for ${(lastS / 3600).toFixed(2)} hours`,
    plots: plots.map((plot) => drawn(plot, samples, x, unit.s)),
  })
}

function drawn({ field, title, unit }, samples, x, unitS) {
  const agents = [...new Set(samples.map(({ agent }) => agent))].sort()
  const lines = agents.map((name) => {
    const mine = samples.filter((line) => line.agent === name && line[field] !== undefined)
    return {
      name,
      points: thinned(
        mine.map((line) => ({ x: line.atS / unitS, y: line[field] })),
        x.to,
      ),
    }
  })
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(({ y }) => y)))
  return seriesPlot({ title, x, y: axis(unit, most), lines })
}

function thinned(points, to) {
  const parts = new Map()
  for (const point of points) {
    const part = Math.floor((point.x / to) * pointsMax)
    parts.set(part, [...(parts.get(part) ?? []), point])
  }
  return [...parts.values()].map((part) => ({ x: part[0].x, y: median(part.map(({ y }) => y)) }))
}

/** From zero to a round number, with four to eight ticks. */
function axis(name, most) {
  const size = 10 ** Math.floor(Math.log10(most))
  const step = [0.2, 0.5, 1, 2].map((part) => part * size).find((each) => most / each <= 6) ?? size * 2
  const count = Math.ceil(most / step - 1e-9)
  const ticks = Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(6)))
  return { name, scale: 'linear', from: 0, to: ticks.at(-1), ticks }
}
