import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { features } from '../../../src/agent/assembly/features.ts'
import { decodeCommand, encodeCommand } from '../../../src/agent/replication/command-codec.ts'
import {
  forgottenAtOnce,
  forgottenOrigins,
  forwardedWrites,
  rememberedOriginsMax,
  rememberedWritesMax,
} from '../../../src/agent/replication/forwarded-writes.ts'
import { ReplicatedState } from '../../../src/agent/replication/state-machine.ts'
import { concatBytes, utf8 } from '../../../src/base/bytes.ts'
import { InvariantViolation } from '../../../src/base/invariant.ts'
import { pack } from '../../../src/base/msgpack.ts'
import { enterNewMode } from '../../../src/features/acl/system/mode-commands.ts'
import type { CommandDefinition, WriteIdentity } from '../../../src/features/contract/command.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { Release } from '../../../src/model/release.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import type { Row, TableDefinition } from '../../../src/store/types.ts'

/** Counts how often it took effect: what a repeat must not change. */
interface Tally {
  readonly name: string
  readonly times: number
}

const tallies: TableDefinition<Tally> = {
  name: 'tallies',
  key: (row) => row.name,
  decode: (stored) => z.object({ name: z.string(), times: z.number() }).parse(stored),
}

const tally: CommandDefinition<{ name: string }, number> = {
  kind: 'tally.count',
  since: { major: 0, minor: 1, patch: 0 },
  outcome: z.number(),
  body: z.strictObject({ name: z.string() }),
  apply: (tx, { name }) => {
    const times = (tx.get(tallies, name)?.times ?? 0) + 1
    tx.put(tallies, { name, times })
    return times
  },
}

const later: CommandDefinition<{ name: string }, string> = {
  kind: 'tally.later',
  since: { major: 1, minor: 2, patch: 3 },
  body: z.strictObject({ name: z.string() }),
  apply: () => 'done',
}

const failing: CommandDefinition<object, string> = {
  kind: 'tally.fail',
  since: { major: 0, minor: 1, patch: 0 },
  body: z.strictObject({}),
  apply: (tx) => {
    tx.put(tallies, { name: 'a', times: 100 })
    throw new Error('on purpose')
  },
}

/** Its outcome is of another shape than that of a tally. */
const naming: CommandDefinition<{ name: string }, { readonly named: string }> = {
  kind: 'tally.name',
  since: { major: 0, minor: 1, patch: 0 },
  body: z.strictObject({ name: z.string() }),
  outcome: z.object({ named: z.string() }),
  apply: (_, { name }) => ({ named: name }),
}

interface Seen {
  readonly index: number
  readonly kind: string
  readonly outcome: unknown
  readonly identity: WriteIdentity | undefined
  readonly times: number | undefined
}

class Machine {
  readonly seen: Seen[] = []
  readonly state: ReplicatedState
  index = 0

  constructor(release?: Release) {
    this.state = new ReplicatedState({
      tables: [tallies] as readonly TableDefinition<Row>[],
      commands: [tally, naming, later, failing],
      ...(release === undefined ? {} : { release }),
      store: { digest: true },
      observer: {
        commandApplied: (index, kind, outcome, identity, tx) => {
          this.seen.push({ index, kind, outcome, identity, times: tx.get(tallies, 'a')?.times })
        },
      },
    })
  }

  payload(payload: Uint8Array): unknown {
    this.index++
    return this.state.apply({ index: logIndexOf(this.index), term: termOf(1), kind: 'command', payload })?.result
  }

  count(identity?: WriteIdentity): unknown {
    return this.payload(encodeCommand(tally, { name: 'a' }, identity))
  }

  /** Another one, restored from a snapshot of this one. */
  copied(): Machine {
    const copy = new Machine()
    const sink = copy.state.restore()
    const source = this.state.snapshot()
    for (let piece = source.next(); piece !== undefined; piece = source.next()) expect(sink.write(piece).ok).toBe(true)
    expect(sink.finish().ok).toBe(true)
    copy.index = this.index
    return copy
  }

