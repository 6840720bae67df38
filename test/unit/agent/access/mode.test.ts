import { describe, expect, it } from 'vitest'
import { ClientMode, ServerMode } from '../../../../src/agent/access/mode.ts'
import { agentTags } from '../../../../src/agent/pool/pool-servers.ts'
import { defaultAccess } from '../../../../src/agent/settings/access-settings.ts'
import { defaultAgentConfig } from '../../../../src/agent/settings/default-config.ts'
import type { Closable } from '../../../../src/env/async.ts'
import type { Env } from '../../../../src/env/env.ts'
import { enterNewMode } from '../../../../src/features/acl/system/mode-commands.ts'
import { isNewMode } from '../../../../src/features/acl/views.ts'
import type { Member, Pool } from '../../../../src/gossip/pool.ts'
import { parseRelease, type Release } from '../../../../src/model/release.ts'
import { HandClock, settled } from '../../features/hand-clock.ts'
import { LoneServer } from '../../features/lone-server.ts'
import { FakePool, serverMember } from '../fake-pool.ts'

function server(number: number, acls: string | undefined, datacenter = 'dc1', build = '1.4.0'): Member {
  const member = serverMember(number)
  const tags = { ...member.tags, dc: datacenter, build: `${build}:`, ...(acls === undefined ? {} : { acls }) }
  return { ...member, name: datacenter === 'dc1' ? `s${number}` : `s${number}.${datacenter}`, tags }
}

/** One server, s1, of a datacenter with others; it leads once `lead` is called. */
class Datacenter {
  readonly clock = new HandClock()
  readonly lan: FakePool
  readonly wan: FakePool
  readonly server: LoneServer
  readonly mode: ServerMode
  /** Tags that s1 has told its pools, in order. */
  readonly told: string[] = []
  isComing = false
  #leading: Closable | undefined

  constructor(options: {
    lan: readonly Member[]
    wan?: readonly Member[]
    primary?: string
    release?: Release
    state?: LoneServer
  }) {
    const { env } = this.clock
    this.lan = new FakePool(options.lan)
    this.wan = new FakePool(options.wan ?? [])
    this.server = options.state ?? new LoneServer({ ...env, metrics: { count: () => {} } } as unknown as Env)
    this.server.raftStatus = { ...this.server.raftStatus, configuration: { servers: [] } }
    const defaults = defaultAgentConfig('s1', '10.0.0.1', options.release)
    const access = { ...defaultAccess, enabled: true, primaryDatacenter: options.primary ?? '' }
    this.mode = new ServerMode({
      env,
      config: { ...defaults, server: true, access },
      lan: this.#tagged(this.lan),
      wan: this.#tagged(this.wan),
      raft: { status: () => this.server.raftStatus },
      isComing: () => this.isComing,
      state: { read: () => this.server.read(), watch: this.server.context.watch },
    })
  }

  #tagged({ pool }: FakePool): Pool {
    const setTags = (tags: Readonly<Record<string, string>>) => this.told.push(tags['acls'] ?? '')
    return { ...pool, setTags, self: () => ({ tags: { acls: '2' } }) } as unknown as Pool
  }

  async lead(): Promise<void> {
    this.#leading = this.mode.duty.start({
      ...this.server.context,
      release: defaultAgentConfig('x', '10.0.0.1').release,
    })
    await settled()
  }

  resign(): void {
    this.#leading?.close()
  }
}

const old = server(2, undefined, 'dc1', '1.3.1')

