import { describe, expect, it } from 'vitest'
import { linkDeeds, sidesDeeds, wordsOf } from '../../../sim/page/play/act-words.ts'
import {
  areLinked,
  homesOf,
  pictureHeight,
  pictureWidth,
  placesOf,
  regionsOf,
  sidesAfterDrop,
  sidesOf,
} from '../../../sim/page/play/cluster-layout.ts'
import { changedSettings } from '../../../sim/page/play/settings.ts'

const names = ['s1', 's2', 's3', 's4', 's5']
const nodes = names.map((name) => ({ name, datacenter: 'dc1', kind: 'server' as const }))
const homes = homesOf(nodes)
const far = { x: Number.NaN, y: Number.NaN }
const at = (name: string) => homes.get(name) ?? far

describe('the agents of a cluster on the screen', () => {
  it('stand apart from each other, each at a place of its own, in every datacenter', () => {
    const many = ['dc1', 'dc2'].flatMap((datacenter) =>
      Array.from({ length: 12 }, (_, n) => ({
        name: `${datacenter}-${n}`,
        datacenter,
        kind: n < 3 ? ('server' as const) : ('client' as const),
      })),
    )
    const places = [...homesOf(many).values()].map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)
    expect(new Set(places).size).toBe(24)
  })

  it('have a region in each datacenter, and no links to clients of another', () => {
    const others = nodes.map((node) => ({ ...node, datacenter: 'dc2' }))
    const [one, other] = regionsOf([...nodes, ...others])
    expect([one?.datacenter, other?.datacenter]).toEqual(['dc1', 'dc2'])
    expect((one?.middle.x ?? 0) + (one?.radius.x ?? 0)).toBeLessThan((other?.middle.x ?? 0) - (other?.radius.x ?? 0))
    const [server = { name: 's1', datacenter: 'dc1', kind: 'server' }] = nodes
    const client = { name: 'c1', datacenter: 'dc1', kind: 'client' as const }
    expect(areLinked(server, client)).toBe(true)
    expect(areLinked(server, { ...server, datacenter: 'dc2' })).toBe(true)
    expect(areLinked({ ...server, datacenter: 'dc2' }, client)).toBe(false)
  })

  it('are on one side while any way leads from one to the other', () => {
    const cut = new Set(['s1 s2', 's2 s1'])
    expect(sidesOf(names, (a, b) => cut.has(`${a} ${b}`))).toEqual([['s1', 's3', 's4', 's5', 's2']])
    const isOne = (name: string): boolean => name === 's2' || name === 's4'
    expect(sidesOf(names, (a, b) => isOne(a) !== isOne(b))).toEqual([
      ['s1', 's3', 's5'],
      ['s2', 's4'],
    ])
  })

  it('stand aside when they are cut off, and at home otherwise', () => {
    const places = placesOf(homes, [['s1', 's3', 's4', 's5'], ['s2']])
    expect(places.get('s1')).toEqual(at('s1'))
    expect(Math.hypot((places.get('s2')?.x ?? 0) - at('s2').x, (places.get('s2')?.y ?? 0) - at('s2').y)).toBeCloseTo(75)
  })

  it('are seen whole wherever they stand, in a picture of one datacenter and of two', () => {
    const two = [
      ...nodes,
      ...nodes.map(({ name }) => ({ name: `${name}b`, datacenter: 'dc2', kind: 'server' as const })),
    ]
    for (const cluster of [nodes, two]) {
      const all = cluster.map(({ name }) => name)
      const standing = homesOf(cluster)
      for (const name of all) {
        const { x, y } = placesOf(standing, [all.filter((one) => one !== name), [name]]).get(name) ?? far
        expect(Math.min(x, y, pictureWidth - x, pictureHeight - y)).toBeGreaterThanOrEqual(30)
        const home = standing.get(name) ?? far
        expect(Math.hypot(x - home.x, y - home.y)).toBeGreaterThan(60)
      }
    }
  })

  it('form a side of their own when they are dropped far from home, or join the one nearby', () => {
    const whole = [names]
    const dropped = { x: at('s2').x + 150, y: at('s2').y }
    expect(sidesAfterDrop(homes, whole, 's2', { x: at('s2').x + 30, y: at('s2').y })).toEqual([])
    expect(sidesAfterDrop(homes, whole, 's2', dropped)).toEqual([['s2']])
    const apart = [['s1', 's3', 's4', 's5'], ['s2']]
    const beside = placesOf(homes, apart).get('s2') ?? dropped
    expect(sidesAfterDrop(homes, apart, 's3', { x: beside.x + 40, y: beside.y })).toEqual([['s2', 's3']])
    expect(sidesAfterDrop(homes, apart, 's5', { x: 0, y: 300 })).toEqual([['s2'], ['s5']])
    expect(sidesAfterDrop(homes, apart, 's2', at('s2'))).toEqual([])
  })
})

describe('what is done of clicks', () => {
  it('mends all links before it cuts off other sides', () => {
    const groups = [['s2', 's3'], 's5', 'other nodes']
    expect(sidesDeeds([['s2', 's3'], ['s5']], true)).toEqual([
      { fault: { heal: 'everything' } },
      { fault: { partition: { groups } } },
    ])
    expect(sidesDeeds([], true)).toEqual([{ fault: { heal: 'everything' } }])
  })

  it('mends one link by the node with fewer cut links', () => {
    const cuts = [
      ['s1', 's2'],
      ['s1', 's3'],
    ] as const
    expect(linkDeeds('s1', 's3', cuts)).toEqual([{ fault: { heal: 's3' } }])
    expect(linkDeeds('s2', 's3', cuts)).toEqual([{ fault: { cut: { from: 's2', to: 's3' } } }])
  })

  it('has the words of a command line', () => {
    expect(wordsOf(`kv put "a b" 'c "d"' e\\ f --x=1`)).toEqual(['kv', 'put', 'a b', 'c "d"', 'e f', '--x=1'])
    expect(wordsOf('  ')).toEqual([])
  })

  it('names the settings that differ, and null for those that are gone', () => {
    expect(changedSettings({ a: 1, b: { c: 2 }, d: 3 }, { a: 1, b: { c: 4 } })).toEqual({ b: { c: 4 }, d: null })
  })
})
