import { describe, expect, it } from 'vitest'
import type { HeldInstance, HeldNode } from '../../../sim/checkers/reads/held.ts'
import { type AskedFor, differenceOf, ReadTruth, toldOf } from '../../../sim/checkers/reads/read-truth.ts'
import { SettingsTold } from '../../../sim/checkers/reads/settings-told.ts'
import { toldIn } from '../../../sim/workload/comparing/http-answers.ts'
import { drawnHttp, targetOf } from '../../../sim/workload/comparing/http-questions.ts'
import { Decisions } from '../../../sim/world/decisions/decisions.ts'
import { recorder } from './reports.ts'

const c1: HeldNode = {
  name: 'c1',
  isServer: false,
  address: '10.0.0.1',
  meta: [['zone', 'north']],
  checks: [{ id: 'n', status: 'passing' }],
}
const c2: HeldNode = {
  name: 'c2',
  isServer: false,
  address: '10.0.0.2',
  meta: [],
  checks: [{ id: 'n', status: 'passing' }],
}
const usual = { address: '', port: 80, tags: ['blue'], meta: [], weights: { passing: 2, warning: 1 }, inMesh: false }
const held: readonly HeldInstance[] = [
  { ...usual, node: c2, id: 'web-1', inMesh: true, checks: [{ id: 'w', status: 'warning' }] },
  {
    ...usual,
    node: c1,
    id: 'web-1',
    address: '10.9.0.1',
    tags: ['blue', 'old'],
    checks: [{ id: 'w', status: 'passing' }],
  },
  { ...usual, node: c1, id: 'web-2', tags: [], checks: [{ id: 'x', status: 'critical' }] },
]
const north = { nodeMeta: ['zone', 'north'] as const }

/** Names of instances alone. */
const named = (asked: AskedFor): string => toldOf(held, asked).replaceAll(/ at [^,]*/g, '')

