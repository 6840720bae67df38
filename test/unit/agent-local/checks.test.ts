import { describe, expect, it } from 'vitest'
import type { SimNode } from '../../../sim/simulation/node.ts'
import type { Simulation } from '../../../sim/simulation/simulation.ts'
import { defaultAccess } from '../../../src/agent/settings/access-settings.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import type { HttpRequest, HttpResponse } from '../../../src/env/http.ts'
import type { CheckProbe } from '../../../src/model/catalog.ts'
import { makeTlsMaterial, opensslIsThere } from '../../contract/host/tls-material.ts'
import { checkOf, configOf, type LocalWorld, offer, ttl, withLocalServices } from './local-world.ts'

const scriptsOn = configOf({
  checksConfig: { ...configOf().checksConfig, remoteScripts: true, localScripts: true },
})

function http(url: string, rest: Partial<Extract<CheckProbe, { kind: 'http' }>> = {}): CheckProbe {
  const probe = { kind: 'http', url, method: '', header: [], tlsSkipVerify: false } as const
  return { ...probe, intervalMs: 10_000, timeoutMs: 10_000, ...rest }
}

const tcp = (address: string): CheckProbe => ({ kind: 'tcp', address, intervalMs: 10_000, timeoutMs: 5_000 })
const script = (...argv: [string, ...string[]]): CheckProbe => {
  return { kind: 'script', argv, intervalMs: 10_000, timeoutMs: 2_000 }
}

/** A machine at 10.0.0.2 whose web server answers so at port 80. */
function webServer(answer: (request: HttpRequest) => HttpResponse) {
  return (_node: SimNode, simulation: Simulation): void => {
    const other = simulation.addNode({ name: 'b', host: '10.0.0.2' })
    other.boot((env) => env.http.serve({ host: '10.0.0.2', port: 80 }, async (request) => answer(request)))
  }
}

const answered = (status: number, body: string | Uint8Array = '', headers: HttpResponse['headers'] = []) => {
  return { status, headers, body }
}

