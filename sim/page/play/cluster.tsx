import { useEffect, useRef, useState } from 'preact/hooks'
import type { PlayAgent, PlayStatus } from '../../play/play-api.ts'
import {
  areLinked,
  homesOf,
  type Point,
  pictureHeight,
  pictureWidth,
  placesOf,
  regionsOf,
  sidesAfterDrop,
  sidesOf,
} from './cluster-layout.ts'

/** With more nodes than this, the names stand in smaller circles. */
const manyNodes = 12
/** Units by which the mouse moves before it drags. */
const dragsFrom = 6

export interface ClusterProps {
  readonly agents: readonly PlayAgent[]
  readonly cuts: PlayStatus['cuts']
  readonly chosen: string | undefined
  readonly onChoose: (name: string) => void
  /** These sides are to be cut off from all others; none: every link is to be mended. */
  readonly onSides: (sides: readonly (readonly string[])[]) => void
  readonly onLink: (from: string, to: string) => void
}

/** The agents and the links between them: drag one away to cut it off, click a link to cut or mend it. */
export function Cluster({ agents, cuts, chosen, onChoose, onSides, onLink }: ClusterProps) {
  const homes = homesOf(agents)
  const names = agents.map(({ name }) => name)
  const links = new Set(cuts.flatMap(([one, other]) => [linkName(one, other), linkName(other, one)]))
  const sides = sidesOf(names, (one, other) => links.has(linkName(one, other)))
  const places = placesOf(homes, sides)
  const drag = useDrag({
    onDrop: (name, at) => {
      const asked = sidesAfterDrop(homes, sides, name, at)
      if (sameSides(asked, sides.slice(1))) return
      onSides(asked)
    },
    onClick: onChoose,
  })
  const placeOf = (name: string): Point =>
    drag.name === name && drag.at !== undefined ? drag.at : (places.get(name) ?? { x: 0, y: 0 })
  /** The same as dragging, by the keys. */
  const pressed = (event: KeyboardEvent, name: string): void => {
    if (event.key === 'Enter' || event.key === ' ') onChoose(name)
    else if (event.key === 'p') {
      const apart = sides.slice(1).map((side) => side.filter((one) => one !== name))
      const others = apart.filter((side) => side.length > 0)
      onSides(sides[0]?.includes(name) === true ? [...others, [name]] : others)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture is no fieldset
    <svg
      id="cluster"
      viewBox={`0 0 ${pictureWidth} ${pictureHeight}`}
      class={names.length > manyNodes ? 'many' : undefined}
      aria-label="The agents of the cluster and the links between them"
      role="group"
      ref={drag.picture}
    >
      <Regions agents={agents} />
      {pairsOf(agents).map(([one, other]) => {
        const [from, to] = [one.name, other.name]
        const isCut = links.has(linkName(from, to))
        if (!isCut && !areLinked(one, other)) return null
        const ends = { from: placeOf(from), to: placeOf(to) }
        const isNear = chosen === from || chosen === to
        return <Link key={`${from} ${to}`} names={[from, to]} {...{ ends, isCut, isNear, onLink }} />
      })}
      {agents.map((agent) => (
        <Agent
          key={agent.name}
          agent={agent}
          at={placeOf(agent.name)}
          isChosen={agent.name === chosen}
          radius={names.length > manyNodes ? 20 : 30}
          onDown={(event) => drag.begin(event, agent.name, placeOf(agent.name))}
          onKey={(event) => pressed(event, agent.name)}
        />
      ))}
    </svg>
  )
}

function linkName(from: string, to: string): string {
  return `${from} ${to}`
}

interface LinkProps {
  readonly names: readonly [string, string]
  readonly ends: { readonly from: Point; readonly to: Point }
  readonly isCut: boolean
  readonly isNear: boolean
  readonly onLink: ClusterProps['onLink']
}

/** Keys reach the links of the chosen node, and those that are cut: all of them would be too many to go through. */
function Link({ names: [from, to], ends, isCut, isNear, onLink }: LinkProps) {
  const position = { x1: ends.from.x, y1: ends.from.y, x2: ends.to.x, y2: ends.to.y }
  const toggled = (): void => onLink(from, to)
  return (
    // biome-ignore lint/a11y/useSemanticElements: within SVG there is no button
    <g
      class={`link${isCut ? ' cut' : ''}${isNear ? ' near' : ''}`}
      data-link={`${from} ${to}`}
      role="button"
      tabindex={isCut || isNear ? 0 : -1}
      aria-label={`${isCut ? 'Mend' : 'Cut'} the link between ${from} and ${to}`}
      onClick={toggled}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') toggled()
      }}
    >
      <title>{`${from} and ${to}: ${isCut ? 'cut; click to mend' : 'click to cut'}`}</title>
      <line class="reach" {...position} />
      <line class="line" {...position} />
    </g>
  )
}

