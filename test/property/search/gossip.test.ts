import { describe, expect, it } from 'vitest'
import { Closure } from '../../../sim/search/closure.ts'
import { type GossipBounds, smallPool } from '../../../sim/search/gossip/bounds.ts'
import { GossipProtocol } from '../../../sim/search/gossip/protocol.ts'
import { Search } from '../../../sim/search/search.ts'
import { fullState } from '../../../src/gossip/core/answers.ts'
import { createGossip } from '../../../src/gossip/core/state.ts'
import { step } from '../../../src/gossip/core/step.ts'
import { mutantCore } from '../gossip-core/mutation.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
const soundCore = { createGossip, fullState, step }

describe('every state of three members', () => {
  const bounds: readonly (readonly [string, GossipBounds])[] = [
    ['two incarnations, members that start anew', { ...smallPool, leaves: false, restarts: true }],
    ['one incarnation, members that leave', { ...smallPool, incarnations: 1, times: 1 }],
    ...(long
      ? ([
          ['two incarnations', { ...smallPool, leaves: false }],
          ['two incarnations, members that leave', { ...smallPool, times: 1 }],
          ['full states', { ...smallPool, leaves: false, restarts: true, exchanges: true, incarnations: 1, times: 1 }],
        ] as const)
      : []),
  ]

  it.each(bounds)(
    'keeps the laws of membership, whatever words it hears: %s',
    (_, within) => {
      const result = new Closure(new GossipProtocol(soundCore, within), { statesMax: 100_000 }).run()
      expect([result.end, result.law]).toEqual(['exhausted', undefined])
      expect(result.nodeStates).toBeGreaterThan(200)
    },
    1_800_000,
  )

  it('keeps them in whole pools, as far as states may be remembered', () => {
    const statesMax = long ? 1_000_000 : 2_000
    const result = new Search(new GossipProtocol(soundCore, smallPool), { statesMax, symmetry: true }).run()
    expect([result.end, result.steps]).toEqual(['full', []])
  }, 600_000)
})

describe('the search finds planted bugs of membership', () => {
  const hunts = [
    {
      name: 'an accusation is not refuted',
      file: 'suspicion.ts',
      find: 'return refute(gossip, suspect.incarnation)',
      replace: 'return',
      law: /^M2: an accusation is refuted/,
    },
    {
      name: 'a word of death is not refuted',
      file: 'dead.ts',
      find: 'return refute(gossip, dead.incarnation)',
      replace: 'return',
      law: /^M2: an accusation is refuted \(dead/,
    },
    {
      name: 'a refutation does not raise the incarnation above the accusation',
      file: 'health.ts',
      find: 'Math.max(gossip.self.incarnation, accused) + 1',
      replace: 'Math.max(gossip.self.incarnation, accused)',
      law: /^M2: an accusation is refuted/,
    },
    {
      name: 'a word of life of the same incarnation counts',
      file: 'alive.ts',
      find: 'if (alive.incarnation <= known.incarnation) return',
      replace: 'if (alive.incarnation < known.incarnation) return',
      law: /^M3: in one incarnation alive, suspect, dead/,
    },
    {
      name: 'an old word of death counts',
      file: 'dead.ts',
      find: "if (dead.incarnation < member.incarnation || member.state === 'dead') return",
      replace: "if (member.state === 'dead') return",
      law: /^M3: incarnations never fall/,
    },
    {
      name: 'a refutation ends no suspicion',
      file: 'alive.ts',
      find: "  if (member.state !== 'alive') {\n    member.state = 'alive'\n    member.stateChangedMs = gossip.turn.nowMs\n  }\n  if (wasDead)",
      replace:
        "  if (member.state === 'dead') {\n    member.state = 'alive'\n    member.stateChangedMs = gossip.turn.nowMs\n  }\n  if (wasDead)",
      law: /^M2: a refutation counts/,
    },
  ]
  /** In the gate every second one: two of them break M2, one breaks M3. */
  const tried = long ? hunts : hunts.filter((_, at) => at % 2 === 0)

  it.each(tried)('$name', async ({ name, law, ...patch }) => {
    const core = await mutantCore(`search-${name.replaceAll(/\W/g, '-')}`, patch)
    const protocol = new GossipProtocol(core, { ...smallPool, leaves: false })
    const closed = new Closure(protocol, { statesMax: 10_000 }).run()
    expect([closed.end, closed.law]).toEqual(['broken', expect.stringMatching(law)])
  })

  it.each(long ? hunts : tried.slice(0, 2))('in whole pools: $name', async ({ name, law, ...patch }) => {
    const core = await mutantCore(`search-pool-${name.replaceAll(/\W/g, '-')}`, patch)
    const protocol = new GossipProtocol(core, { ...smallPool, leaves: false })
    const { end, law: broken, steps } = new Search(protocol, { statesMax: 20_000, symmetry: true }).run()
    expect([end, broken]).toEqual(['broken', expect.stringMatching(law)])
    expect(steps.length).toBeLessThan(15)
  })
})
