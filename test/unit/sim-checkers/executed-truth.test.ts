import { describe, expect, it } from 'vitest'
import {
  type ExecutedAt,
  ExecutedTruth,
  executed,
  executionFault,
  orderFault,
} from '../../../sim/checkers/reads/executed-truth.ts'
import type { HeldInstance, HeldNode } from '../../../sim/checkers/reads/held.ts'
import { type DefinedQuery, QueryBook } from '../../../sim/checkers/reads/query-book.ts'
import { heldHealthText } from '../../../sim/checkers/reads/read-truth.ts'
import { recorder } from './reports.ts'

const plain: DefinedQuery = {
  name: 'q',
  template: undefined,
  service: 'web',
  onlyPassing: false,
  ignoredChecks: [],
  near: '',
  tags: [],
  nodeMeta: [],
  connect: false,
  nearestN: 0,
  datacenters: [],
  ttlS: 0,
}
const node = (name: string): HeldNode => ({
  name,
  isServer: false,
  address: '10.0.0.1',
  meta: [['zone', name]],
  checks: [],
})
const instance = (on: string, status: string, tags: readonly string[] = []): HeldInstance => ({
  node: node(on),
  id: 'web',
  address: '',
  port: 80,
  tags,
  meta: [],
  weights: { passing: 1, warning: 1 },
  inMesh: tags.includes('mesh'),
  checks: [{ id: 'w', status }],
})
const here = [instance('a', 'passing', ['Blue', 'mesh']), instance('b', 'warning'), instance('c', 'critical')]
const there = [instance('d', 'passing')]
const at: ExecutedAt = {
  agent: 'b',
  isHere: true,
  datacenter: 'dc1',
  service: 'web',
  others: ['dc2', 'dc3'],
  held: (datacenter) => ({ dc1: here, dc3: there })[datacenter] ?? [],
}

describe('Q2', () => {
  it.each<[Partial<DefinedQuery>, string, number, string]>([
    [{}, 'dc1', 0, 'a b'],
    [{ onlyPassing: true }, 'dc1', 0, 'a'],
    [{ ignoredChecks: ['w'] }, 'dc1', 0, 'a b c'],
    [{ tags: ['blue'] }, 'dc1', 0, 'a'],
    [{ tags: ['!blue'] }, 'dc1', 0, 'b'],
    [{ nodeMeta: [['zone', 'b']] }, 'dc1', 0, 'b'],
    [{ connect: true }, 'dc1', 0, 'a'],
    [{ tags: [''] }, 'dc1', 0, ''],
    [{ nodeMeta: [['zone', 'd']], nearestN: 1 }, 'dc2', 1, ''],
    [{ nodeMeta: [['zone', 'd']], nearestN: 1, datacenters: ['dc2', 'nowhere', 'dc3'] }, 'dc3', 2, 'd'],
    [{ nearestN: 2 }, 'dc1', 0, 'a b'],
    [{ service: 'other', nearestN: 1 }, 'dc2', 1, ''],
  ])('of %o expects instances of %s after %i failovers: %s', (more, datacenter, failovers, names) => {
    const found = executed({ ...plain, ...more }, at)
    expect([found.datacenter, found.failovers]).toEqual([datacenter, failovers])
    expect(found.found.map((each) => each.node.name).join(' ')).toBe(names)
  })

  it('puts the node first that is meant by near, where there are distances', () => {
    const first = (near: string, given: string, isHere = true): string =>
      executed({ ...plain, near }, { ...at, isHere }, given).first
    expect([first('', ''), first('_agent', ''), first('a', ''), first('a', 'c')]).toEqual(['', 'b', 'a', 'c'])
    expect(first('a', '', false)).toBe('')
    expect(executed({ ...plain, near: '_ip' }, at, '', '10.0.0.1').first).toBe('a')
    expect([first('_ip', ''), executed(plain, at, '_ip', '10.0.0.9').first]).toEqual(['', ''])
  })

  const told = {
    service: 'web',
    ttl: '',
    datacenter: 'dc1',
    failovers: 0,
    nodes: ['a', 'b'],
    found: here.slice(0, 2).map(heldHealthText),
  }
  const expected = executed(plain, at)
  it.each<[string, Partial<typeof told>, string, number, RegExp | undefined]>([
    ['all of them', {}, '', 0, undefined],
    ['one of one', { found: told.found.slice(1), nodes: ['b'] }, '', 1, undefined],
    ['one of all', { found: told.found.slice(1), nodes: ['b'] }, '', 0, /and the agents have/],
    ['more than the limit', {}, '', 1, /of which 1/],
    ['another datacenter', { datacenter: 'dc2' }, '', 0, /in dc2 after 0/],
    ['another time to live', { ttl: '3s' }, '', 0, /kept for 3s/],
    ['what nobody holds', { found: ['x', 'y'] }, '', 0, /finds x, y/],
    ['the near one first', {}, 'a', 0, undefined],
    ['the near one later', {}, 'b', 0, /and b comes first/],
    ['none on that node', {}, 'z', 0, undefined],
  ])('judges %s', (_, more, first, limit, fault) => {
    const [meant, said] = [
      { ...expected, first },
      { ...told, ...more },
    ]
    const found = executionFault(plain, meant, said, limit) ?? orderFault(meant, said)
    if (fault === undefined) expect(found).toBeUndefined()
    else expect(found).toMatch(fault)
  })

  it('is reported, or excused', () => {
    const { judge, lines, counts } = recorder()
    const truth = new ExecutedTruth(judge)
    truth.compared('q', undefined)
    truth.changed()
    truth.compared('q', 'finds x')
    expect([lines, counts()]).toEqual([['Q2: q finds x'], ['Q2 2', 'Q2 excused: changed meanwhile 1']])
  })
})

describe('the book of queries', () => {
  const template = (name: string, removeEmptyTags: boolean): DefinedQuery => ({
    ...plain,
    name,
    template: { regexp: '^t-([a-z]+)-?(.*)$', removeEmptyTags },
    service: '${match(1)}',
    tags: ['${match(2)}'],
  })

  it('knows what a name means, unless something that it could mean is being changed', () => {
    const book = new QueryBook()
    book.ended('q', { id: '1', query: plain })
    book.ended('t-', { id: '2', query: template('t-', true) })
    expect(book.meant('q')).toEqual({ id: '1', query: plain })
    expect(book.meant('q2')).toBeUndefined()
    expect(book.meant('t-web-blue')).toMatchObject({ id: '2', query: { service: 'web', tags: ['blue'] } })
    expect(book.meant('t-web')).toMatchObject({ query: { tags: [] } })
    book.began('')
    expect([book.meant('q2'), book.meant('t-web')]).toEqual(['unsure', expect.objectContaining({ id: '2' })])
    book.ended('', { id: '4', query: template('', true) })
    expect(book.meant('t')).toMatchObject({ id: '4', query: { service: '' } })
    book.began('t-w')
    expect(book.meant('t-web')).toBe('unsure')
    expect(book.meant('t-shop')).toMatchObject({ id: '2' })
    book.ended('t-w', { id: '3', query: template('t-w', false) })
    expect(book.meant('t-web')).toMatchObject({ id: '3', query: { service: 'web', tags: [''] } })
    book.ended('t-w', 'lost')
    expect(book.meant('t-web')).toBe('unsure')
    book.ended('', undefined)
    book.ended('q', undefined)
    expect(book.meant('q')).toBeUndefined()
  })
})
