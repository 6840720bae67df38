import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { OneState } from '../../../sim/cluster/one-state.ts'
import { encodeCommand } from '../../../src/agent/command-codec.ts'
import { forgottenAtOnce, rememberedWritesMax } from '../../../src/agent/forwarded-writes.ts'
import { ReplicatedState } from '../../../src/agent/state-machine.ts'
import type { CommandDefinition } from '../../../src/features/manifest.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import type { TableDefinition } from '../../../src/store/types.ts'

interface Tally {
  readonly name: string
  readonly sum: number
}

const tallies: TableDefinition<Tally> = {
  name: 'tallies',
  key: (row) => row.name,
  decode: (stored) => z.object({ name: z.string(), sum: z.number() }).parse(stored),
}

/** Counts how often it really ran; `skew` makes it do another thing than on other servers. */
class Server {
  runs = 0
  skew = 0
  readonly told: number[] = []
  readonly state: ReplicatedState

  constructor(shared: OneState | undefined) {
    const add: CommandDefinition<{ name: string }, number> = {
      kind: 'tally.add',
      since: { major: 0, minor: 1, patch: 0 },
      body: z.strictObject({ name: z.string() }),
      apply: (tx, { name }) => {
        this.runs++
        const sum = (tx.get(tallies, name)?.sum ?? 0) + 1 + this.skew
        tx.put(tallies, { name, sum })
        return sum
      },
    }
    this.state = new ReplicatedState({
      tables: [tallies],
      commands: [add as unknown as CommandDefinition],
      store: { digest: true },
      shared,
      observer: { commandApplied: (index) => this.told.push(index) },
    })
  }

  apply(from: number, to: number, name: (index: number) => string = () => 'a'): unknown {
    let outcome: unknown
    for (let index = from; index <= to; index++) outcome = this.state.apply(entry(index, name(index)))
    return outcome
  }

  digest(): string | undefined {
    return this.state.store.digest()?.digest
  }

  snapshot(): Uint8Array[] {
    const parts: Uint8Array[] = []
    const snapshot = this.state.snapshot()
    for (let part = snapshot.next(); part !== undefined; part = snapshot.next()) parts.push(part)
    return parts
  }

  restore(parts: readonly Uint8Array[]): void {
    const restore = this.state.store.restore()
    for (const part of parts) expect(restore.write(part)).toEqual({ ok: true, value: undefined })
    expect(restore.finish()).toEqual({ ok: true, value: undefined })
  }
}

function entry(index: number, name: string, sequence?: number): Entry {
  const identity = sequence === undefined ? undefined : { origin: 'n/1', sequence }
  const payload = encodeCommand({ kind: 'tally.add' }, { name }, identity)
  return { index, term: 1, kind: 'command', payload }
}

function pair(): readonly [Server, Server] {
  const shared = new OneState()
  return [new Server(shared), new Server(shared)]
}

describe('one state for all servers of a run', () => {
  it('runs a command once for servers that agree, and once on each at every sixteenth entry', () => {
    const [first, second] = pair()
    first.apply(1, 160)
    second.apply(1, 160)
    expect(first.runs).toBe(160)
    // Up to the first audited entry each has an empty state of its own.
    expect(second.runs).toBe(16 + 9)
    expect(second.state.store.version).toBe(first.state.store.version)
  })

  it('tells each server outcome and observer as if it had run the command itself', () => {
    const [first, second] = pair()
    const alone = new Server(undefined)
    const outcomes = [first, second, alone].map((server) => server.apply(1, 100, (index) => `${index % 7}`))
    expect(outcomes[0]).toEqual({ ok: true, value: 15 })
    expect(outcomes[1]).toEqual(outcomes[0])
    expect(outcomes[2]).toEqual(outcomes[0])
    expect(second.told).toEqual(alone.told)
    expect(second.digest()).toBe(alone.digest())
  })

  it('wakes the queries of a server that takes a step over', () => {
    const [first, second] = pair()
    first.apply(1, 20)
    second.apply(1, 19)
    let woken = 0
    second.state.store.watch(
      (tx) => tx.get(tallies, 'a'),
      () => woken++,
    )
    const runs = second.runs
    second.apply(20, 20)
    second.state.applied()
    expect(second.runs).toBe(runs)
    expect(woken).toBe(1)
  })

  it('shows a command that does another thing on one server, at the next audited entry', () => {
    const [first, second] = pair()
    first.apply(1, 40)
    second.apply(1, 40)
    expect(second.digest()).toBe(first.digest())
    second.skew = 1
    first.apply(41, 48)
    second.apply(41, 48)
    expect(second.digest()).not.toBe(first.digest())
    expect(second.state.store.read().get(tallies, 'a')?.sum).toBe(49)
  })

  it('lets a server that has come to another state go its own way for good', () => {
    const [first, second] = pair()
    first.apply(1, 30)
    second.skew = 1
    second.apply(1, 2)
    second.skew = 0
    const runs = second.runs
    second.apply(3, 30)
    first.apply(31, 60)
    second.apply(31, 60)
    expect(second.runs - runs).toBe(58)
    expect(second.digest()).not.toBe(first.digest())
  })

  it('runs an entry that differs from the one that another server had there', () => {
    const [first, second] = pair()
    first.apply(1, 20)
    second.apply(1, 19)
    second.apply(20, 20, () => 'b')
    expect(second.state.store.read().get(tallies, 'b')?.sum).toBe(1)
    expect(first.state.store.read().get(tallies, 'b')).toBeUndefined()
  })

  it('remembers and forgets forwarded writes on a server that takes steps over as on one that runs all', () => {
    const [first, second] = pair()
    const alone = new Server(undefined)
    const servers = [first, second, alone]
    const writes = rememberedWritesMax + 2 * forgottenAtOnce + 10
    for (let index = 1; index <= writes; index++) {
      for (const { state } of servers) state.apply(entry(index, 'a', index))
    }
    for (const server of servers) {
      const again = (at: number, sequence: number): unknown => server.state.apply(entry(writes + at, 'a', sequence))
      expect(again(1, writes)).toEqual({ ok: true, value: writes })
      expect(again(2, 3 * forgottenAtOnce + 1)).toEqual({ ok: true, value: 3 * forgottenAtOnce + 1 })
      expect(again(3, 3 * forgottenAtOnce)).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } })
    }
    expect(second.runs).toBeLessThan(first.runs / 10)
    expect(second.digest()).toBe(alone.digest())
    expect(first.digest()).toBe(alone.digest())
  })

  it('keeps in use what a restore built', () => {
    const [first, second] = pair()
    first.apply(1, 20)
    second.restore(first.snapshot())
    first.apply(21, 64)
    second.apply(21, 64)
    expect(second.runs).toBe(44)
    expect(second.digest()).toBe(first.digest())
  })
})
