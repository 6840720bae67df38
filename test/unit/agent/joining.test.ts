import { describe, expect, it } from 'vitest'
import { Joining } from '../../../src/agent/pool/joining.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Names } from '../../../src/env/names.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import type { JoinFailure, Pool } from '../../../src/gossip/pool.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

class Joiner {
  readonly clock = new HandClock()
  readonly asked: string[] = []
  readonly ports: number[] = []
  readonly answering = new Set<string>()
  readonly refusing = new Set<string>()
  /** Members that this agent knows; joining any address but its own makes it know another. */
  members = ['a']
  /** In the WAN pool members know their datacenter. */
  datacenters: readonly string[] = []
  readonly names = new Map<string, readonly string[]>()
  exhausted = 0
  readonly joining: Joining

  constructor(settings: { startJoin?: string[]; retryJoin?: string[]; retryMax?: number; pool?: 'WAN' }) {
    const pool = {
      join: async (at: Endpoint): Promise<Result<undefined, JoinFailure>> => {
        this.asked.push(at.host)
        this.ports.push(at.port)
        if (this.refusing.has(at.host)) return err({ kind: 'refused', message: 'it refuses: another naming' })
        if (!this.answering.has(at.host)) return err({ kind: 'failed', message: 'connection refused' })
        if (at.host !== '10.0.0.1') this.members = ['a', 'b']
        return ok(undefined)
      },
      members: () => this.members.map((name, at) => ({ name, tags: { dc: this.datacenters[at] ?? 'dc1' } })),
    } as unknown as Pool
    const config = { ...defaultAgentConfig('a', '10.0.0.1'), ...settings }
    const { startJoin, retryJoin, retryIntervalMs, retryMax } = config
    const joins = {
      pool: settings.pool ?? ('LAN' as const),
      port: config.ports.serfLan,
      startJoin,
      retryJoin,
      retryIntervalMs,
      retryMax,
    }
    const names: Names = {
      lookup: async (name) => {
        const found = this.names.get(name)
        return found === undefined ? err({ kind: 'not-found', name, message: 'no such name' }) : ok(found)
      },
    }
    const env = { ...this.clock.env, names }
    this.joining = new Joining({ env, settings: joins, pool, onExhausted: () => this.exhausted++ })
  }
}

