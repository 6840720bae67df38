import { describe, expect, it } from 'vitest'
import { probeGrpc } from '../../../src/agent/local/probes/grpc-probe.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Http2Request } from '../../../src/env/http.ts'
import type { Endpoint, TcpStream } from '../../../src/env/net.ts'
import { answered, firstSaid, script, scriptsOn, tcp, webServer } from './check-runs.ts'
import { checkOf, configOf, offer, ttl, withLocalServices } from './local-world.ts'

/** Sends for as long as the other side reads. */
function flooding(stream: TcpStream): void {
  const send = (): void => {
    while (stream.write(new Uint8Array(256 << 10)));
  }
  stream.onDrain(send)
  send()
}

function sendsLate(stream: TcpStream, env: Env): void {
  env.timers.after(2_000, () => stream.write(utf8('late')))
}

describe('a TTL check', () => {
  it('[HLT-019] [HLT-020] [HLT-021] says what is reported, and is critical when nothing is', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerCheck(checkOf('c', ttl(10_000), { notes: 'n' }))
      expect(local.checks()).toMatchObject([{ status: 'critical', output: '', notes: 'n', node: 'node-a' }])
      for (const status of ['passing', 'warning', 'critical', 'passing'] as const) {
        await local.reportTtl('c', status, `is ${status}`)
        expect(local.checks()).toMatchObject([{ status, output: `is ${status}` }])
        expect(catalog.checks.get('c')).toMatchObject({ status })
      }
      await rest(9_000)
      await local.reportTtl('c', 'passing', 'still')
      await rest(9_000)
      expect(local.checks()).toMatchObject([{ status: 'passing' }])
      await rest(1_100)
      const expired = { status: 'critical', output: 'TTL expired (last output before timeout follows): still' }
      expect(local.checks()).toMatchObject([expired])
      expect(catalog.checks.get('c')).toMatchObject(expired)
    })
  })

  it('hears reports in time, however long the disk takes to store them', async () => {
    await withLocalServices(configOf({ dataDir: '/data' }), async ({ local, node, rest }) => {
      await local.registerCheck(checkOf('c', ttl(10_000)))
      node.disk.stall()
      const reports: Promise<unknown>[] = []
      for (let at = 0; at < 5; at++) {
        reports.push(local.reportTtl('c', 'passing', `report ${at}`))
        await rest(6_000)
        expect(local.checks()).toMatchObject([{ status: 'passing' }])
      }
      node.disk.unstall()
      await Promise.all(reports)
      expect(local.checks()).toMatchObject([{ status: 'passing', output: 'report 4' }])
      await rest(4_001)
      expect(local.checks()).toMatchObject([{ status: 'critical' }])
    })
  })

  it('that never heard anything expires without more words', async () => {
    await withLocalServices(configOf(), async ({ local, rest }) => {
      await local.registerCheck(checkOf('c', ttl(400), { status: 'passing' }))
      await rest(500)
      expect(local.checks()).toMatchObject([{ status: 'critical', output: 'TTL expired' }])
    })
  })

  it('that is registered again and again says what was last reported once, however often it expires', async () => {
    await withLocalServices(configOf(), async ({ local, rest }) => {
      await local.registerCheck(checkOf('c', ttl(1_000)))
      await local.reportTtl('c', 'passing', 'well')
      for (let times = 0; times < 3; times++) {
        await rest(2_000)
        expect(local.checks()).toMatchObject([
          { status: 'critical', output: 'TTL expired (last output before timeout follows): well' },
        ])
        await local.registerCheck(checkOf('c', ttl(1_000)))
      }
    })
  })

  it('is the only kind that can be reported on', async () => {
    await withLocalServices(configOf(), async ({ local }) => {
      await local.registerCheck(checkOf('tcp', tcp('10.0.0.1:1')))
      for (const id of ['tcp', 'nope']) {
        expect(await local.reportTtl(id, 'passing', '')).toEqual({
          ok: false,
          error: { kind: 'bad-request', message: `CheckID "${id}" does not have associated TTL` },
        })
      }
    })
  })
})

