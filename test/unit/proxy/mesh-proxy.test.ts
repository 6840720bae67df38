import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { TcpStream } from '../../../src/env/net.ts'
import type { AgentClient } from '../../../src/proxy/agent-client.ts'
import { MeshProxy } from '../../../src/proxy/mesh-proxy.ts'
import type { InboundPlan, UpstreamPlan } from '../../../src/proxy/plan.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const retiredMax = 64

function plan(port: number, name = 'db'): UpstreamPlan {
  return { type: 'service', name, datacenter: '', listen: { host: '127.0.0.1', port }, connectTimeoutMs: 1_000 }
}

/**
 * A proxy with ports that a test can take away, connections that are only counted, and an agent that it can have
 * answer.
 */
class Stage {
  readonly clock = new HandClock()
  readonly taken = new Set<number>()
  /** By port, the receiver of its connections. */
  readonly listening = new Map<number, (stream: TcpStream) => void>()
  readonly hosts: string[] = []
  readonly log: string[] = []
  /** The same with their levels and fields. */
  readonly lines: string[] = []
  /** What the agent was asked and has not answered, by path. */
  readonly open = new Map<string, () => void>()
  asked: string[] = []
  readonly proxy: MeshProxy

  constructor() {
    const tcp = {
      listen: async ({ host, port }: { host: string; port: number }, take: (stream: TcpStream) => void) => {
        if (this.taken.has(port)) return err({ kind: 'address-in-use', at: { host, port } })
        this.listening.set(port, take)
        this.hosts.push(host)
        return ok({ local: { host, port }, close: () => this.listening.delete(port) })
      },
    }
    const write = (level: string, _topic: string, text: string, fields?: object): void => {
      this.log.push(text)
      this.lines.push(`${level} ${text} ${JSON.stringify(fields)}`)
    }
    const log = { write, enabled: () => true }
    const lookup = async () => ok(['::1', '127.0.0.9'])
    const env = { ...this.clock.env, tcp, log, names: { lookup } } as unknown as Env
    const api: AgentClient = {
      ask: ({ path }) => {
        this.asked.push(path)
        const answer = { status: 200, headers: new Map([['x-svc-index', String(this.asked.length)]]), body: utf8('[]') }
        return new Promise((resolve) => this.open.set(path, () => resolve(ok(answer))))
      },
    }
    this.proxy = new MeshProxy(env, api, 'web')
  }

  async follow(...upstreams: readonly UpstreamPlan[]): Promise<void> {
    this.proxy.follow({ inbound: undefined, upstreams })
    await settled()
  }

  /** A connection that stays until it is broken, which is told. */
  connect(port: number): { readonly isBroken: () => boolean; end(): void } {
    let close: (why: 'closed') => void = () => undefined
    let broken = false
    const stream = {
      onData: () => undefined,
      onEnd: () => undefined,
      onDrain: () => undefined,
      onClose: (use: (why: 'closed') => void) => {
        close = use
      },
      pause: () => undefined,
      close: () => {
        broken = true
      },
    } as unknown as TcpStream
    this.listening.get(port)?.(stream)
    return { isBroken: () => broken, end: () => close('closed') }
  }

  async tell(path: string): Promise<void> {
    this.open.get(path)?.()
    await settled()
    await this.clock.advance(1_000)
  }
}

const health = '/v1/health/connect/db'