describe('E7', () => {
  it.each<[AskedFor, string]>([
    [{ of: 'health', connect: false }, 'c1/web-1, c1/web-2, c2/web-1'],
    [{ of: 'catalog', connect: true, tag: 'nothing' }, 'c2/web-1'],
    [{ of: 'health', connect: false, passing: true }, 'c1/web-1'],
    [{ of: 'health', connect: false, tag: 'old' }, 'c1/web-1'],
    [{ of: 'catalog', connect: false, ...north }, 'c1/web-1, c1/web-2'],
    [{ of: 'catalog', connect: false, nodeMeta: ['zone', 'south'] }, ''],
    [{ of: 'services' }, 'listed with [blue old]'],
    [{ of: 'services', nodeMeta: ['zone', 'south'] }, ''],
    [{ of: 'checks' }, 'c1/w=passing, c1/x=critical, c2/w=warning'],
    [{ of: 'checks', ...north }, 'c1/w=passing, c1/x=critical'],
    [{ of: 'state', status: 'passing', ...north }, 'c1/n=passing, c1/w=passing'],
    [{ of: 'state', status: 'warning' }, 'c2/w=warning'],
    [{ of: 'node checks', node: 'c1' }, 'c1/n=passing, c1/w=passing, c1/x=critical'],
    [{ of: 'agent checks', node: 'c2' }, 'c2/w=warning'],
    [{ of: 'node services', node: 'c2' }, 'c2/web-1'],
  ])('of %o expects %s', (asked, told) => {
    expect(named(asked)).toBe(told)
  })

  it('expects all that is held of an instance, and the address that users are sent to', () => {
    expect(toldOf(held, { of: 'health', connect: false, tag: 'old' })).toBe(
      'c1/web-1 at 10.9.0.1:80 on 10.0.0.1 [blue old] {} 2/1 to 10.9.0.1 (n=passing w=passing)',
    )
  })

  it('reads the same from answers', () => {
    const Node = { Node: 'c1', Address: '10.0.0.1' }
    const Service = {
      ID: 'web-1',
      Service: 'web',
      Tags: ['blue', 'old'],
      Address: '10.9.0.1',
      Meta: null,
      Port: 80,
      Weights: { Passing: 2, Warning: 1 },
    }
    const check = (CheckID: string, ServiceName: string, on = 'c1') => ({
      Node: on,
      CheckID,
      Status: 'passing',
      ServiceID: ServiceName,
      ServiceName,
    })
    const Checks = [check('w', 'web'), check('n', '')]
    const health: AskedFor = { of: 'health', connect: false, tag: 'old' }
    const row = { Node, Address: '10.9.0.1', Service, Checks }
    expect(toldIn([row], health, 'web', held)).toBe(toldOf(held, health))
    expect(toldIn([{ ...row, Address: '10.0.0.1' }], health, 'web', held)).not.toBe(toldOf(held, health))
    const services = { web: ['old', 'blue'], other: [] }
    expect(toldIn(services, { of: 'services' }, 'web', held)).toBe(toldOf(held, { of: 'services' }))
    expect(toldIn({ web: ['old'] }, { of: 'services' }, 'web', held)).not.toBe(toldOf(held, { of: 'services' }))
    expect(toldIn({ other: [] }, { of: 'services' }, 'web', held)).toBe('')
    const state: AskedFor = { of: 'state', status: 'passing', ...north }
    const rows = [...Checks, check('w', 'other'), check('n', '', 's1')]
    expect(toldIn(rows, state, 'web', held)).toBe(toldOf(held, state))
  })

  it('reports an answer that is not what the agents have', () => {
    const { judge, lines, counts } = recorder()
    const truth = new ReadTruth(judge)
    truth.compared('web at c1', differenceOf('c1/web-1', 'c1/web-1'))
    truth.changed()
    expect([lines, counts()]).toEqual([[], ['E7 1', 'E7 excused: changed meanwhile 1']])
    truth.compared('web at c1', differenceOf('c1/web-1', ''))
    expect(lines).toEqual(['E7: web at c1 is answered with nothing, and the agents have c1/web-1'])
  })

  it('knows the metadata of nodes from their settings', () => {
    const told = new SettingsTold()
    told.told('c1', { nodeName: 'c1', nodeMeta: { zone: 'north' } } as unknown as Parameters<typeof told.told>[1])
    expect([told.nodeMetaOf('c1'), told.nodeMetaOf('c2'), told.dnsOf('c2')]).toEqual([
      [['zone', 'north']],
      [],
      undefined,
    ])
  })

  it('is asked in every way', () => {
    const targets = new Set<string>()
    const decisions = new Decisions('1', () => 0)
    for (let nth = 0; nth < 1_500; nth++) {
      const asking = { service: 'web', tags: ['blue'], nodeMeta: ['zone:north'] }
      const drawn = drawnHttp(decisions.draws(nth), asking, { name: 'c1', of: 'dc1', mustAnswer: true }, ['c1'])
      if (drawn !== undefined) targets.add(targetOf('web', drawn.asked, drawn.how))
    }
    for (const target of [
      '/v1/health/service/web?passing&tag=blue',
      '/v1/health/service/web?filter=%60blue%60%20in%20Service.Tags%20and%20not%20Checks.Status%20!%3D%20passing&near=_agent',
      '/v1/health/state/any?filter=Status%20%3D%3D%20critical&near=_agent',
      '/v1/catalog/service/web?filter=NodeMeta%5B%22zone%22%5D%20%3D%3D%20%60north%60&near=_agent',
      '/v1/health/connect/web',
      '/v1/health/service/web?cached',
      '/v1/catalog/connect/web',
      '/v1/catalog/services',
      '/v1/catalog/services?node-meta=zone:north',
      '/v1/catalog/service/web?node-meta=zone:north',
      '/v1/health/checks/web',
      '/v1/health/state/critical?node-meta=zone:north',
      '/v1/catalog/node/c1',
      '/v1/health/node/c1',
      '/v1/agent/services',
      '/v1/agent/checks',
    ]) {
      expect(targets).toContain(target)
    }
  })
})