  times(): number {
    return this.state.store.read().get(tallies, 'a')?.times ?? 0
  }
}

describe('applying what Raft replicates', () => {
  it('returns the outcome of the command and calls the observer, which sees the state right after', () => {
    const machine = new Machine()
    expect(machine.count()).toEqual({ ok: true, value: 1 })
    const identity = { origin: 'n/1', sequence: 0 }
    expect(machine.count(identity)).toEqual({ ok: true, value: 2 })
    expect(machine.seen).toEqual([
      { index: 1, kind: 'tally.count', outcome: 1, identity: undefined, times: 1 },
      { index: 2, kind: 'tally.count', outcome: 2, identity, times: 2 },
    ])
  })

  it('leaves alone the entries that are Raft’s own', () => {
    const machine = new Machine()
    for (const kind of ['no-op', 'configuration'] as const) {
      const entry: Entry = { index: logIndexOf(5), term: termOf(1), kind, payload: new Uint8Array(0) }
      expect(machine.state.apply(entry)).toBeUndefined()
    }
    expect(machine.state.store.index).toBe(0)
    expect(machine.seen).toEqual([])
  })

  it('wakes parked queries at the end of the batch', () => {
    const machine = new Machine()
    let woken = 0
    machine.state.store.park(machine.state.store.query((tx) => tx.get(tallies, 'a')).touched, () => woken++)
    machine.count()
    machine.count()
    expect(woken).toBe(0)
    machine.state.applied()
    expect(woken).toBe(1)
  })

  it('stops on a command of an unknown kind, naming it and the release, with the state as it was', () => {
    const machine = new Machine()
    machine.count()
    const before = machine.state.store.digest()
    const unknown = encodeCommand({ kind: 'catalog.reticulate' }, {})
    expect(() => machine.payload(unknown)).toThrow(InvariantViolation)
    expect(() => machine.payload(unknown)).toThrow(/catalog\.reticulate.*1\.4\.0/)
    expect(machine.state.store.digest()).toEqual(before)
  })

  it('stops on a command that a later release brought, and continues with it as that release', () => {
    const payload = encodeCommand(later, { name: 'a' })
    expect(() => new Machine({ major: 1, minor: 2, patch: 2 }).payload(payload)).toThrow('tally.later')
    expect(new Machine({ major: 1, minor: 2, patch: 3 }).payload(payload)).toEqual({ ok: true, value: 'done' })
  })

  it('stops on a command that it cannot read, whatever is wrong with it', () => {
    const framed = (value: unknown): Uint8Array => concatBytes([new Uint8Array([1]), pack(value)])
    const unreadable: readonly Uint8Array[] = [
      new Uint8Array(0),
      new Uint8Array([2, 0x80]),
      new Uint8Array([1]),
      new Uint8Array([1, 0xc1]),
      framed('text'),
      framed({ body: {} }),
      framed({ kind: 'tally.count', body: { name: 7 } }),
      framed({ kind: 'tally.count', body: { name: 'a', unknown: true } }),
      framed({ kind: 'tally.count', body: { name: 'a' }, identity: { origin: 'n', sequence: -1 } }),
      framed({ kind: 'tally.count', body: { name: 'a' }, identity: 'n/1' }),
    ]
    for (const payload of unreadable) {
      expect(() => new Machine().payload(payload), String(payload)).toThrow('cannot be read')
    }
  })

  it('snapshots hold what is remembered of forwarded writes, too', () => {
    const from = new Machine()
    const identity = { origin: 'n/1', sequence: 4 }
    from.count(identity)
    const to = from.copied()
    expect(to.state.store.digest()).toEqual(from.state.store.digest())
    expect(to.count(identity)).toEqual({ ok: true, value: 1 })
    expect(to.times()).toBe(1)
  })
})

