import { describe, expect, it } from 'vitest'
import { catalogRows } from './causes/catalog-rows.ts'
import { clientRows } from './causes/client-rows.ts'
import { clusterRows } from './causes/cluster-rows.ts'
import { raftRows } from './causes/raft-rows.ts'
import { crossing, leaf, meshWorld, pem, root } from './mesh-world.ts'
import { recorder } from './reports.ts'

const rows = [...raftRows, ...clientRows, ...clusterRows, ...catalogRows]

describe('a violation names the events that it follows from', () => {
  it('C1, C3: the leaf that was given, and the roots that were published', () => {
    const { laws, lines, causes, now, state, until } = meshWorld()
    now.event = 11
    state([root(1, true)])
    now.event = 12
    laws.given('web at c1', 'web', pem(leaf(1, 'R1', -20, 3_600, { service: 'web' })), 'key')
    now.event = 13
    state([root(1, false), root(2, true, [crossing(2)])])
    until(3_500)
    now.event = 14
    state([root(2, true)])
    expect(lines[0]).toMatch(/^C3: root 1 was removed/)
    expect(lines[1]).toMatch(/^C1: .* does not accept leaf 1/)
    expect(causes.slice(0, 2)).toEqual([[12], [12, 14]])
  })

  it.each(rows)('%s: %j', (code, causes, play) => {
    const { judge, now, codes, causes: named } = recorder()
    play(judge, (event) => {
      now.event = event
    })
    expect(codes[0]).toBe(code)
    expect(named[0]?.filter((event) => event > 0)).toEqual(causes)
  })
})
