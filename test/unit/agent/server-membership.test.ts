import { describe, expect, it } from 'vitest'
import type { Introductions } from '../../../src/agent/servers/introductions.ts'
import { ServerDirectory, type ServerRecord } from '../../../src/agent/servers/server-directory.ts'
import { type ServerMembershipDuty, serverMembership } from '../../../src/agent/servers/server-membership.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { err, ok } from '../../../src/base/result.ts'
import { newestRelease, type Release } from '../../../src/model/release.ts'
import { changed } from '../../../src/raft/core/configuration.ts'
import type { Configuration, ConfigurationChange, RequestRefusal } from '../../../src/raft/core/types.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { FakePool, serverMember } from './fake-pool.ts'

const addressOf = (number: number): string => `10.0.0.${number}:8300`

/** A leader s1 whose configuration changes at once, over servers that a test makes answer or not. */
class Leading {
  readonly clock = new HandClock()
  readonly changes: ConfigurationChange[] = []
  readonly silent = new Set<number>()
  /** Servers that answer the leader in Raft, though the pool may call them failed. */
  readonly replicating = new Set<number>()
  answersAfter: Promise<void> = Promise.resolve()
  readonly fake: FakePool
  configuration: Configuration
  refusal: RequestRefusal | undefined
  readonly duty: ServerMembershipDuty
  readonly #directory: ServerDirectory
  readonly #context: Parameters<ServerMembershipDuty['start']>[0]

  constructor(
    voters: readonly number[],
    options: { readonly release?: Release; readonly autopilot?: object; readonly others?: readonly number[] } = {},
  ) {
    const all = [...voters, ...(options.others ?? [])]
    this.fake = new FakePool(all.map((number) => serverMember(number)))
    this.configuration = {
      servers: voters.map((n) => ({ id: `id-s${n}`, address: addressOf(n), suffrage: 'voter' as const })),
    }
    const alive = () =>
      new Set(this.fake.pool.members().flatMap(({ status, tags }) => (status === 'alive' ? [tags['id'] ?? ''] : [])))
    this.#directory = new ServerDirectory('id-s1', 'dc1', alive)
    for (const number of all) this.meet(number)
    const base = defaultAgentConfig('s1', '10.0.0.1')
    this.duty = serverMembership({
      directory: this.#directory,
      introductions: {
        introduceTo: async (at: string) => {
          await this.answersAfter
          return this.#answer(at)
        },
        ownRecord: () => this.#record(1),
      } as unknown as Introductions,
      pool: this.fake.pool,
      config: base,
      settings: () => ({ ...base.autopilot, ...options.autopilot }),
      measure: () => undefined,
    })
    this.#context = {
      env: this.clock.env,
      release: options.release ?? newestRelease,
      raft: {
        status: () => ({
          configuration: this.configuration,
          leader: { id: 'id-s1', address: addressOf(1) },
          lastIndex: 100,
          lastTerm: 2,
        }),
        silenceMs: (id: string) => (this.replicating.has(Number(id.slice('id-s'.length))) ? 300 : 60_000),
        changeConfiguration: async (change: ConfigurationChange) => this.#change(change),
      },
    } as unknown as Parameters<ServerMembershipDuty['start']>[0]
  }

  meet(number: number): void {
    this.#directory.learn(this.#record(number))
  }

  async start(): Promise<{ close(): void }> {
    const running = this.duty.start(this.#context)
    await settled()
    return running
  }

  fail(number: number): void {
    this.silent.add(number)
    this.fake.set(serverMember(number, 'failed'), 'failed')
  }

  voters(): readonly string[] {
    return this.configuration.servers.flatMap(({ id, suffrage }) => (suffrage === 'voter' ? [id] : []))
  }

  #record(number: number): ServerRecord {
    return {
      id: `id-s${number}`,
      name: `s${number}`,
      address: addressOf(number),
      datacenter: 'dc1',
      raftProtocol: 3,
      expect: 3,
      bootstrapped: true,
      known: [],
      lastIndex: 100,
      lastTerm: 2,
      lastContactMs: 10,
    }
  }

  #answer(at: string): ServerRecord | undefined {
    const number = Number(at.split(':')[0]?.split('.')[3])
    return this.silent.has(number) ? undefined : this.#record(number)
  }

  #change(change: ConfigurationChange) {
    this.changes.push(change)
    if (this.refusal !== undefined) return err(this.refusal)
    const after = changed(this.configuration, change)
    if (!after.ok) return after
    this.configuration = after.value
    return ok(1)
  }
}