describe('a forwarded write', () => {
  it('that is repeated gets its first outcome, changes nothing and is not told to the observer', () => {
    const machine = new Machine()
    const identity = { origin: 'n/1', sequence: 3 }
    machine.count(identity)
    machine.count()
    const digest = machine.state.store.digest()?.digest
    expect(machine.count(identity)).toEqual({ ok: true, value: 1 })
    expect(machine.times()).toBe(2)
    expect(machine.state.store.digest()?.digest).toBe(digest)
    expect(machine.seen).toHaveLength(2)
  })

  it('whose identity comes again with another command gets no outcome of that, and changes nothing', () => {
    const machine = new Machine()
    const identity = { origin: 'n/1', sequence: 3 }
    machine.count(identity)
    const asName = (on: Machine): unknown => on.payload(encodeCommand(naming, { name: 'a' }, identity))
    const unknown = { ok: false, error: { kind: 'outcome-unknown' } }
    expect(asName(machine)).toMatchObject(unknown)
    expect(machine.state.outcomeOf(identity, naming)).toMatchObject(unknown)
    expect(machine.state.outcomeOf(identity, tally)).toEqual({ ok: true, value: 1 })
    expect(machine.times()).toBe(1)
    // Rows of a snapshot do not name their command: there the shape of the outcome tells.
    const copy = machine.copied()
    expect(asName(copy)).toMatchObject(unknown)
    expect(copy.count(identity)).toEqual({ ok: true, value: 1 })
    expect(copy.state.store.digest()?.digest).toBe(machine.state.store.digest()?.digest)
  })

  it('of another origin or sequence is another write, also when sequences come out of order', () => {
    const machine = new Machine()
    const order = [5, 2, 9, 0]
    for (const sequence of order) machine.count({ origin: 'n/1', sequence })
    for (const sequence of order) machine.count({ origin: 'n/2', sequence })
    expect(machine.times()).toBe(8)
    for (const sequence of order) machine.count({ origin: 'n/1', sequence })
    expect(machine.times()).toBe(8)
  })

  it('beyond those remembered is refused rather than risked, and what is remembered stays bounded', () => {
    const machine = new Machine()
    const send = (origin: string, sequence: number): unknown => machine.count({ origin, sequence })
    // Out of order, so that the highest one forgotten is not the last.
    const first = Array.from({ length: forgottenAtOnce }, (_, i) => forgottenAtOnce - 1 - i)
    for (const sequence of first) send('busy', sequence)
    for (let sequence = forgottenAtOnce; sequence < rememberedWritesMax; sequence++) send('busy', sequence)
    expect(send('busy', 0)).toMatchObject({ ok: true })
    expect(machine.state.store.read().count(forgottenOrigins)).toBe(0)
    send('other', 7)
    const tx = machine.state.store.read()
    expect(tx.count(forwardedWrites)).toBe(rememberedWritesMax)
    expect([...tx.all(forgottenOrigins)]).toMatchObject([{ origin: 'busy', through: forgottenAtOnce - 1 }])
    const before = machine.times()
    for (const sequence of [0, forgottenAtOnce - 1]) {
      expect(send('busy', sequence)).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } })
    }
    expect(send('busy', forgottenAtOnce)).toEqual({ ok: true, value: forgottenAtOnce + 1 })
    expect(send('other', 6)).toEqual({ ok: true, value: before + 1 })
    expect(machine.times()).toBe(before + 1)
    const copy = machine.copied()
    for (const sequence of [0, forgottenAtOnce - 1, forgottenAtOnce, rememberedWritesMax - 1]) {
      expect(copy.count({ origin: 'busy', sequence })).toEqual(send('busy', sequence))
    }
    // It goes on where the other one would.
    for (let i = 0; i < 2 * forgottenAtOnce; i++) {
      const identity = { origin: 'later', sequence: i }
      expect(copy.count(identity)).toEqual(machine.count(identity))
    }
    expect(copy.state.store.digest()).toEqual(machine.state.store.digest())
    expect(copy.count({ origin: 'busy', sequence: 3 * forgottenAtOnce - 1 })).toMatchObject({ ok: false })
  }, 60_000)

  it('that throws leaves nothing that its repeat would find', () => {
    const machine = new Machine()
    const identity = { origin: 'n/1', sequence: 4 }
    const unknown = encodeCommand({ kind: 'tally.fail' }, {}, identity)
    expect(() => machine.payload(unknown)).toThrow('on purpose')
    expect(machine.count(identity)).toEqual({ ok: true, value: 1 })
  })
})

