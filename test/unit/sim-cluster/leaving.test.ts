import { describe, expect, it } from 'vitest'
import { faultAction } from '../../../sim/faults/fault-schema.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { ScenarioRun } from '../../../sim/scenario/run.ts'

const page = `scenario: Agents leave
cluster:
  dc1:
    servers: { count: 3 }
    clients: { count: 2 }
lasts: 1s
`

/** The last lines of each agent's log, after these faults. */
async function lastLines(...faults: readonly object[]): Promise<(node: string) => string> {
  const loaded = loadScenario('page.yaml', page)
  if (!loaded.ok) expect.fail(JSON.stringify(loaded.error))
  const platform = createPlatform()
  const lines = new Map<string, string[]>()
  try {
    const run = new ScenarioRun({
      loaded: loaded.value,
      seed: 1,
      platform,
      trace: {
        onRecord: (event) => {
          if (event.kind !== 'log') return
          lines.set(event.node, [...(lines.get(event.node) ?? []), event.text])
        },
      },
    })
    await run.begin()
    await run.pass(10_000)
    for (const fault of faults) expect(run.injector.perform(faultAction.parse(fault), run.stepScope()).ok).toBe(true)
    await run.pass(20_000)
    expect(run.failuresSoFar()).toEqual([])
    expect(run.cluster.nodeNames.filter((node) => run.cluster.hasLeft(node))).toEqual(['s2', 'c1'])
    await run.end(true)
    expect(run.failuresSoFar()).toEqual([])
    expect(run.cluster.isRunning('s2')).toBe(false)
  } finally {
    platform.close()
  }
  return (node) => (lines.get(node) ?? []).slice(-2).join('\n')
}

describe('an agent that leaves', () => {
  it('on request ends in order, as after a signal', async () => {
    const last = await lastLines({ leave: 's2, c1' })
    for (const node of ['s2', 'c1']) expect(last(node)).toContain('agent: Exit code: 0')
    expect(last('c2')).not.toContain('Exit code')
  })
})