describe('the leader looks after its servers', () => {
  it('gives a newcomer its vote when it has been healthy for the stabilization time', async () => {
    const leading = new Leading([1, 2, 3], { others: [4] })
    await leading.start()
    await leading.clock.advance(1)
    expect(leading.changes).toEqual([{ kind: 'add-nonvoter', id: 'id-s4', address: addressOf(4) }])
    await leading.clock.advance(9_000)
    leading.silent.add(4)
    await leading.clock.advance(2_000)
    leading.silent.delete(4)
    // It fell silent once: the time begins anew.
    await leading.clock.advance(10_000)
    expect(leading.voters()).toHaveLength(3)
    await leading.clock.advance(4_000)
    expect(leading.voters()).toEqual(['id-s1', 'id-s2', 'id-s3', 'id-s4'])
  })

  it('tells of their health, as long as it leads', async () => {
    const leading = new Leading([1, 2, 3])
    expect(leading.duty.health()).toBeUndefined()
    const running = await leading.start()
    await leading.clock.advance(1)
    expect(leading.duty.health()).toMatchObject({ healthy: true, failureTolerance: 1 })
    leading.silent.add(3)
    await leading.clock.advance(2_000)
    expect(leading.duty.health()).toMatchObject({ healthy: false, failureTolerance: 0 })
    running.close()
    expect(leading.duty.health()).toBeUndefined()
  })

  it('asks no more when it stops while it asks', async () => {
    const leading = new Leading([1, 2, 3])
    const running = await leading.start()
    const { promise, resolve } = leading.clock.env.deferred<void>()
    leading.answersAfter = promise
    await leading.clock.advance(2_000)
    running.close()
    resolve()
    await settled()
    expect(leading.clock.timers).toBe(0)
  })

  it('removes a failed server when a new one has taken its place, and not before', async () => {
    const leading = new Leading([1, 2, 3])
    await leading.start()
    await leading.clock.advance(5_000)
    leading.fail(3)
    await leading.clock.advance(60_000)
    expect(leading.changes).toEqual([])
    leading.fake.set(serverMember(4), 'joined')
    leading.meet(4)
    await leading.clock.advance(30_000)
    expect(leading.changes.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'add-nonvoter id-s4',
      'add-voter id-s4',
      'remove id-s3',
    ])
  })

  it('removes no server that answers it, whatever the pool says', async () => {
    const leading = new Leading([1, 2, 3, 4, 5])
    leading.fake.forget('s5')
    leading.replicating.add(4).add(5)
    await leading.start()
    leading.fail(4)
    await leading.clock.advance(300_000)
    expect(leading.changes).toEqual([])
    leading.replicating.delete(4)
    await leading.clock.advance(10_000)
    expect(leading.changes).toEqual([{ kind: 'remove', id: 'id-s4' }])
  })

  it('adds a server that it had removed without a vote as soon as the pool holds it alive', async () => {
    const leading = new Leading([1, 2, 3, 4, 5])
    await leading.start()
    leading.fail(5)
    await leading.clock.advance(11_000)
    expect(leading.changes).toEqual([{ kind: 'remove', id: 'id-s5' }])
    leading.silent.delete(5)
    leading.fake.set(serverMember(5), 'joined')
    await settled()
    expect(leading.changes.at(-1)).toEqual({ kind: 'add-nonvoter', id: 'id-s5', address: addressOf(5) })
    await leading.clock.advance(9_000)
    expect(leading.voters()).toHaveLength(4)
    await leading.clock.advance(3_000)
    expect(leading.voters()).toHaveLength(5)
  })

  it('removes a server whose address another one has taken only when it hears nothing of it', async () => {
    const leading = new Leading([1, 2, 3], { others: [4] })
    const { servers } = leading.configuration
    leading.configuration = {
      servers: [...servers.slice(0, 2), { id: 'id-s3', address: addressOf(4), suffrage: 'voter' }],
    }
    leading.silent.add(3)
    leading.replicating.add(3)
    await leading.start()
    await leading.clock.advance(20_000)
    expect(leading.changes).toEqual([])
    leading.replicating.delete(3)
    await leading.clock.advance(4_000)
    expect(leading.changes.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['remove id-s3', 'add-nonvoter id-s4'])
  })

  it('removes a server that the pool does not tell of only after two minutes', async () => {
    const leading = new Leading([1, 2, 3, 4, 5])
    leading.fake.forget('s5')
    await leading.start()
    await leading.clock.advance(119_000)
    expect(leading.changes).toEqual([])
    await leading.clock.advance(20_000)
    expect(leading.changes).toEqual([{ kind: 'remove', id: 'id-s5' }])
  })

  it('removes no server when that is switched off, or below min_quorum', async () => {
    for (const autopilot of [{ cleanUpDeadServers: false }, { minQuorum: 5 }]) {
      const leading = new Leading([1, 2, 3, 4, 5], { autopilot })
      await leading.start()
      leading.fail(5)
      await leading.clock.advance(60_000)
      expect(leading.changes).toEqual([])
    }
  })

  it('promotes and removes no server while a server that is alive speaks an older Raft protocol', async () => {
    const leading = new Leading([1, 2, 3, 4, 5])
    const old = serverMember(2)
    leading.fake.set({ ...old, tags: { ...old.tags, raft_vsn: '2' } })
    await leading.start()
    leading.fail(5)
    await leading.clock.advance(60_000)
    expect(leading.changes).toEqual([])
    leading.fake.set(old)
    await leading.clock.advance(20_000)
    expect(leading.changes).toEqual([{ kind: 'remove', id: 'id-s5' }])
  })

  it('promotes in pairs as release 1.0', async () => {
    const leading = new Leading([1, 2, 3], { others: [4], release: { major: 1, minor: 0, patch: 0 } })
    await leading.start()
    await leading.clock.advance(60_000)
    expect(leading.voters()).toHaveLength(3)
    leading.fake.set(serverMember(5), 'joined')
    leading.meet(5)
    await leading.clock.advance(30_000)
    expect(leading.voters()).toHaveLength(5)
  })

  it('enters itself with the address that it was started at', async () => {
    const leading = new Leading([1, 2, 3])
    const { servers } = leading.configuration
    leading.configuration = {
      servers: servers.map((server) => (server.id === 'id-s1' ? { ...server, address: '10.0.0.9:8300' } : server)),
    }
    await leading.start()
    expect(leading.changes).toEqual([{ kind: 'add-voter', id: 'id-s1', address: addressOf(1) }])
  })

  it('does not remove itself when another server has moved to the address that its own entry still has', async () => {
    const leading = new Leading([1, 2, 3])
    const at = (number: number, address: string) => ({ id: `id-s${number}`, address, suffrage: 'voter' as const })
    leading.configuration = { servers: [at(1, addressOf(2)), at(2, '10.0.0.9:8300'), at(3, addressOf(1))] }
    for (const number of [2, 3]) leading.replicating.add(number)
    await leading.start()
    await leading.clock.advance(4_000)
    const own = [3, 1, 2].map((number) => ({ kind: 'add-voter', id: `id-s${number}`, address: addressOf(number) }))
    expect(leading.changes).toEqual(own)
  })

  it('says once why a change cannot be made', async () => {
    const leading = new Leading([1, 2, 3], { others: [4] })
    leading.refusal = { kind: 'invalid-change', message: 'it cannot be' }
    await leading.start()
    await leading.clock.advance(10_000)
    expect(leading.changes.length).toBeGreaterThan(2)
    expect(leading.clock.logged).toEqual([
      'a server waits, because this change of the Raft configuration is impossible',
    ])
  })
})