/** What the check says after its first run. */
async function firstSaid(world: LocalWorld, probe: CheckProbe): Promise<readonly [status: string, output: string]> {
  await world.local.registerCheck(checkOf('c', probe))
  await world.rest(25_000)
  const [check] = world.local.checks()
  return [check?.status ?? '', check?.output ?? '']
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

  it('that never heard anything expires without more words', async () => {
    await withLocalServices(configOf(), async ({ local, rest }) => {
      await local.registerCheck(checkOf('c', ttl(400), { status: 'passing' }))
      await rest(500)
      expect(local.checks()).toMatchObject([{ status: 'critical', output: 'TTL expired' }])
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

describe('an HTTP check', () => {
  it('[AGT-007] passes on 2xx, with the answer in its output, and tells the catalog', async () => {
    const seen: HttpRequest[] = []
    const server = webServer((request) => {
      seen.push(request)
      return answered(200, 'fine')
    })
    await withLocalServices(
      configOf(),
      async (world) => {
        const output = 'HTTP GET http://10.0.0.2/health?a=b: 200 OK Output: fine'
        expect(await firstSaid(world, http('http://10.0.0.2/health?a=b'))).toEqual(['passing', output])
        expect(world.catalog.checks.get('c')).toMatchObject({ status: 'passing', output })
        expect(seen[0]).toMatchObject({ method: 'GET', target: '/health?a=b' })
        expect(Object.fromEntries(seen[0]?.headers ?? [])).toEqual({
          connection: 'close',
          host: '10.0.0.2',
          'user-agent': 'Svc Health Check',
          accept: 'text/plain, text/*, */*',
        })
      },
      server,
    )
  })

  it('sends the method and headers that it is told to', async () => {
    const seen: HttpRequest[] = []
    const server = webServer((request) => {
      seen.push(request)
      return answered(204)
    })
    const header = [
      ['Host', ['web.example']],
      ['X-A', ['1', '2']],
    ] as const
    await withLocalServices(
      configOf(),
      async (world) => {
        const probe = http('http://10.0.0.2', { method: 'PUT', header })
        expect((await firstSaid(world, probe))[1]).toBe('HTTP PUT http://10.0.0.2: 204 No Content Output: ')
        expect(seen[0]).toMatchObject({ method: 'PUT', target: '/' })
        expect(seen[0]?.headers.get('host')).toBe('web.example')
        expect(seen[0]?.headers.get('x-a')).toBe('1, 2')
      },
      server,
    )
  })

  it.each([
    [429, 'warning', 'Too Many Requests'],
    [404, 'critical', 'Not Found'],
    [500, 'critical', 'Internal Server Error'],
  ])('%d is %s', async (status, is, phrase) => {
    await withLocalServices(
      configOf(),
      async (world) => {
        const said = await firstSaid(world, http('http://10.0.0.2/'))
        expect(said).toEqual([is, `HTTP GET http://10.0.0.2/: ${status} ${phrase} Output: `])
      },
      webServer(() => answered(status)),
    )
  })

  it('follows redirects, ten of them', async () => {
    const server = webServer(({ target }) => {
      const left = Number(target.slice(1))
      if (left === 0) return answered(200, 'there')
      return answered(302, '', [['Location', left % 2 === 0 ? `http://10.0.0.2/${left - 1}` : `/${left - 1}`]])
    })
    await withLocalServices(
      configOf(),
      async (world) => {
        expect(await firstSaid(world, http('http://10.0.0.2/10'))).toEqual([
          'passing',
          'HTTP GET http://10.0.0.2/10: 200 OK Output: there',
        ])
        await world.local.deregisterCheck('c')
        expect(await firstSaid(world, http('http://10.0.0.2/11'))).toEqual([
          'critical',
          'Get http://10.0.0.2/0: stopped after 10 redirects',
        ])
      },
      server,
    )
  })

  it('keeps the last 4096 bytes of the answer', async () => {
    const body = utf8(`${'a'.repeat(5_000)}${'b'.repeat(4_000)}`)
    await withLocalServices(
      configOf(),
      async (world) => {
        const [, output] = await firstSaid(world, http('http://10.0.0.2/'))
        expect(output).toBe(`HTTP GET http://10.0.0.2/: 200 OK Output: ${'a'.repeat(96)}${'b'.repeat(4_000)}`)
      },
      webServer(() => answered(200, body)),
    )
  })

  it.each([
    ['http://10.0.0.1:81/', 'Get http://10.0.0.1:81/: dial tcp 10.0.0.1:81: connect: connection refused'],
    ['ftp://10.0.0.1/', 'Get ftp://10.0.0.1/: unsupported protocol scheme "ftp"'],
    ['/x', 'Get /x: not an absolute URL'],
    ['http:///x', 'Get http:///x: no Host in request URL'],
    ['http://u:p@10.0.0.1/', 'Get http://u:p@10.0.0.1/: a user in the URL is not supported'],
    ['http://10.0.0.1/a b', 'Get http://10.0.0.1/a b: invalid character in URL'],
    ['http://10.0.0.1:99999/', 'Get http://10.0.0.1:99999/: address 10.0.0.1:99999: invalid port'],
  ])('%s is critical', async (url, output) => {
    await withLocalServices(configOf(), async (world) => {
      expect(await firstSaid(world, http(url))).toEqual(['critical', output])
    })
  })

  it('looks up the name of a host at each run, and asks the first of its addresses that can be reached', async () => {
    await withLocalServices(
      configOf(),
      async (world) => {
        expect(await firstSaid(world, http('http://web.example/'))).toEqual([
          'critical',
          'Get http://web.example/: lookup web.example: no such host',
        ])
        world.simulation.network.names.set('web.example', ['10.0.0.1', '10.0.0.2'])
        await world.rest(11_000)
        expect(world.local.checks()).toMatchObject([
          { status: 'passing', output: 'HTTP GET http://web.example/: 200 OK Output: web.example' },
        ])
        await world.local.deregisterCheck('c')
        expect(await firstSaid(world, tcp('web.example:80'))).toEqual([
          'passing',
          'TCP connect web.example:80: Success',
        ])
        await world.local.deregisterCheck('c')
        expect((await firstSaid(world, tcp('other.example:80')))[1]).toBe(
          'dial tcp: lookup other.example: no such host',
        )
      },
      webServer(({ headers }) => answered(200, headers.get('host') ?? '')),
    )
  })

  it('of localhost is of this machine', async () => {
    await withLocalServices(configOf(), async (world) => {
      expect((await firstSaid(world, http('http://localhost:81/')))[1]).toBe(
        'Get http://localhost:81/: dial tcp 127.0.0.1:81: connect: connection refused',
      )
    })
  })
})

describe.skipIf(!opensslIsThere())('an HTTPS check', () => {
  it('trusts no stranger, unless it is told not to look at the certificate', async () => {
    const material = makeTlsMaterial()
    const startWallMs = Date.now()
    const server = (_node: SimNode, simulation: Simulation): void => {
      const other = simulation.addNode({ name: 'b', host: '10.0.0.2' })
      const at = { host: '10.0.0.2', port: 443 }
      other.boot((env) => env.http.serve(at, async () => answered(200), { ...material.server, trustedPems: [] }))
    }
    const use = async (world: LocalWorld): Promise<void> => {
      const [status, output] = await firstSaid(world, http('https://10.0.0.2/'))
      expect(status).toBe('critical')
      expect(output).toMatch(/^Get https:\/\/10\.0\.0\.2\/: dial tcp 10\.0\.0\.2:443: unable to get issuer certificate/)
      await world.local.deregisterCheck('c')
      expect(await firstSaid(world, http('https://10.0.0.2/', { tlsSkipVerify: true }))).toEqual([
        'passing',
        'HTTP GET https://10.0.0.2/: 200 OK Output: ',
      ])
    }
    await withLocalServices(configOf(), use, server, startWallMs)
  })
})

describe('a TCP check', () => {
  it('passes when somebody accepts, and is critical when not', async () => {
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

  it('without a port is critical', async () => {
    await withLocalServices(configOf(), async (world) => {
      expect(await firstSaid(world, tcp('10.0.0.2'))).toEqual([
        'critical',
        'dial tcp: address 10.0.0.2: missing port in address',
      ])
    })
  })
})

describe('a script check', () => {
  const programs = (node: SimNode): void => {
    node.programs.set('sh', ({ argv }) => ({ afterMs: 10, exit: Number(argv[1]), output: `said ${argv[1]}\n` }))
    node.programs.set('slow', () => ({ afterMs: 60_000, exit: 0 }))
    node.programs.set('loud', () => ({ afterMs: 1, exit: 0, output: `${'a'.repeat(10)}${'b'.repeat(4_096)}` }))
  }

  it.each([
    ['0', 'passing'],
    ['1', 'warning'],
    ['2', 'critical'],
  ])('with exit code %s is %s', async (code, status) => {
    await withLocalServices(
      scriptsOn,
      async (world) => {
        expect(await firstSaid(world, script('sh', code))).toEqual([status, `said ${code}\n`])
      },
      programs,
    )
  })

  it('is ended after its limit, is cut to the last 4096 bytes, and says when there is no such program', async () => {
    await withLocalServices(
      scriptsOn,
      async (world) => {
        expect(await firstSaid(world, script('slow'))).toEqual(['critical', 'Timed out (2s) running check'])
        await world.local.deregisterCheck('c')
        expect(await firstSaid(world, script('loud'))).toEqual(['passing', 'b'.repeat(4_096)])
        await world.local.deregisterCheck('c')
        expect((await firstSaid(world, script('nobody')))[1]).toMatch(/^exec: "nobody": /)
      },
      programs,
    )
  })

  it('[HLT-014] [HLT-015] is refused over the API unless scripts are enabled for it, and not for files alone', async () => {
    const forFiles = configOf({ checksConfig: { ...configOf().checksConfig, localScripts: true } })
    for (const config of [configOf(), forFiles]) {
      await withLocalServices(config, async ({ local }) => {
        const error = {
          kind: 'refused',
          message:
            "Scripts are disabled on this agent from remote calls; to enable, configure 'enable_script_checks' to true",
        }
        const check = checkOf('c', script('sh', '0'))
        expect(await local.registerCheck(check)).toEqual({ ok: false, error })
        expect(await local.registerService(offer('web', {}, [check]))).toEqual({ ok: false, error })
        expect(local.services()).toEqual([])
        expect(local.checks()).toEqual([])
      })
    }
    await withLocalServices(scriptsOn, async ({ local }) => {
      expect(await local.registerCheck(checkOf('c', script('sh', '0')))).toMatchObject({ ok: true })
      expect(local.stats()).toEqual({ check_monitors: '1', check_ttls: '0', checks: '1', services: '0' })
    })
  })
})

describe('scripts over the API', () => {
  const guarded = { ...defaultAccess, enabled: true, defaultPolicy: 'deny' } as const
  const warned = [expect.stringMatching(/^warn enable_script_checks without ACLs .* enable ACLs/)]

  it.each([
    ['there are no ACLs', defaultAccess],
    ['ACLs allow by default', { ...guarded, defaultPolicy: 'allow' }],
    ['ACLs only report', { ...guarded, reportOnly: true }],
    ['rules for services are not enforced', { ...guarded, enforceVersion8: false }],
  ] as const)('[HLT-016] are warned of when the agent starts and %s', async (_when, access) => {
    await withLocalServices({ ...scriptsOn, access }, async ({ lines }) => expect(lines).toEqual(warned))
  })

  it('[HLT-016] are not warned of where ACLs deny by default, nor scripts of files', async () => {
    await withLocalServices({ ...scriptsOn, access: guarded }, async ({ lines }) => expect(lines).toEqual([]))
    await withLocalServices(configOf(), async ({ lines }) => expect(lines).toEqual([]))
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
