import { describe, expect, it } from 'vitest'
import { Exposition } from '../../../src/agent/telemetry/exposition.ts'
import { labelsOf } from '../../../src/model/metric-labels.ts'
import { parsePrometheus } from './prometheus-text.ts'

function exposed(retentionMs = 60_000) {
  let nowMs = 0
  const exposition = new Exposition({ monoMs: () => nowMs, wallMs: () => nowMs }, retentionMs)
  const pass = (ms: number): void => {
    nowMs += ms
  }
  return { exposition, pass, read: () => parsePrometheus(exposition.text()) }
}

describe('what Prometheus is told', () => {
  it('is nothing at first', () => {
    expect(exposed().exposition.text()).toBe('')
  })

  it('is counters that go on, gauges as they are, and summaries of the last seconds', () => {
    const { exposition, pass, read } = exposed()
    exposition.count('svc.raft.apply', 2)
    exposition.count('svc.raft.apply', 3)
    exposition.gauge('svc.n1.memberlist.health.score', 4)
    exposition.gauge('svc.n1.memberlist.health.score', 1.5)
    for (let value = 1; value <= 100; value++) exposition.sample('svc.raft.commitTime', value)
    expect(exposition.text().split('\n').slice(0, 3)).toEqual([
      '# HELP svc_n1_memberlist_health_score svc_n1_memberlist_health_score',
      '# TYPE svc_n1_memberlist_health_score gauge',
      'svc_n1_memberlist_health_score 1.5',
    ])
    const first = read()
    expect([...first.keys()]).toEqual(['svc_n1_memberlist_health_score', 'svc_raft_apply', 'svc_raft_commitTime'])
    expect(first.get('svc_raft_apply')).toMatchObject({ type: 'counter', samples: new Map([['svc_raft_apply', 5]]) })
    expect([...(first.get('svc_raft_commitTime')?.samples ?? [])]).toEqual([
      ['svc_raft_commitTime{quantile="0.5"}', 50],
      ['svc_raft_commitTime{quantile="0.9"}', 90],
      ['svc_raft_commitTime{quantile="0.99"}', 99],
      ['svc_raft_commitTime_sum', 5050],
      ['svc_raft_commitTime_count', 100],
    ])
    pass(11_000)
    exposition.count('svc.raft.apply', 1)
    const later = read()
    expect(later.get('svc_raft_apply')?.samples.get('svc_raft_apply')).toBe(6)
    const samples = later.get('svc_raft_commitTime')?.samples
    expect(samples?.get('svc_raft_commitTime{quantile="0.5"}')).toBeNaN()
    expect(samples?.get('svc_raft_commitTime_count')).toBe(100)
  })

  it('is a series for each value of labels, in one family, with values escaped and names in their order', () => {
    const { exposition, read } = exposed()
    const labels = labelsOf(['service', 'a "b"\n\\c'], ['node', 'n1'], ['node', 'n2'])
    exposition.count('asked', 1, labels)
    exposition.count('asked', 2, labelsOf(['service', 'web']))
    exposition.count('asked', 4)
    exposition.sample('took', 7, labelsOf(['node', 'n1']))
    expect([...(read().get('asked')?.samples ?? [])]).toEqual([
      ['asked', 4],
      ['asked{node="n2",service="a \\"b\\"\\n\\\\c"}', 1],
      ['asked{service="web"}', 2],
    ])
    expect([...(read().get('took')?.samples.keys() ?? [])]).toEqual([
      ...['0.5', '0.9', '0.99'].map((quantile) => `took{node="n1",quantile="${quantile}"}`),
      'took_sum{node="n1"}',
      'took_count{node="n1"}',
    ])
  })

  it('is one series of labels that are written alike', () => {
    const { exposition, read } = exposed()
    for (const first of ['a', 'c']) exposition.count('asked', 1, labelsOf(['tag', first], ['tag', 'b']))
    expect([...(read().get('asked')?.samples ?? [])]).toEqual([['asked{tag="b"}', 2]])
  })

  it('has names that Prometheus takes, each once and of one type', () => {
    const { exposition, read } = exposed()
    exposition.count('a.b-c d=e/f', 1)
    exposition.gauge('a.b-c.d.e.f', 7)
    exposition.count('1st.näme"\n', 1)
    expect([...read().entries()].map(([name, { type }]) => [name, type])).toEqual([
      ['_1st_n_me__', 'counter'],
      ['a_b_c_d_e_f', 'counter'],
    ])
  })

  it('says numbers as Prometheus writes them', () => {
    const { exposition, read } = exposed()
    exposition.gauge('big', 1e300)
    exposition.gauge('inf', Number.POSITIVE_INFINITY)
    exposition.gauge('less', Number.NEGATIVE_INFINITY)
    exposition.gauge('none', Number.NaN)
    const values = [...read().values()].flatMap(({ samples }) => [...samples.values()])
    expect(values).toEqual([1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])
  })

  it('forgets what was not touched for the time it keeps it', () => {
    const { exposition, pass, read } = exposed(20_000)
    exposition.count('old', 1)
    pass(15_000)
    exposition.count('new', 1)
    expect([...read().keys()]).toEqual(['new', 'old'])
    pass(6_000)
    expect([...read().keys()]).toEqual(['new'])
    exposition.count('old', 1)
    expect(read().get('old')?.samples.get('old')).toBe(1)
  })

  it('is bounded in names and in values of a summary', () => {
    const { exposition, pass, read } = exposed(20_000)
    for (let at = 0; at < 5_000; at++) exposition.count(`n${at % 2}`, 1, labelsOf(['service', String(at)]))
    expect([...read().values()].map(({ samples }) => samples.size)).toEqual([2_048, 2_048])
    pass(21_000)
    for (let at = 0; at < 5_000; at++) exposition.count(`n${at}`, 1)
    expect(read().size).toBe(4_096)
    pass(21_000)
    for (let at = 0; at < 10_000; at++) exposition.sample('s', at)
    expect([...read().keys()]).toEqual(['s'])
    expect(read().get('s')?.samples.get('s{quantile="0.5"}')).toBe(10_000 - 257)
  })
})
