import { describe, expect, it } from 'vitest'
import { drawnCluster, drawnTuning } from '../../../sim/scenario/drawn.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import type { RandomStream } from '../../../src/env/random.ts'

const text = `scenario: Drawn
cluster:
  dc1:
    servers: { count: [3, 5], config: { raft_snapshot_interval: 1s } }
    config: { raft_snapshot_threshold: 100 }
    drawn config: [{ raft_snapshot_threshold: 8 }, { log_level: INFO }]
knobs: { append entries: [1, 64], trailing logs: [7] }
lasts: 1s
`

function draws(...numbers: readonly number[]): RandomStream {
  const left = [...numbers]
  return { uint32: () => 0, fraction: () => 0, below: () => left.shift() as number }
}

function scenario() {
  const loaded = loadScenario('drawn.yaml', text)
  if (!loaded.ok) throw new Error('the scenario is in the language')
  return loaded.value.scenario
}

describe('what is drawn for each seed', () => {
  it('is how many servers there are, and settings over those of all', () => {
    const first = drawnCluster(scenario(), draws(0, 1))['dc1']
    expect([first?.servers.count, first?.config]).toEqual([5, { raft_snapshot_threshold: 8 }])
    const second = drawnCluster(scenario(), draws(1, 0))['dc1']
    expect([second?.servers.count, second?.config]).toEqual([3, { raft_snapshot_threshold: 100, log_level: 'INFO' }])
  })

  it('is settings of consensus, and nothing where there is one value', () => {
    const tuning = drawnTuning(scenario(), draws(1))
    expect(tuning).toEqual({ limits: { appendEntriesMax: 64 }, trailingLogs: 7 })
  })
})