interface AgentProps {
  readonly agent: PlayAgent
  readonly at: Point
  readonly radius: number
  readonly isChosen: boolean
  readonly onDown: (event: PointerEvent) => void
  readonly onKey: (event: KeyboardEvent) => void
}

function Agent({ agent, at, radius, isChosen, onDown, onKey }: AgentProps) {
  const { name, kind, is, term, release, troubles } = agent
  const role = agent.role ?? kind
  const what = is === 'up' ? role : is
  const shown = term === null ? '' : `, term ${term}`
  return (
    // biome-ignore lint/a11y/useSemanticElements: within SVG there is no button
    <g
      class={`agent ${is} ${role}${isChosen ? ' chosen' : ''}${troubles.length > 0 ? ' trouble' : ''}`}
      data-node={name}
      role="button"
      tabindex={0}
      aria-label={`${name}: ${what}${shown}. Enter chooses it, p cuts it off.`}
      aria-pressed={isChosen}
      transform={`translate(${at.x} ${at.y})`}
      onPointerDown={onDown}
      onKeyDown={onKey}
    >
      <title>{`${name}: ${what}, release ${release}. Drag it away from the others to cut it off.`}</title>
      {kind === 'server' ? (
        <circle r={radius} />
      ) : (
        <rect x={-radius} y={-radius * 0.7} width={radius * 2} height={radius * 1.4} rx="6" />
      )}
      <text class="name" y={radius < 30 ? 0 : -5}>
        {name}
      </text>
      {radius < 30 ? null : <text y={10}>{what}</text>}
      {radius < 30 || term === null || is !== 'up' ? null : <text y={21}>term {term}</text>}
    </g>
  )
}

function pairsOf(agents: readonly PlayAgent[]): readonly (readonly [PlayAgent, PlayAgent])[] {
  return agents.flatMap((from, at) => agents.slice(at + 1).map((to) => [from, to] as const))
}

/** Room that nodes take around their middles, in the picture's units. */
const nodeRoom = 46

/** Where there are several, each datacenter has a ground of its own, and its name. */
function Regions({ agents }: Pick<ClusterProps, 'agents'>) {
  const regions = regionsOf(agents)
  if (regions.length < 2) return null
  return (
    <>
      {regions.map(({ datacenter, middle, radius }) => (
        <g key={datacenter} class="region">
          <ellipse cx={middle.x} cy={middle.y} rx={radius.x + nodeRoom} ry={radius.y + nodeRoom} />
          <text x={middle.x} y={middle.y - radius.y - nodeRoom + 10}>
            {datacenter}
          </text>
        </g>
      ))}
    </>
  )
}

function sameSides(a: readonly (readonly string[])[], b: readonly (readonly string[])[]): boolean {
  const text = (sides: readonly (readonly string[])[]): string =>
    sides
      .map((side) => side.toSorted().join())
      .toSorted()
      .join(' ')
  return text(a) === text(b)
}

interface DragEars {
  readonly onDrop: (name: string, at: Point) => void
  readonly onClick: (name: string) => void
}

/** Follows the pointer from a node until it goes up, wherever that is. */
function useDrag(ears: DragEars) {
  const picture = useRef<SVGSVGElement>(null)
  const told = useRef(ears)
  const end = useRef<() => void>(() => {})
  const [dragged, setDragged] = useState<{ readonly name: string; readonly at: Point }>()
  told.current = ears
  useEffect(() => () => end.current(), [])
  const begin = (down: PointerEvent, name: string, from: Point): void => {
    const scale = 1 / (picture.current?.getScreenCTM()?.a ?? 1)
    const at = ({ clientX, clientY }: PointerEvent): Point => ({
      x: from.x + (clientX - down.clientX) * scale,
      y: from.y + (clientY - down.clientY) * scale,
    })
    const hasMoved = (point: Point): boolean => Math.hypot(point.x - from.x, point.y - from.y) > dragsFrom
    const move = (event: PointerEvent): void => setDragged(hasMoved(at(event)) ? { name, at: at(event) } : undefined)
    const up = (event: PointerEvent): void => {
      end.current()
      if (hasMoved(at(event))) told.current.onDrop(name, at(event))
      else told.current.onClick(name)
    }
    end.current = () => {
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', up)
      setDragged(undefined)
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', up)
  }
  return { picture, begin, name: dragged?.name, at: dragged?.at }
}
