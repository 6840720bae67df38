import { describe, expect, it } from 'vitest'
import { drawnCluster, drawnTuning, takesPart } from '../../../sim/scenario/drawn.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { Decisions } from '../../../sim/world/decisions/decisions.ts'

const text = `scenario: Drawn
cluster:
  dc1:
    servers: { count: [3, 5], config: { raft_snapshot_interval: 1s } }
    config: { raft_snapshot_threshold: 100 }
    drawn config: [{ raft_snapshot_threshold: 8 }, { log_level: INFO }]
knobs: { append entries: [1, 64], trailing logs: [7], log segment: [4096] }
lasts: 1s
`

const decisionsOf = (seed: number): Decisions => new Decisions(String(seed), () => 0)

function scenario() {
  const loaded = loadScenario('drawn.yaml', text)
  if (!loaded.ok) throw new Error('the scenario is in the language')
  return loaded.value.scenario
}

describe('what is drawn for each seed', () => {
  it('is how many servers there are, and settings over those of all', () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 40; seed++) {
      const { servers, config } = drawnCluster(scenario(), decisionsOf(seed))['dc1'] ?? {}
      seen.add(JSON.stringify([servers?.count, config]))
    }
    expect([...seen].sort()).toEqual([
      '[3,{"raft_snapshot_threshold":100,"log_level":"INFO"}]',
      '[3,{"raft_snapshot_threshold":8}]',
      '[5,{"raft_snapshot_threshold":100,"log_level":"INFO"}]',
      '[5,{"raft_snapshot_threshold":8}]',
    ])
  })

  it('is which groups of clients take part, and those of keys always do', () => {
    const groups = [
      { key: 'workload', name: 'shared' },
      { key: 'owners', name: 'alone' },
      { key: 'readers', name: 'fresh' },
      { key: 'readers', name: 'stale' },
    ] as const
    const drawn = (swarm: number | undefined) =>
      Array.from({ length: 60 }, (_, seed) =>
        groups.filter((group) => takesPart({ swarm }, decisionsOf(seed), group)).map(({ name }) => name),
      )
    expect(new Set(drawn(undefined).map(String))).toEqual(new Set(['shared,alone,fresh,stale']))
    expect(new Set(drawn(1).map(String))).toEqual(new Set(['shared']))
    expect(new Set(drawn(0.5).map(String)).size).toBe(8)
    expect(drawn(0.5)).toEqual(drawn(0.5))
  })

  it('is settings of consensus, and nothing where there is one value', () => {
    const drawn = Array.from({ length: 20 }, (_, seed) => drawnTuning(scenario(), decisionsOf(seed)))
    for (const { trailingLogs, logSegmentBytes } of drawn) expect([trailingLogs, logSegmentBytes]).toEqual([7, 4096])
    expect(new Set(drawn.map(({ limits }) => limits?.appendEntriesMax))).toEqual(new Set([1, 64]))
  })
})
