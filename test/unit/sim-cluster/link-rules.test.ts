import { describe, expect, it } from 'vitest'
import { LinkRules } from '../../../sim/cluster/link-rules.ts'
import type { LinkOptions } from '../../../sim/world/network/link.ts'

const all = ['s1', 's2', 's3']

/** The latency of each direction of a link that has settings of its own. */
function network() {
  const latencies = new Map<string, number | undefined>()
  const rules = new LinkRules({
    setLink: (from, to, { latencyMs, ...others }: LinkOptions) => {
      expect(others).toEqual({})
      latencies.set(`${from}>${to}`, latencyMs === undefined ? undefined : Number(latencyMs))
    },
    clearLink: (a, b) => {
      latencies.delete(`${a}>${b}`)
      latencies.delete(`${b}>${a}`)
    },
  })
  return { rules, seen: () => Object.fromEntries([...latencies].sort()) }
}

describe('settings of links', () => {
  it('apply both ways, or only to what the machine sends', () => {
    const { rules, seen } = network()
    rules.set('s1', { latencyMs: 7 }, all)
    expect(seen()).toEqual({ 's1>s2': 7, 's1>s3': 7, 's2>s1': 7, 's3>s1': 7 })
    rules.set('s1', { latencyMs: 7, oneWay: true }, all)
    expect(seen()).toEqual({ 's1>s2': 7, 's1>s3': 7 })
    rules.set('s1', undefined, all)
    expect(seen()).toEqual({})
  })

  it('of two ends meet: the newer apply, and where they end or do not reach, the others do', () => {
    const { rules, seen } = network()
    rules.set('s1', { latencyMs: 7 }, all)
    rules.set('s2', { latencyMs: 9, oneWay: true }, all)
    expect(seen()).toEqual({ 's1>s2': 7, 's1>s3': 7, 's2>s1': 9, 's2>s3': 9, 's3>s1': 7 })
    rules.set('s1', undefined, all)
    expect(seen()).toEqual({ 's2>s1': 9, 's2>s3': 9 })
  })

  it('leave datagrams blocked at either end, whatever else the link does', () => {
    const blocked = new Map<string, boolean>()
    const rules = new LinkRules({
      setLink: (from, to, { blocksDatagrams = false }: LinkOptions) =>
        void blocked.set(`${from}>${to}`, blocksDatagrams),
      clearLink: (a, b) => {
        blocked.delete(`${a}>${b}`)
        blocked.delete(`${b}>${a}`)
      },
    })
    const seen = (): readonly string[] => [...blocked].flatMap(([link, isBlocked]) => (isBlocked ? [link] : [])).sort()
    const links = ['s1>s2', 's1>s3', 's2>s1', 's3>s1']
    rules.block('s1', true, all)
    expect(seen()).toEqual(links)
    rules.set('s2', { latencyMs: 7 }, all)
    rules.set('s1', { latencyMs: 9, oneWay: true }, all)
    expect(seen()).toEqual(links)
    rules.set('s1', undefined, all)
    expect(seen()).toEqual(links)
    rules.block('s1', false, all)
    expect(seen()).toEqual([])
    expect([...blocked.keys()].sort()).toEqual(['s1>s2', 's2>s1', 's2>s3', 's3>s2'])
  })
})
