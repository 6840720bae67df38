import type { Topology } from '../../explain/topology.ts'
import { hrefOf } from '../../place/place.ts'
import { serviceWords as words } from '../../words/service-words.ts'

const box = { width: 170, height: 28, gap: 12, between: 110 } as const
/** Neighbours that are drawn on each side; the sentence below names all. */
const drawnMax = 12

/** The service in the middle, those that connect to it on the left, those that it connects to on the right. */
export function TopologyPicture({
  name,
  topology: { from, to },
}: {
  readonly name: string
  readonly topology: Topology
}) {
  if (from.length === 0 && to.length === 0) return null
  const [left, right] = [from.slice(0, drawnMax), to.slice(0, drawnMax)]
  const rows = Math.max(left.length, right.length, 1)
  const height = rows * (box.height + box.gap)
  const width = 3 * box.width + 2 * box.between
  const middle = height / 2
  const xs = [0, box.width + box.between, 2 * (box.width + box.between)] as const
  return (
    <figure class="topology">
      <figcaption>{words.topology}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`}>
        <title>{words.topology}</title>
        {left.map((each, at) => (
          <Neighbour
            key={each}
            name={each}
            x={xs[0]}
            y={yOf(at, left.length, height)}
            line={[xs[0] + box.width, xs[1], middle]}
          />
        ))}
        {right.map((each, at) => (
          <Neighbour
            key={each}
            name={each}
            x={xs[2]}
            y={yOf(at, right.length, height)}
            line={[xs[2], xs[1] + box.width, middle]}
          />
        ))}
        <Box name={name} x={xs[1]} y={middle} own />
      </svg>
      <p class="faint">{words.topologyText(from, name, to)}</p>
    </figure>
  )
}

function yOf(at: number, count: number, height: number): number {
  return ((at + 0.5) * height) / count
}

interface NeighbourProps {
  readonly name: string
  readonly x: number
  readonly y: number
  /** Where the line to the service in the middle begins and ends. */
  readonly line: readonly [x1: number, x2: number, y2: number]
}

function Neighbour({ name, x, y, line: [x1, x2, y2] }: NeighbourProps) {
  const half = (x1 + x2) / 2
  return (
    <>
      <path d={`M${x1} ${y} C${half} ${y} ${half} ${y2} ${x2} ${y2}`} />
      <a href={hrefOf('services', name)}>
        <Box name={name} x={x} y={y} />
      </a>
    </>
  )
}

function Box({
  name,
  x,
  y,
  own = false,
}: {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly own?: boolean
}) {
  return (
    <g class={own ? 'own' : ''}>
      <rect x={x} y={y - box.height / 2} width={box.width} height={box.height} rx={6} />
      <text x={x + box.width / 2} y={y + 4}>
        {name.length > 22 ? `${name.slice(0, 21)}…` : name}
      </text>
    </g>
  )
}
