import { describe, expect, it } from 'vitest'
import type { DuePart, TokenState, View, ViewKind } from '../../../sim/checkers/access/access-facts.ts'
import { AccessHistory } from '../../../sim/checkers/access/access-history.ts'
import { partsOf } from '../../../sim/checkers/access/view-parts.ts'
import { Views } from '../../../sim/checkers/access/views.ts'
import { catalogFeature } from '../../../src/features/catalog/feature.ts'
import { checksTable, nodesTable, servicesTable } from '../../../src/features/catalog/tables.ts'
import { kvFeature } from '../../../src/features/kv/feature.ts'
import { kvValue } from '../../../src/features/kv/model.ts'
import { kvTable } from '../../../src/features/kv/tables.ts'
import { queryFeature } from '../../../src/features/query/feature.ts'
import type { QueryRow } from '../../../src/features/query/model.ts'
import { queriesTable } from '../../../src/features/query/tables.ts'
import { sessionFeature } from '../../../src/features/session/feature.ts'
import { sessionsTable } from '../../../src/features/session/tables.ts'
import type { CatalogCheck, CatalogNode, CatalogService } from '../../../src/model/catalog.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import type { MeshFacts } from '../../../src/model/mesh-service.ts'
import { Store } from '../../../src/store/store.ts'
import type { WriteTransaction } from '../../../src/store/types.ts'
import { recorder } from './reports.ts'

const features = [catalogFeature, kvFeature, queryFeature, sessionFeature]
const stamps = (at: number) => ({ createIndex: modifyIndexOf(1), modifyIndex: modifyIndexOf(at) })

function node(name: string, at = 1): CatalogNode {
  return { id: '', node: name, address: '10.0.0.1', taggedAddresses: null, meta: null, ...stamps(at) }
}

function service(id: string, given: Partial<CatalogService> = {}, at = 1): CatalogService {
  const plain = { kind: '', tags: [], address: '', meta: null, port: 80, enableTagOverride: false }
  return { node: 'n1', id, service: id, weights: { passing: 1, warning: 1 }, ...plain, ...stamps(at), ...given }
}

function check(checkId: string, serviceName = '', at = 1): CatalogCheck {
  const texts = { name: checkId, status: 'passing', notes: '', output: '', serviceId: serviceName, serviceTags: [] }
  return { node: 'n1', checkId, serviceName, definition: null, ...texts, ...stamps(at) }
}

function proxyOf(destination: string): MeshFacts {
  const proxy = { destination, destinationId: '', localAddress: '', localPort: 0, config: null, upstreams: [] }
  return { native: false, proxy: proxy as unknown as MeshFacts['proxy'] }
}

function stateWith(write: (tx: WriteTransaction) => void) {
  const store = new Store(features.flatMap(({ tables = [] }) => tables))
  store.apply(modifyIndexOf(9), write)
  return store.read()
}

function partsIn(kind: ViewKind, of: string, write: (tx: WriteTransaction) => void): readonly string[] {
  return [...partsOf({ kind, of }, stateWith(write))].map(
    ({ name, needs, changedAt }) =>
      `${name} @${changedAt}: ${needs.map(({ resource, name: of, right }) => `${resource} ${of} ${right}`).join(', ')}`,
  )
}

describe('what a list consists of', () => {
  const services = (tx: WriteTransaction): void => {
    tx.put(nodesTable, node('n1', 3))
    tx.put(servicesTable, service('web', {}, 2))
    tx.put(servicesTable, service('own', { mesh: { native: true, proxy: null } }, 4))
    tx.put(servicesTable, service('p', { kind: 'connect-proxy', mesh: proxyOf('web') }, 5))
    tx.put(checksTable, check('ink', '', 2))
    tx.put(checksTable, check('up', 'web', 3))
  }

  it.each([
    ['nodes', '', ['node n1 @3: node n1 read']],
    [
      'services',
      '',
      [
        'service own @4: node n1 read, service own read',
        'service p @5: node n1 read, service p read',
        'service web @3: node n1 read, service web read',
      ],
    ],
    ['instances', 'web', ['instance web at n1 @3: node n1 read, service web read']],
    ['services of a node', 'n2', []],
    ['ways', 'web', ['instance p at n1 @5: node n1 read, service p read, service web read']],
    ['ways', 'own', ['instance own at n1 @4: node n1 read, service own read, service own read']],
    ['checks', '', ['check ink at n1 @2: node n1 read', 'check up at n1 @3: node n1 read, service web read']],
    ['checks of a node', 'n2', []],
    ['checks of a service', 'web', ['check up at n1 @3: node n1 read, service web read']],
  ] as const)('%s %s: with the rights that show it, and the index of its last change', (kind, of, parts) => {
    expect(partsIn(kind, of, services)).toEqual(parts)
  })

  it('keys under a prefix, and sessions of a node', () => {
    const write = (tx: WriteTransaction): void => {
      for (const key of ['a', 'ab', 'b']) {
        tx.put(kvTable, { key, value: kvValue(new Uint8Array()), flags: 0n, lockIndex: 0, session: '', ...stamps(6) })
      }
      const plain = { name: '', checks: [], behaviour: 'release', lockDelayNs: 0, ttl: '', ttlMs: 0 } as const
      for (const [id, of] of [
        ['s-1', 'n1'],
        ['s-2', 'n2'],
      ] as const) {
        tx.put(sessionsTable, { id, node: of, ...plain, ...stamps(2) })
      }
    }
    expect(partsIn('keys', 'a', write)).toEqual(['key a @6: key a read', 'key ab @6: key ab read'])
    expect(partsIn('sessions of a node', 'n2', write)).toEqual(['session s-2 @2: session n2 read'])
    expect(partsIn('sessions', '', write)).toHaveLength(2)
  })
})