describe('the origins of forwarded writes', () => {
  it('are forgotten, too, those first of which nothing was heard for longest', () => {
    const machine = new Machine()
    const forgotten = rememberedOriginsMax + forgottenAtOnce
    for (let i = 0; i < rememberedWritesMax + forgotten; i++) machine.count({ origin: `n/${i}`, sequence: 5 })
    const tx = machine.state.store.read()
    expect(tx.count(forgottenOrigins)).toBe(rememberedOriginsMax)
    expect(tx.count(forwardedWrites)).toBe(rememberedWritesMax)
    const oldest = [...tx.inIndexOrder(forgottenOrigins, 'age')][0]?.index
    expect(oldest).toBe(rememberedWritesMax + forgottenAtOnce + 1)
  }, 60_000)
})

describe('a snapshot of a later release', () => {
  const stateAs = (release: Release) =>
    new ReplicatedState({
      tables: features.flatMap(({ tables = [] }) => tables),
      commands: features.flatMap(({ commands = [] }) => commands),
      release,
    })
  const [former, newest] = [
    { major: 1, minor: 3, patch: 1 },
    { major: 1, minor: 4, patch: 0 },
  ]

  function restored(state: ReplicatedState, release: Release): string {
    const [from, into] = [state.snapshot(), stateAs(release).restore()]
    for (let bytes = from.next(); bytes !== undefined; bytes = from.next()) into.write(bytes)
    const finished = into.finish()
    return finished.ok ? 'restored' : finished.error
  }

  it('is refused where this release would have stopped at one of its commands: access control has gone over', () => {
    const state = stateAs(newest)
    expect([restored(state, former), restored(state, newest)]).toEqual(['restored', 'restored'])
    state.apply({
      index: logIndexOf(1),
      term: termOf(1),
      kind: 'command',
      payload: encodeCommand(enterNewMode, {}, undefined),
    })
    expect(restored(state, newest)).toBe('restored')
    expect(restored(state, former)).toMatch(
      /^it is of a later release, whose access control has policies, which 1\.3\.1 /,
    )
  })
})

describe('commands in the log', () => {
  it('come back as they were written, with bytes, big integers and identity', () => {
    const body = { key: 'k\xff', value: utf8('v'), flags: 0xffff_ffff_ffff_ffffn }
    const identity = { origin: 'n/1', sequence: 12 }
    const decoded = decodeCommand(encodeCommand({ kind: 'kv.put' }, body, identity))
    expect(decoded).toEqual({ ok: true, value: { kind: 'kv.put', body, identity } })
  })

  it('have kinds, tables, methods and paths that no two features share', () => {
    const all = {
      kinds: features.flatMap((feature) => feature.commands ?? []).map((command) => command.kind),
      tables: features.flatMap((feature) => feature.tables ?? []).map((table) => table.name),
      methods: features.flatMap((feature) => feature.endpoints ?? []).map((endpoint) => endpoint.method),
      paths: features.flatMap((feature) => feature.routes ?? []).map((route) => `${route.path}${route.below ?? ''}`),
    }
    for (const names of Object.values(all)) expect(new Set(names).size).toBe(names.length)
  })
})
