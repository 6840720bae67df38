import { describe, expect, it } from 'vitest'
import { addressesIn, providerOf } from '../../../src/agent/pool/discovery/providers.ts'
import { parseDiscovery } from '../../../src/agent/pool/discovery/request.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import type { Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpHandler } from '../../../src/env/http.ts'
import { writeFile } from '../env/disk-laws.ts'
import { hostWorld } from '../env/host-world.ts'
import type { LawWorld, Place } from '../env/law-world.ts'
import { got } from '../env/observed.ts'
import { simWorld } from '../env/sim-world.ts'

async function asked(env: Env, entry: string): Promise<Result<readonly string[], string>> {
  const request = await got(Promise.resolve(parseDiscovery(entry)))
  const provider = await got(Promise.resolve(providerOf(request)))
  return provider.ask(env, request)
}

const ready = (podIP: string, status: string) => ({
  status: { phase: 'Running', podIP, hostIP: '10.9.9.9', conditions: [{ type: 'Ready', status }] },
})

/** An API server that knows one token and answers with these pods; `targets`: what it was asked for. */
async function apiServer({ env, host }: Place, body: string, targets: string[]): Promise<string> {
  const handler: HttpHandler = async ({ target, headers }) => {
    targets.push(target)
    const status = headers.get('authorization') === 'Bearer good' ? 200 : 401
    return { status, headers: [], body: status === 200 ? body : '{}' }
  }
  const { local } = await got(env.http.serve({ host, port: 0 }, handler))
  return `http://${host}:${local.port}`
}

function discoveryLaws(name: string, world: LawWorld): void {
  describe(`a provider of addresses ${name}`, () => {
    const law = (title: string, look: (place: Place) => Promise<void>) => it(title, () => world.look(look))

    law('reads a file at each attempt', async ({ env, directory }) => {
      const entry = `provider=file path=${directory}/servers`
      expect(await asked(env, entry)).toEqual({ ok: false, error: `provider file: not-found: ${directory}/servers` })
      await writeFile(env, `${directory}/servers`, '# of dc1\n10.0.0.1\n10.0.0.2:8401, server.internal # the third\n')
      expect(await asked(env, entry)).toEqual({ ok: true, value: ['10.0.0.1', '10.0.0.2:8401', 'server.internal'] })
    })

    law('says when there is no such program', async ({ env }) => {
      expect(await asked(env, 'provider=exec command=/no/such/program')).toMatchObject({
        ok: false,
        error: expect.stringContaining('provider exec: /no/such/program: '),
      })
    })

    law('takes running pods that are ready from an API server', async (place) => {
      const { env, directory } = place
      await writeFile(env, `${directory}/token`, 'good\n')
      const pods = [ready('10.1.0.1', 'True'), ready('10.1.0.2', 'False'), { status: { phase: 'Pending' } }]
      const bare = { status: { phase: 'Running', podIP: '10.1.0.4', hostIP: '10.9.9.9' } }
      const targets: string[] = []
      const server = await apiServer(place, JSON.stringify({ items: [...pods, bare] }), targets)
      const entry = `provider=k8s server=${server} token_file=${directory}/token namespace=mesh`
      expect(await asked(env, entry)).toEqual({ ok: true, value: ['10.1.0.1', '10.1.0.4'] })
      const selected = `${entry} host_network=true label_selector="app=svc,component in (server)"`
      expect(await asked(env, selected)).toEqual({ ok: true, value: ['10.9.9.9', '10.9.9.9'] })
      expect(targets).toEqual([
        '/api/v1/namespaces/mesh/pods',
        '/api/v1/namespaces/mesh/pods?labelSelector=app%3Dsvc%2Ccomponent%20in%20(server)',
      ])
    })

    law('says what an API server answers that does not help, and never the token', async (place) => {
      const { env, directory } = place
      await writeFile(env, `${directory}/token`, 'wrong-and-secret')
      await writeFile(env, `${directory}/good`, 'good')
      const server = await apiServer(place, '{"items":"none"}', [])
      const of = (token: string) =>
        asked(env, `provider=k8s server=${server} token_file=${directory}/${token} namespace=a`)
      expect(await of('token')).toEqual({
        ok: false,
        error: expect.stringMatching(/the API server at .* answered 401$/),
      })
      expect(await of('good')).toMatchObject({
        ok: false,
        error: expect.stringContaining('did not answer with a list of pods'),
      })
      expect(await of('missing')).toMatchObject({ ok: false, error: expect.stringContaining('missing: not-found') })
    })
  })
}

discoveryLaws('in the simulator', simWorld(undefined))
discoveryLaws('on Node', hostWorld(undefined))

it('a program that prints addresses is believed only if it ends well', () =>
  hostWorld(undefined).look(async ({ env }) => {
    const printed = await asked(env, 'provider=exec command="/bin/echo 10.0.0.5 10.0.0.6:8401"')
    expect(printed).toEqual({ ok: true, value: ['10.0.0.5', '10.0.0.6:8401'] })
    const failed = await asked(env, 'provider=exec command="/bin/sh -c false"')
    expect(failed).toEqual({ ok: false, error: 'provider exec: /bin/sh ended with 1' })
  }))

describe('a list of addresses', () => {
  it('has one or more on a line, and comments', () => {
    expect(addressesIn(utf8('a b,c\n\n#d\n\te#f\r\n'))).toEqual(['a', 'b', 'c', 'e'])
    expect(addressesIn(utf8(''))).toEqual([])
  })
})
