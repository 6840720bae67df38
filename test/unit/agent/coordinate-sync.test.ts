import { describe, expect, it } from 'vitest'
import { syncCoordinate } from '../../../src/agent/local/coordinate-sync.ts'
import { OwnRefusals } from '../../../src/agent/local/own-refusals.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { Rights } from '../features/rights-of.ts'
import { ManualWorld } from '../gossip-driver/manual-world.ts'

/** An agent whose coordinate is another each time that it is looked at. */
function begun(coordinateOf: () => object | undefined = () => ({})) {
  const world = new ManualWorld()
  const lines: string[] = []
  const state: { answer: Result<null, Failure>; token: string; sent: string[] } = {
    answer: ok(null),
    token: '',
    sent: [],
  }
  const env = Object.assign(world, {
    random: { draws: () => ({ fraction: () => 0 }) },
    detach: (work: Promise<unknown>) => void work,
    log: { ...world.log, write: (level: string, _: string, text: string) => void lines.push(`${level} ${text}`) },
  })
  const found = ok(Object.assign(new Rights(['node:n1:read']), { accessor: 'a-1' }))
  const rights = { now: () => found, resolve: async () => found }
  const stop = syncCoordinate({
    env: env as never,
    pool: { coordinateOf, stats: () => ({ members: 3 }) } as never,
    nodeName: 'n1',
    token: () => state.token,
    refusals: new OwnRefusals(env as never, rights as never),
    send: async (update, token) => {
      state.sent.push(`${update.node} by '${token}'`)
      return state.answer
    },
  })
  const rounds = async (count: number): Promise<void> => {
    for (let round = 0; round < count; round++) {
      world.wait(15_000)
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    }
  }
  return { state, lines, rounds, stop, world }
}

const denied = err({ kind: 'permission-denied', message: 'Permission denied' } as const)

describe('the coordinate of an agent', () => {
  it('that servers refuse is reported in one line, with the accessor of its token and the right that this lacks', async () => {
    const { state, lines, rounds } = begun()
    state.answer = denied
    state.token = 'secret'
    await rounds(5)
    expect(state.sent).toEqual(Array.from({ length: 5 }, () => "n1 by 'secret'"))
    const warned = lines.filter((line) => line.startsWith('warn'))
    expect(warned).toEqual([
      'warn Failed to send the network coordinate of node "n1": token a-1 lacks node:write on "n1"',
    ])
  })

  it('is reported again once it was accepted in between', async () => {
    const { state, lines, rounds } = begun()
    state.answer = denied
    await rounds(1)
    state.answer = ok(null)
    await rounds(1)
    state.answer = denied
    await rounds(2)
    const warned = lines.filter((line) => line.startsWith('warn'))
    expect(warned).toHaveLength(2)
    expect(warned[0]).toMatch(/^warn .*: the anonymous token, as no other is set, lacks node:write on "n1"$/)
  })

  it('that does not change, as of an agent that is alone, is sent at first, and again now and then', async () => {
    const unchanged = {}
    const { state, rounds } = begun(() => unchanged)
    await rounds(1)
    expect(state.sent).toEqual(["n1 by ''"])
    await rounds(9)
    expect(state.sent).toHaveLength(1)
    await rounds(1)
    expect(state.sent).toHaveLength(2)
    await rounds(20)
    expect(state.sent).toHaveLength(4)
  })

  it('is not looked for again where the agent keeps none', async () => {
    const { state, rounds, world } = begun(() => undefined)
    expect(world.pending).toBe(0)
    await rounds(20)
    expect(state.sent).toEqual([])
  })

  it('that no server accepts for another reason is reported at debug level only', async () => {
    const { state, lines, rounds, stop } = begun()
    state.answer = err({ kind: 'no-leader' })
    await rounds(2)
    expect(lines).toEqual(Array.from({ length: 2 }, () => 'debug could not send the coordinate of this node'))
    stop()
    await rounds(2)
    expect(state.sent).toHaveLength(2)
  })
})