describe('an agent that is told where its pool is', () => {
  it('tries every address and is content with one that answers', async () => {
    const joiner = new Joiner({ retryJoin: ['10.0.0.2:8301', '10.0.0.3:8301'] })
    joiner.answering.add('10.0.0.3')
    joiner.joining.start()
    await settled()
    expect(joiner.asked).toEqual(['10.0.0.2', '10.0.0.3'])
    await joiner.clock.advance(3_600_000)
    expect(joiner.asked).toHaveLength(2)
  })

  it('tries again after the retry interval until a member answers', async () => {
    const joiner = new Joiner({ retryJoin: ['10.0.0.2:8301'] })
    joiner.joining.start()
    await settled()
    await joiner.clock.advance(29_000)
    expect(joiner.asked).toHaveLength(1)
    joiner.answering.add('10.0.0.2')
    await joiner.clock.advance(60_000)
    expect(joiner.asked).toHaveLength(2)
    expect(joiner.clock.logged).toContain('Join LAN completed. Synced with initial agents')
  })

  it('asks a provider at each attempt, and tries what it tells beside the addresses', async () => {
    const joiner = new Joiner({ retryJoin: ['10.0.0.2:8301', 'provider=dns name=servers.internal port=8401'] })
    joiner.joining.start()
    await settled()
    expect(joiner.asked).toEqual(['10.0.0.2'])
    expect(joiner.clock.logged).toContain('Join LAN: discover')
    joiner.names.set('servers.internal', ['10.0.0.3', '10.0.0.4'])
    joiner.answering.add('10.0.0.4')
    await joiner.clock.advance(30_000)
    expect(joiner.asked).toEqual(['10.0.0.2', '10.0.0.2', '10.0.0.3', '10.0.0.4'])
    expect(joiner.ports.slice(-2)).toEqual([8401, 8401])
    await joiner.clock.advance(3_600_000)
    expect(joiner.asked).toHaveLength(4)
  })

  it('goes on while of several addresses only its own answers, beyond retry_max too', async () => {
    const joiner = new Joiner({ retryJoin: ['10.0.0.1', '10.0.0.2'], retryMax: 1 })
    joiner.answering.add('10.0.0.1')
    joiner.joining.start()
    await settled()
    await joiner.clock.advance(95_000)
    expect([joiner.asked.length, joiner.exhausted]).toEqual([8, 0])
    expect(joiner.clock.logged).toContain('Join LAN reached no other agent, retrying')
    joiner.answering.add('10.0.0.2')
    await joiner.clock.advance(3_600_000)
    expect(joiner.asked).toHaveLength(10)
    expect(joiner.clock.logged).toContain('Join LAN completed. Synced with initial agents')
  })

  it('is content with its own address if it has no other', async () => {
    const single = new Joiner({ retryJoin: ['10.0.0.1'] })
    single.answering.add('10.0.0.1')
    single.joining.start()
    await settled()
    await single.clock.advance(3_600_000)
    expect(single.asked).toEqual(['10.0.0.1'])
  })

  it.each(['provider=dns name=servers.internal', 'servers.internal', 'servers.internal:8301'])(
    'goes on while the name %s has its own address alone, until others have joined it',
    async (entry) => {
      const found = new Joiner({ retryJoin: [entry] })
      found.names.set('servers.internal', ['10.0.0.1'])
      found.answering.add('10.0.0.1')
      found.joining.start()
      await settled()
      await found.clock.advance(30_000)
      expect(found.asked).toHaveLength(2)
      found.members = ['a', 'b', 'c']
      await found.clock.advance(3_600_000)
      expect(found.asked).toHaveLength(3)
    },
  )

  it('goes on in the WAN pool while only its own datacenter answers', async () => {
    const joiner = new Joiner({ retryJoin: ['10.0.0.1', '10.0.0.2', '10.0.9.1'], pool: 'WAN' })
    for (const host of ['10.0.0.1', '10.0.0.2']) joiner.answering.add(host)
    joiner.joining.start()
    await settled()
    await joiner.clock.advance(30_000)
    expect(joiner.asked).toHaveLength(6)
    joiner.datacenters = ['dc1', 'dc2']
    await joiner.clock.advance(3_600_000)
    expect(joiner.asked).toHaveLength(9)
  })

  it('gives up after retry_max attempts beyond the first', async () => {
    const joiner = new Joiner({ retryJoin: ['10.0.0.2:8301'], retryMax: 2 })
    joiner.joining.start()
    await settled()
    await joiner.clock.advance(3_600_000)
    expect([joiner.asked.length, joiner.exhausted]).toEqual([3, 1])
    expect(joiner.clock.logged).toContain('max join LAN retry exhausted, exiting')
  })

  it('does not start when no address of start_join answers, and says why', async () => {
    const joiner = new Joiner({ startJoin: ['10.0.0.2:8301', 'no sense', 'nobody.internal'] })
    const first = await joiner.joining.first()
    expect(first).toMatchObject({ ok: false, error: { kind: 'io' } })
    expect(first.ok ? '' : first.error.message).toContain('* Failed to join 10.0.0.2:8301: connection refused')
    expect(first.ok ? '' : first.error.message).toContain(
      '* Failed to join no sense: neither an address nor a host name, with or without a port',
    )
    expect(first.ok ? '' : first.error.message).toContain('* Failed to resolve nobody.internal: no such name')
  })

  it('advises another attempt where an address did not answer, and a change where every one refused', async () => {
    const joiner = new Joiner({ startJoin: ['10.0.0.2', '10.0.0.3'] })
    joiner.refusing.add('10.0.0.2')
    const remedy = async () => {
      const first = await joiner.joining.first()
      return first.ok ? undefined : first.error.remedy
    }
    expect(await remedy()).toBe('start one of these agents first, or use -retry-join, which keeps trying')
    joiner.refusing.add('10.0.0.3')
    expect(await remedy()).toBe(
      'change the setting that the refusal names, or join another cluster: retrying cannot help',
    )
  })

  it('takes the own port of gossip for an address without one', async () => {
    const joiner = new Joiner({})
    for (const host of ['10.0.0.2', '::1', '10.0.0.3']) joiner.answering.add(host)
    expect(await joiner.joining.join(['10.0.0.2', '::1', '[::1]', '[::1]:8399', '10.0.0.3:8400'])).toEqual(ok(5))
    expect(joiner.ports).toEqual([8301, 8301, 8301, 8399, 8400])
    expect(await joiner.joining.join(['10.0.0.2:', 'fe:x'])).toMatchObject({ ok: false })
    expect(joiner.ports).toHaveLength(5)
  })

  it('tries all addresses of a name, which is looked up anew at each attempt', async () => {
    const joiner = new Joiner({ retryJoin: ['servers.internal:8399', 'servers.internal'] })
    joiner.joining.start()
    await settled()
    expect(joiner.asked).toEqual([])
    joiner.names.set('servers.internal', ['10.0.0.2', '::3'])
    joiner.answering.add('::3')
    await joiner.clock.advance(30_000)
    expect(joiner.asked).toEqual(['10.0.0.2', '::3', '10.0.0.2', '::3'])
    expect(joiner.ports).toEqual([8399, 8399, 8301, 8301])
    expect(joiner.clock.logged).toContain('Join LAN completed. Synced with initial agents')
  })

  it('tries no more once it stops', async () => {
    const joiner = new Joiner({ retryJoin: ['10.0.0.2:8301'] })
    joiner.joining.start()
    await settled()
    joiner.joining.stop()
    await joiner.clock.advance(3_600_000)
    expect([joiner.asked.length, joiner.clock.timers]).toEqual([1, 0])
  })

  it('tries no more when it stops during an attempt', async () => {
    const joiner = new Joiner({ retryJoin: ['10.0.0.2:8301', '10.0.0.3:8301'] })
    joiner.joining.start()
    joiner.joining.stop()
    await settled()
    await joiner.clock.advance(3_600_000)
    expect([joiner.asked.length, joiner.clock.timers]).toEqual([1, 0])
  })
})

describe('an agent that knows the former members of its pool', () => {
  it('tries one after the other until one answers', async () => {
    const joiner = new Joiner({})
    joiner.answering.add('10.0.0.3')
    joiner.joining.rejoin(
      ['10.0.0.2', '10.0.0.3', '10.0.0.4'].map((at) => ({ name: at, at: { host: at, port: 8301 } })),
    )
    await settled()
    expect(joiner.asked).toEqual(['10.0.0.2', '10.0.0.3'])
  })
})
