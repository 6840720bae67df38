import { describe, expect, it } from 'vitest'
import type { SimNode } from '../../../sim/simulation/node.ts'
import type { Simulation } from '../../../sim/simulation/simulation.ts'
import { firstReached, isWithin, parseWebUrl, placesAt } from '../../../src/agent/local/probes/place.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientFailure, HttpRequest } from '../../../src/env/http.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { makeTlsMaterial, opensslIsThere } from '../../contract/host/tls-material.ts'
import { answered, firstSaid, http, tcp, webServer } from './check-runs.ts'
import { configOf, type LocalWorld, withLocalServices } from './local-world.ts'

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
      return answered([301, 302, 303, 307, 308][left % 5] ?? 302, '', [
        ['Location', left % 2 === 0 ? `http://10.0.0.2/${left - 1}` : `/${left - 1}`],
      ])
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

  it('sends its secrets only to its target and to names below that, and its host with relative redirects', async () => {
    const seen: string[] = []
    const server = webServer(({ target, headers }) => {
      const [host = '', secret = '', other = ''] = ['host', 'authorization', 'x-a'].map(
        (name) => headers.get(name) ?? '',
      )
      seen.push(`${target} ${host} ${secret}${headers.get('cookie') ?? ''} ${other}`)
      const next = hops[seen.length - 1]
      return next === undefined ? answered(200) : answered(302, '', [['Location', next]])
    })
    const hops = ['/b', 'http://WWW.web.example:80/c', 'http://web.example.evil/d', 'http://web.example/e']
    const header = [
      ['Host', ['virtual']],
      ['Authorization', ['Bearer s']],
      ['cookie', ['c']],
      ['X-A', ['1']],
    ] as const
    await withLocalServices(
      configOf(),
      async (world) => {
        for (const name of ['web.example', 'www.web.example', 'WWW.web.example', 'web.example.evil'])
          world.simulation.network.names.set(name, ['10.0.0.2'])
        expect(await firstSaid(world, http('http://web.example/a', { header }))).toMatchObject([
          'passing',
          expect.anything(),
        ])
        expect(seen.slice(0, 5)).toEqual([
          '/a virtual Bearer sc 1',
          '/b virtual Bearer sc 1',
          '/c WWW.web.example:80 Bearer sc 1',
          '/d web.example.evil  1',
          '/e web.example  1',
        ])
      },
      server,
    )
  })

  it.each([
    ['http://a.example/', 'http://a.example:80/x', true],
    ['http://a.example/', 'http://a.example:81/', false],
    ['https://a.example/', 'http://a.example/', false],
    ['http://a.example/', 'http://ba.example/', false],
    ['http://10.0.0.2/', 'http://1.10.0.0.2/', false],
    ['http://[::1]:80/', 'http://[::1]/', true],
  ])('at %s that is redirected to %s keeps its secrets: %s', (from, to, keeps) => {
    const [target, next] = [parseWebUrl(from), parseWebUrl(to)]
    if (!target.ok || !next.ok) throw new Error('not a URL')
    expect(isWithin(next.value, target.value, { http: 80, https: 443 })).toBe(keeps)
  })

  it.each([
    ['http://us%40er:p%3A@10.0.0.2/x', [], 'Basic dXNAZXI6cDo='],
    ['http://user@10.0.0.2/x', [], 'Basic dXNlcjo='],
    ['http://user:p@10.0.0.2/x', [['authorization', ['own']]], 'own'],
    ['http://user:p@10.0.0.2/relative', [], 'Basic dXNlcjpw'],
    ['http://user:p@10.0.0.2/elsewhere', [], undefined],
  ] as const)('identifies itself by the user in its URL, and shows no password: %s', async (url, header, wanted) => {
    const asked: (string | undefined)[] = []
    await withLocalServices(
      configOf(),
      async (world) => {
        const [status, output] = await firstSaid(world, http(url, { header }))
        expect([status, asked.at(-1)]).toEqual(['passing', wanted])
        expect(output).toBe(`HTTP GET ${url.replace(/:p[^@]*@/, ':***@')}: 200 OK Output: `)
      },
      webServer(({ target, headers }) => {
        asked.push(headers.get('authorization'))
        if (target === '/relative') return answered(302, '', [['Location', '/x']])
        return target === '/elsewhere' ? answered(302, '', [['Location', 'http://10.0.0.2/x']]) : answered(200)
      }),
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
    ['http://u:p@10.0.0.1:81/', 'Get http://u:***@10.0.0.1:81/: dial tcp 10.0.0.1:81: connect: connection refused'],
    ['http://u:%zz@10.0.0.1/', 'Get http://u:***@10.0.0.1/: the user in the URL is not percent-encoded'],
    ['ftp://u:p@10.0.0.1/', 'Get ftp://u:***@10.0.0.1/: unsupported protocol scheme "ftp"'],
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

  it.each([
    ['not-found', 'no such host'],
    ['timeout', 'i/o timeout'],
    ['io', 'server misbehaving'],
  ] as const)('says of a lookup that ended with %s: %s', async (kind, said) => {
    const lookup = async () => err({ kind, message: 'server misbehaving' })
    const place = await placesAt({ names: { lookup } } as unknown as Env, 'web.example:80', 1_000)
    expect(place).toEqual(err(`lookup web.example: ${said}`))
  })

  it('goes on from an address that refuses or cannot be reached, and from no other that fails', async () => {
    const [first, second] = [
      { host: '10.0.0.1', port: 80 },
      { host: '10.0.0.2', port: 80 },
    ]
    const askedAfter = async (failure: HttpClientFailure): Promise<readonly Endpoint[]> => {
      const asked: Endpoint[] = []
      await firstReached([first, second], async (to) => {
        asked.push(to)
        return to === first ? err(failure) : ok('here')
      })
      return asked
    }
    expect(await askedAfter({ kind: 'refused', to: first })).toEqual([first, second])
    expect(await askedAfter({ kind: 'unreachable', to: first })).toEqual([first, second])
    expect(await askedAfter({ kind: 'broken', to: first, message: 'ended' })).toEqual([first])
    const both = await firstReached([first, second], async (to) => err({ kind: 'refused', to } as const))
    expect(both).toEqual(err({ kind: 'refused', to: first }))
  })

  it.each(['http://localhost:81/', 'http://LOCALHOST:81/', 'http://:81/'])(
    'of this machine reaches a program that listens at its IPv6 address alone: %s',
    async (url) => {
      await withLocalServices(configOf(), async (world) => {
        const at = { host: '::1', port: 81 }
        await world.env.http.serve(at, async () => answered(200))
        expect((await firstSaid(world, http(url)))[0]).toBe('passing')
      })
    },
  )

  it('of localhost is of this machine', async () => {
    await withLocalServices(configOf(), async (world) => {
      expect((await firstSaid(world, http('http://localhost:81/')))[1]).toBe(
        'Get http://localhost:81/: dial tcp 127.0.0.1:81: connect: connection refused',
      )
    })
  })

  it('without a host is of this machine, if it has a port', async () => {
    for (const [address, output] of [
      [':81', 'dial tcp 127.0.0.1:81: connect: connection refused'],
      [':', 'dial tcp: address :: not a host and a port'],
    ] as const) {
      await withLocalServices(configOf(), async (world) => {
        expect(await firstSaid(world, tcp(address))).toEqual(['critical', output])
      })
    }
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