describe('a server that has access control on', () => {
  it('[ACL-028] starts in legacy mode, and says so by its tag', () => {
    const config = {
      ...defaultAgentConfig('s1', '10.0.0.1'),
      server: true,
      access: { ...defaultAccess, enabled: true },
    }
    expect(agentTags(config, 'id', config.release)).toMatchObject({ acls: '2' })
    expect(agentTags({ ...config, access: defaultAccess }, 'id', config.release)).toMatchObject({ acls: '0' })
    const former = parseRelease('1.3.1') as Release
    expect(agentTags(config, 'id', former)).not.toHaveProperty('acls')
    const there = new Datacenter({ lan: [server(1, '2')] })
    const { mode, told } = there
    expect([mode.mode, told, mode.refusesNew()?.kind]).toEqual(['legacy', [], 'legacy-access-control'])
    there.isComing = true
    expect(mode.refusesNew(), 'what it has not read yet may say otherwise: the leader knows').toBeUndefined()
  })

  it('[ACL-031] goes over when every server of the primary datacenter says that it can, and not before', async () => {
    const there = new Datacenter({ lan: [server(1, '2'), old, server(3, '2')] })
    await there.lead()
    await there.clock.advance(300_000)
    expect(there.mode.mode).toBe('legacy')
    expect(there.mode.refusesNew()).toMatchObject({ message: expect.stringContaining('s2 in dc1 runs 1.3.1') })
    there.lan.set({ ...old, status: 'failed' })
    await settled()
    expect(there.mode.mode).toBe('legacy')
    there.lan.set(server(2, '2'))
    await settled()
    expect([there.mode.mode, there.told, there.mode.refusesNew()]).toEqual(['enabled', ['1', '1'], undefined])
    expect([there.lan.listeners, there.clock.timers]).toEqual([0, 0])
  })

  it('[ACL-032] [ACL-041] goes over in a secondary datacenter when every server of both says that it can, and the primary one has', async () => {
    const lan = [server(1, '2'), old]
    const there = new Datacenter({ lan, wan: [server(7, '2', 'dc0'), server(8, undefined, 'dc0')], primary: 'dc0' })
    await there.lead()
    const isLegacy = async () => {
      await settled()
      return there.mode.mode === 'legacy'
    }
    there.lan.set(server(2, '2'))
    expect(await isLegacy()).toBe(true)
    there.wan.set(server(8, '2', 'dc0'))
    expect(await isLegacy()).toBe(true)
    there.lan.set(old)
    there.wan.set(server(7, '1', 'dc0'))
    expect(await isLegacy()).toBe(true)
    there.lan.set(server(2, '2'))
    expect(await isLegacy()).toBe(false)
  })

  it('does not go over while it does not lead', async () => {
    const there = new Datacenter({ lan: [server(1, '2'), old] })
    await there.lead()
    there.resign()
    there.lan.set(server(2, '2'))
    await there.clock.advance(300_000)
    expect([there.mode.mode, there.lan.listeners, there.clock.timers]).toEqual(['legacy', 0, 0])
  })

  it('[ACL-033] finds in its replicated state that it has gone over, and starts there: an old server that comes late changes nothing', async () => {
    const before = new Datacenter({ lan: [server(1, '2')] })
    await before.lead()
    expect(isNewMode(before.server.read())).toBe(true)
    const after = new Datacenter({ lan: [server(1, '2'), old], state: before.server })
    expect([after.mode.mode, after.told]).toEqual(['enabled', ['1', '1']])
    await after.lead()
    await after.clock.advance(60_000)
    expect([after.mode.mode, after.mode.missing().length]).toEqual(['enabled', 1])
    expect(await before.server.context.propose(enterNewMode, {})).toEqual({ ok: true, value: false })
  })

  it('follows its leader, by the state alone', async () => {
    const there = new Datacenter({ lan: [server(1, '2'), old] })
    await there.server.context.propose(enterNewMode, {})
    expect([there.mode.mode, there.told]).toEqual(['enabled', ['1', '1']])
  })

  it('of a release that knows no other kind stays as it is', async () => {
    const there = new Datacenter({ lan: [server(1, undefined)], release: parseRelease('1.3.1') as Release })
    expect([there.mode.mode, there.mode.reasonsNotReady()]).toEqual(['legacy', []])
  })

  it('is not ready in the moment before it goes over, and is while it waits for others', async () => {
    const there = new Datacenter({ lan: [server(1, '2'), old] })
    expect(there.mode.reasonsNotReady()).toEqual([])
    there.lan.set(server(2, '2'))
    expect(there.mode.reasonsNotReady()).toEqual(['access control is about to leave legacy mode'])
    await there.lead()
    expect(there.mode.reasonsNotReady()).toEqual([])
  })

  it('tries again, with growing pauses, where the way over fails', async () => {
    const there = new Datacenter({ lan: [server(1, '2')] })
    there.server.failNext = { kind: 'no-leader' }
    await there.lead()
    expect([there.mode.mode, there.clock.logged.at(-1)]).toEqual(['legacy', 'could not leave legacy mode'])
    await there.clock.advance(50)
    expect(there.mode.mode).toBe('enabled')
  })
})

describe('a client', () => {
  it('is in the mode that a server of its datacenter tells, and never goes back', () => {
    const pool = new FakePool([server(1, '2'), server(2, '1', 'dc0')])
    const mode = new ClientMode(pool.pool, 'dc1')
    expect(mode.mode).toBe('legacy')
    pool.set(server(3, '1'))
    expect(mode.mode).toBe('enabled')
    pool.set(server(3, '2'))
    expect(mode.mode).toBe('enabled')
    mode.stop()
    expect(pool.listeners).toBe(0)
  })
})