describe('what a query finds', () => {
  const query = (given: Partial<QueryRow['service']> = {}): QueryRow => ({
    id: 'q-1',
    name: 'q',
    session: '',
    token: '',
    template: { type: '', regexp: '', removeEmptyTags: false },
    service: {
      service: 'web',
      failover: { nearestN: 0, datacenters: null },
      onlyPassing: false,
      ignoreCheckIds: null,
      near: '',
      tags: null,
      nodeMeta: null,
      connect: false,
      ...given,
    },
    dns: { ttl: '' },
    ...stamps(2),
  })

  const foundBy = (row: QueryRow, ...checks: readonly CatalogCheck[]) =>
    partsIn('found by a query', 'q', (tx) => {
      tx.put(nodesTable, node('n1'))
      tx.put(servicesTable, service('web', {}, 3))
      for (const each of checks) tx.put(checksTable, each)
      tx.put(queriesTable, row)
    })

  it('is each instance without a critical check, with the rights to it and to the query', () => {
    const rights = 'node n1 read, service web read, query q read'
    // Checks were last changed by the write of this state, at 9.
    expect(foundBy(query(), check('up', 'web'))).toEqual([`instance web at n1 @9: ${rights}`])
    expect(foundBy(query())).toEqual([`instance web at n1 @3: ${rights}`])
  })

  it.each([
    ['a check of the instance is critical', query(), { ...check('up', 'web'), status: 'critical' }],
    ['one is whose service is named in capitals', query(), { ...check('up', 'WEB'), status: 'critical' }],
    ['a check of the node is', query(), { ...check('ink'), status: 'critical' }],
    ['more is asked for than is judged', query({ tags: ['blue'] }), check('ink')],
  ])('is nothing that is due where %s', (_, row, of) => {
    expect(foundBy(row, of)).toEqual([])
  })
})

describe('what a list must have had', () => {
  const view: View = { kind: 'nodes', of: '' }
  const stateAt = (index: number) => ({
    index,
    tx: stateWith((tx) => {
      tx.put(nodesTable, node('n1', 3))
      tx.put(nodesTable, node('n2', 5))
    }),
  })

  function comparedBy(happens: (views: Views) => void): readonly string[] | undefined {
    const views = new Views()
    views.tookEffect(stateAt(4))
    views.asked(view)
    happens(views)
    const told: (readonly DuePart[])[] = []
    views.shown({ view, names: new Set(['node n2']), compared: (due) => void told.push(due) })
    return told[0]?.map(({ name, isShown }) => `${name}${isShown ? '' : ' missing'}`)
  }

  it('is what was there unchanged from before the request until after the answer', () => {
    expect(comparedBy((views) => views.tookEffect(stateAt(9)))).toEqual(['node n1 missing'])
  })

  it('is unclear if the state was replaced meanwhile', () => {
    expect(comparedBy((views) => views.replaced({ node: 's1', ...stateAt(9) }))).toBeUndefined()
  })
})

describe('A7, views', () => {
  const second = 1_000_000
  const needs = [{ resource: 'node', name: 'n1', right: 'read' }] as const
  const token = (rules: string): TokenState => ({
    accessor: 'a',
    management: false,
    legacyRules: rules,
    policies: [],
    isLocal: false,
  })

  function toldOf(rules: readonly (readonly [atS: number, rules: string])[], isShown: boolean, sinceS = 0) {
    const { judge, lines, counts } = recorder()
    const history = new AccessHistory(judge, {
      reachingSinceUs: () => sinceS * second,
      reachingFirstSinceUs: () => undefined,
    })
    history.settings({ ttlUs: 10 * second, defaultPolicy: 'deny' })
    for (const [atS, text] of rules) {
      history.changed({ atUs: atS * second, tokens: new Map([['s', token(text)]]), policies: new Map() })
    }
    const [callUs, returnUs] = [60 * second, 60 * second + 1_000]
    const visit = { agent: 'c1', datacenter: 'dc1', secret: 's', what: 'GET /v1/catalog/nodes', callUs, returnUs }
    history.compared(visit, [{ name: 'node n1', needs, isShown }])
    return { lines, counts: counts() }
  }

  const read = 'node "" { policy = "read" }'

  it('reports a part that every state of that time lets the caller see, and that is missing', () => {
    expect(toldOf([[1, read]], false).lines.join()).toMatch(
      /^A7: .*GET \/v1\/catalog\/nodes, without node n1.*every state/,
    )
  })

  it('counts a list whose parts are shown', () => {
    expect(toldOf([[1, read]], true)).toEqual({ lines: [], counts: ['A7 1'] })
  })

  it('demands nothing that some state of that time hides', () => {
    const rules = [
      [1, ''],
      [55, read],
    ] as const
    expect(toldOf(rules, false)).toEqual({ lines: [], counts: [] })
  })

  it('excuses an agent that has only just reached a server', () => {
    expect(toldOf([[1, read]], false, 50)).toEqual({ lines: [], counts: ['A7 excused: out of reach 1'] })
  })
})