describe('an upstream that is no more wanted', () => {
  it('asks no more where its service is, though connections go on', async () => {
    const stage = new Stage()
    await stage.follow(plan(1))
    stage.connect(1)
    await stage.tell(health)
    expect(stage.asked.filter((path) => path === health).length).toBe(2)
    await stage.follow()
    await stage.tell(health)
    expect(stage.asked.filter((path) => path === health).length).toBe(2)
    stage.proxy.close()
  })

  it('asks for as long as a connection that it took is not there yet', async () => {
    const stage = new Stage()
    await stage.follow(plan(1))
    const { isBroken } = stage.connect(1)
    await stage.follow()
    await stage.tell(health)
    expect(isBroken()).toBe(true)
    expect(stage.log).toContain('An upstream is not reached')
    expect(stage.asked.filter((path) => path === health).length).toBe(2)
    await stage.tell(health)
    expect(stage.asked.filter((path) => path === health).length).toBe(2)
    stage.proxy.close()
  })

  it('keeps its connections, unless too many came after it', async () => {
    const stage = new Stage()
    const connections: { readonly isBroken: () => boolean }[] = []
    for (let port = 1; port <= retiredMax + 1; port++) {
      await stage.follow(plan(port))
      connections.push(stage.connect(port))
    }
    await stage.follow(plan(1_000))
    expect(connections.map(({ isBroken }) => isBroken())).toEqual([true, ...connections.slice(1).map(() => false)])
    expect(stage.log.filter((text) => text.startsWith('Connections of a long replaced registration')).length).toBe(1)
    stage.proxy.close()
    expect(connections.every(({ isBroken }) => isBroken())).toBe(true)
  })
})

describe('a listener that goes away', () => {
  const lost = 'warn The proxy accepts no more connections for its service: the registration has no LocalServicePort'
  const door: InboundPlan = {
    listen: { host: '0.0.0.0', port: 21_000 },
    local: { host: '127.0.0.1', port: 80 },
    connectTimeoutMs: 1_000,
  }

  it('is logged: one of an upstream, and one of the service that nothing takes the place of as a warning', async () => {
    const stage = new Stage()
    const follow = async (inbound: InboundPlan | undefined, ...upstreams: readonly UpstreamPlan[]) => {
      stage.lines.length = 0
      stage.proxy.follow({ inbound, upstreams })
      await settled()
      return stage.lines.filter((line) => !line.includes('takes connections'))
    }
    expect(await follow(door, plan(1))).toEqual([])
    const closed = 'info The proxy closes a listener {"upstream":"db","at":"127.0.0.1:1"}'
    expect(await follow({ ...door, connectTimeoutMs: 2 }, plan(2))).toEqual([closed])
    expect(await follow(undefined, plan(2))).toEqual([`${lost} {"service":"web"}`])
    expect(await follow(undefined, plan(2))).toEqual([])
    stage.proxy.close()
  })
})

describe('a listener at a name', () => {
  it('is opened at the first address of IPv4 that the name has', async () => {
    const stage = new Stage()
    await stage.follow({ ...plan(1), listen: { host: 'localhost', port: 1 } })
    await stage.follow({ ...plan(2), listen: { host: '::1', port: 2 } })
    expect(stage.hosts).toEqual(['127.0.0.9', '::1'])
    stage.proxy.close()
  })
})

describe('a listener that cannot be opened', () => {
  it('is tried again after a while, and no more when the proxy is closed', async () => {
    const stage = new Stage()
    stage.taken.add(1)
    await stage.follow(plan(1))
    expect([...stage.listening.keys()]).toEqual([])
    stage.taken.clear()
    await stage.clock.advance(2_000)
    expect([...stage.listening.keys()]).toEqual([1])
    stage.taken.add(2)
    await stage.follow(plan(2))
    stage.proxy.close()
    expect(stage.clock.timers).toBe(0)
  })

  it('leaves nothing to wait for when the proxy is stopped', async () => {
    const stage = new Stage()
    stage.taken.add(1)
    await stage.follow(plan(1))
    await stage.proxy.stop(5_000)
    expect(stage.clock.timers).toBe(0)
  })

  it('is tried at once when it was not wanted meanwhile', async () => {
    const stage = new Stage()
    stage.taken.add(1)
    await stage.follow(plan(1))
    await stage.follow()
    stage.taken.clear()
    await stage.follow(plan(1))
    expect([...stage.listening.keys()]).toEqual([1])
    stage.proxy.close()
  })
})