describe('a TCP check', () => {
  it('passes when a connection is accepted, and is critical when not', async () => {
    await withLocalServices(
      configOf(),
      async (world) => {
        expect(await firstSaid(world, tcp('10.0.0.2:80'))).toEqual(['passing', 'TCP connect 10.0.0.2:80: Success'])
        world.simulation.node('b').crash()
        await world.rest(15_000)
        expect(world.local.checks()).toMatchObject([
          { status: 'critical', output: 'dial tcp 10.0.0.2:80: connect: connection refused' },
        ])
        expect(world.catalog.checks.get('c')?.status).toBe('critical')
      },
      webServer(() => answered(200)),
    )
  })

  it.each([
    ['ends with it', (stream: TcpStream) => stream.onEnd(() => stream.end()), 0, 'ended'],
    // It learns of a close that follows an end when it sends something.
    ['does not end', sendsLate, 2_000, 'reset'],
    ['sends without end', flooding, 0, 'reset'],
  ])('ends its connection in order, and breaks it where the target %s', async (_, serve, lastsMs, end) => {
    const ends: unknown[] = []
    await withLocalServices(
      configOf(),
      async (world) => {
        expect((await firstSaid(world, tcp('10.0.0.2:81')))[0]).toBe('passing')
        await world.rest(lastsMs)
        expect(ends[0]).toEqual([end, lastsMs])
      },
      (_node, simulation) => {
        simulation.addNode({ name: 'b', host: '10.0.0.2' }).boot((env) =>
          env.tcp.listen({ host: '10.0.0.2', port: 81 }, (stream) => {
            const startMs = env.clock.monoMs()
            stream.onClose((why) => ends.push([why, Math.floor((env.clock.monoMs() - startMs) / 1_000) * 1_000]))
            stream.onData(() => undefined)
            stream.write(utf8('220 ready'))
            serve(stream, env)
          }),
        )
      },
    )
  })

  it('without a port is critical', async () => {
    await withLocalServices(configOf(), async (world) => {
      expect(await firstSaid(world, tcp('10.0.0.2'))).toEqual([
        'critical',
        'dial tcp: address 10.0.0.2: missing port in address',
      ])
    })
  })
})

describe('a gRPC check', () => {
  it('has one timeout for the lookup of its target and the request', async () => {
    let nowMs = 5_000
    const timeouts: number[] = []
    const env = {
      clock: { monoMs: () => nowMs },
      names: {
        lookup: async () => {
          nowMs += 900
          return ok(['10.0.0.2', '10.0.0.3'])
        },
      },
      http: {
        requestHttp2: async (to: Endpoint, { timeoutMs }: Http2Request) => {
          timeouts.push(timeoutMs)
          nowMs += 70
          return err({ kind: 'refused', to })
        },
      },
    } as unknown as Env
    const probe = { kind: 'grpc', target: 'db.internal:1', useTls: false, tlsSkipVerify: false } as const
    const outcome = await probeGrpc(env, { ...probe, intervalMs: 10_000, timeoutMs: 1_000 })
    expect(outcome.status).toBe('critical')
    expect(timeouts).toEqual([100, 30])
  })
})

describe('runs of a check', () => {
  it('begin somewhere in the first interval, and again an interval after the end of the last', async () => {
    const runs: number[] = []
    await withLocalServices(
      scriptsOn,
      async ({ local, env, rest }) => {
        const startMs = env.clock.monoMs()
        for (const id of ['a', 'b', 'c']) await local.registerCheck(checkOf(id, script('slow-ish', id)))
        await rest(60_000)
        const first = runs.slice(0, 3).map((at) => at - startMs)
        expect(first.every((ms) => ms >= 0 && ms < 10_000)).toBe(true)
        expect(new Set(first).size).toBe(3)
        // 10 s and the second that a run takes: five or six runs each in a minute.
        expect(runs.length).toBeGreaterThanOrEqual(15)
        expect(runs.length).toBeLessThanOrEqual(18)
      },
      (node) => {
        node.programs.set('slow-ish', () => {
          runs.push(node.env.clock.monoMs())
          return { afterMs: 1_000, exit: 0 }
        })
      },
    )
  })

  it('never overlap, also when the check is registered again in the middle of one', async () => {
    const probe = { kind: 'script', argv: ['s'], intervalMs: 1_000, timeoutMs: 30_000 } as const
    const runs: number[] = []
    await withLocalServices(
      scriptsOn,
      async ({ local, rest }) => {
        for (let at = 0; at < 10; at++) {
          await local.registerCheck(checkOf('c', probe))
          await rest(1_300)
        }
        await rest(60_000)
        expect(runs.length).toBeGreaterThan(3)
        for (const [at, startMs] of runs.entries()) {
          if (at > 0) expect(startMs - (runs[at - 1] ?? 0)).toBeGreaterThanOrEqual(5_000)
        }
      },
      (node) => {
        node.programs.set('s', () => {
          runs.push(node.env.clock.monoMs())
          return { afterMs: 5_000, exit: 0 }
        })
      },
    )
  })

  it('are left alone when the check is registered again unchanged, so that a slow one says something at last', async () => {
    const probe = { kind: 'script', argv: ['s'], intervalMs: 1_000, timeoutMs: 30_000 } as const
    await withLocalServices(
      scriptsOn,
      async ({ local, rest }) => {
        for (let at = 0; at < 10; at++) {
          await local.registerCheck(checkOf('c', { ...probe }, { notes: `time ${at}` }))
          await rest(3_000)
        }
        expect(local.checks()).toMatchObject([{ status: 'passing', notes: 'time 9' }])
        await local.registerCheck(checkOf('c', { ...probe, argv: ['other'] }))
        await rest(10_000)
        expect(local.checks()).toMatchObject([{ status: 'warning' }])
      },
      (node) => {
        node.programs.set('s', () => ({ afterMs: 5_000, exit: 0 }))
        node.programs.set('other', () => ({ afterMs: 10, exit: 1 }))
      },
    )
  })

  it('stop with the check', async () => {
    let runs = 0
    await withLocalServices(
      scriptsOn,
      async ({ local, rest }) => {
        await local.registerCheck(checkOf('c', script('s')))
        await rest(25_000)
        expect(runs).toBeGreaterThan(0)
        await local.deregisterCheck('c')
        const before = runs
        await rest(60_000)
        expect(runs).toBe(before)
        expect(local.checks()).toEqual([])
      },
      (node) => {
        node.programs.set('s', () => {
          runs++
          return { afterMs: 1, exit: 0 }
        })
      },
    )
  })
})

