/** The facts of a node that determine its place on the screen. */
export interface Standing {
  readonly name: string
  readonly datacenter: string
  readonly kind: 'server' | 'client'
}

export interface Point {
  readonly x: number
  readonly y: number
}

export type Places = ReadonlyMap<string, Point>

/** Size of the picture of the cluster, in its own units. */
export const pictureWidth = 640
export const pictureHeight = 360

/** Of the middle of a node from the edge of the picture. */
const edgeRoom = 34

/** Maximum number of nodes of one datacenter on one ring. */
const ringMost = 10

/** A node counts as dragged away at this distance from its home position. */
const awayFrom = 60
/** Dragged nodes that are closer than this are on one side. */
const together = 110
/** Distance in pixels of a separated side from its home position. */
const asideBy = 75
/** Turns from the way outwards that are tried for it, in this order. */
const asideTurns = [0, 1, -1, 2, -2].map((eighths) => (eighths * Math.PI) / 4)

/** Where a datacenter stands among the others: the middle of its ring, and how far that reaches. */
export interface Region {
  readonly datacenter: string
  readonly middle: Point
  readonly radius: Point
}

/** Datacenters stand side by side. */
export function regionsOf(nodes: readonly Standing[]): readonly Region[] {
  const datacenters = [...new Set(nodes.map(({ datacenter }) => datacenter))]
  const width = pictureWidth / Math.max(1, datacenters.length)
  const radius = { x: Math.min(width * 0.33, 210), y: pictureHeight * 0.25 }
  return datacenters.map((datacenter, place) => {
    return { datacenter, middle: { x: width * (place + 0.5), y: pictureHeight / 2 }, radius }
  })
}

/** Every datacenter is a ring. In a large one, the servers have an inner ring. */
export function homesOf(nodes: readonly Standing[]): Places {
  const homes = new Map<string, Point>()
  for (const { datacenter, middle, radius } of regionsOf(nodes)) {
    const all = nodes.filter((node) => node.datacenter === datacenter)
    const [servers, clients] = (['server', 'client'] as const).map((kind) => all.filter((node) => node.kind === kind))
    if (all.length > ringMost && servers !== undefined && clients !== undefined) {
      const within = { x: radius.x * 0.45, y: radius.y * 0.45 }
      for (const [name, at] of ring(servers, middle, within)) homes.set(name, at)
      for (const [name, at] of ring(clients, middle, { x: radius.x * 1.1, y: radius.y * 1.3 })) homes.set(name, at)
    } else for (const [name, at] of ring(all, middle, radius)) homes.set(name, at)
  }
  return homes
}

function ring(nodes: readonly Standing[], middle: Point, radius: Point): readonly (readonly [string, Point])[] {
  if (nodes.length === 1) return nodes.map(({ name }) => [name, middle] as const)
  return nodes.map(({ name }, at) => {
    const angle = (at / nodes.length) * 2 * Math.PI - Math.PI / 2
    return [name, { x: middle.x + radius.x * Math.cos(angle), y: middle.y + radius.y * Math.sin(angle) }] as const
  })
}

/** Groups of nodes that reach one another, perhaps by way of others; the largest comes first. */
export function sidesOf(names: readonly string[], isCut: (a: string, b: string) => boolean): readonly string[][] {
  const sides: string[][] = []
  const left = new Set(names)
  for (const name of names) {
    if (!left.delete(name)) continue
    const side = [name]
    for (const member of side) {
      for (const other of [...left]) {
        if (isCut(member, other)) continue
        left.delete(other)
        side.push(other)
      }
    }
    sides.push(side)
  }
  return sides.toSorted((a, b) => b.length - a.length)
}

/** The positions of nodes: at home, except for sides that reach none of the others, which are moved aside. */
export function placesOf(homes: Places, sides: readonly (readonly string[])[]): Places {
  const places = new Map(homes)
  for (const side of sides.slice(1)) {
    const at = side.map((name) => homes.get(name)).filter((home) => home !== undefined)
    const by = asideOf(at)
    for (const name of side) {
      const home = homes.get(name)
      if (home !== undefined) places.set(name, moved(home, by))
    }
  }
  return places
}

/** Away from the middle of the picture, or as far to a side of that as all of these stay within the picture. */
function asideOf(homes: readonly Point[]): Point {
  const x = homes.reduce((total, home) => total + home.x, 0) / Math.max(1, homes.length) - pictureWidth / 2
  const y = homes.reduce((total, home) => total + home.y, 0) / Math.max(1, homes.length) - pictureHeight / 2
  const outwards = Math.hypot(x, y) < 1 ? 0 : Math.atan2(y, x)
  const ways = asideTurns.map((turn) => {
    return { x: asideBy * Math.cos(outwards + turn), y: asideBy * Math.sin(outwards + turn) }
  })
  const isInside = (by: Point): boolean => homes.every((home) => distance(moved(home, by), sum(home, by)) < 1)
  return ways.find(isInside) ?? ways[0] ?? { x: 0, y: 0 }
}

/** Never so far that a part of a node is not seen. */
function moved(home: Point, by: Point): Point {
  const at = sum(home, by)
  return { x: inside(at.x, pictureWidth), y: inside(at.y, pictureHeight) }
}

function sum(a: Point, b: Point): Point {
  return { x: a.x + b.x, y: a.y + b.y }
}

function inside(at: number, size: number): number {
  return Math.min(Math.max(at, edgeRoom), size - edgeRoom)
}

/** The effect of dropping a node: the sides that are to be separated from all others, if any. */
export function sidesAfterDrop(
  homes: Places,
  sides: readonly (readonly string[])[],
  dropped: string,
  at: Point,
): readonly (readonly string[])[] {
  const places = placesOf(homes, sides)
  const home = homes.get(dropped)
  const others = sides.slice(1).map((side) => side.filter((name) => name !== dropped))
  const apart = others.filter((side) => side.length > 0)
  if (home === undefined || distance(home, at) < awayFrom) return apart
  const near = apart.find((side) => side.some((name) => distance(places.get(name) ?? home, at) < together))
  return near === undefined ? [...apart, [dropped]] : apart.map((side) => (side === near ? [...side, dropped] : side))
}

/** Agents that have anything to say to each other: those of one datacenter, and servers of different ones. */
export function areLinked(one: Standing, other: Standing): boolean {
  return one.datacenter === other.datacenter || (one.kind === 'server' && other.kind === 'server')
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}