describe('a service whose check stays critical', () => {
  it('[HLT-024] is taken out after the time that its check gives it, and not before', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      const dying = checkOf('c', ttl(1_000), { serviceId: 'web', deregisterCriticalServiceAfterMs: 60_000 })
      await local.registerService(offer('web', {}, [dying]))
      await local.registerService(offer('other', {}, [checkOf('d', ttl(1_000), { serviceId: 'other' })]))
      for (let at = 0; at < 10; at++) {
        await rest(30_000)
        await local.reportTtl('c', 'passing', '')
      }
      expect(local.services().map(({ id }) => id)).toEqual(['other', 'web'])
      await rest(59_000)
      expect(catalog.services.has('web')).toBe(true)
      await rest(33_000)
      expect(local.services().map(({ id }) => id)).toEqual(['other'])
      expect([...catalog.services.keys()]).toEqual(['other'])
      expect([...catalog.checks.keys()]).toEqual(['d'])
    })
  })
})

describe('a service that is registered again while its check is critical', () => {
  it('[HLT-024] has the whole time again until it is taken out', async () => {
    await withLocalServices(configOf(), async ({ local, rest }) => {
      const dying = checkOf('c', ttl(1_000), { serviceId: 'web', deregisterCriticalServiceAfterMs: 70_000 })
      await local.registerService(offer('web', {}, [dying]))
      await rest(85_000)
      await local.registerService(offer('web', {}, [dying]))
      await rest(65_000)
      expect(local.services()).toMatchObject([{ id: 'web' }])
      await rest(40_000)
      expect(local.services()).toEqual([])
    })
  })
})

describe('a service whose check recovers while its deregistration waits', () => {
  it('stays', async () => {
    await withLocalServices(configOf({ dataDir: '/data' }), async ({ local, node, rest, lines }) => {
      const dying = checkOf('c', ttl(1_000), { serviceId: 'web', deregisterCriticalServiceAfterMs: 60_000 })
      await local.registerService(offer('web', {}, [dying]))
      await rest(85_000)
      node.disk.stall()
      const again = local.registerService(offer('web', { port: 81 }, [dying]))
      const report = local.reportTtl('c', 'passing', 'well')
      await rest(6_000)
      node.disk.unstall()
      await Promise.all([again, report])
      await rest(500)
      expect(local.services()).toMatchObject([{ id: 'web', port: 81 }])
      expect(local.checks()).toMatchObject([{ status: 'passing' }])
      expect(lines.filter((line) => line.includes('is deregistered'))).toEqual([])
      await rest(150_000)
      expect(local.services()).toEqual([])
      expect(lines.filter((line) => line.includes('is deregistered'))).toHaveLength(1)
    })
  })
})

describe('checks and services', () => {
  it('a check of a service that is not there is refused', async () => {
    await withLocalServices(configOf(), async ({ local }) => {
      expect(await local.registerCheck(checkOf('c', ttl(1_000), { serviceId: 'nope' }))).toEqual({
        ok: false,
        error: { kind: 'bad-request', message: 'ServiceID "nope" does not exist' },
      })
    })
  })

  it('registering a service again keeps the status of its checks, and the checks that it no longer names', async () => {
    await withLocalServices(configOf(), async ({ local }) => {
      const checks = ['a', 'b'].map((id) => checkOf(id, ttl(60_000), { serviceId: 'web' }))
      await local.registerService(offer('web', {}, checks))
      await local.reportTtl('a', 'passing', 'well')
      await local.registerService(offer('web', { tags: ['new'] }, checks.slice(0, 1)))
      expect(local.checks()).toMatchObject([
        { checkId: 'a', status: 'passing', output: 'well', serviceTags: ['new'] },
        { checkId: 'b', status: 'critical', serviceTags: ['new'] },
      ])
    })
  })
})
