import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import { Rpc } from '../../../src/rpc/rpc.ts'
import { noTls, type RpcTls, type ServerFacts } from '../../../src/rpc/tls.ts'
import { hostWorld } from '../env/host-world.ts'
import type { LawWorld, Place } from '../env/law-world.ts'
import { eventually, pause } from '../env/observed.ts'
import { simWorld } from '../env/sim-world.ts'
import { makeTlsMaterial, opensslIsThere, type TlsMaterial } from '../host/tls-material.ts'

const openssl = opensslIsThere()
const material = openssl ? makeTlsMaterial() : undefined
/** Each listener has a port of its own: above those of real agents in tests, below those that systems hand out. */
let nextPort = 31_000
const portsTried = 20

interface Seen {
  readonly rpc: Rpc
  /** Where it listens; empty where it does not. */
  readonly address: string
  readonly notices: string[]
  readonly requests: string[]
  readonly log: string[]
}

/** `facts`: what it knows of servers, whenever it asks. */
async function agent(
  env: Env,
  name: string,
  tls: RpcTls,
  listen: string | undefined,
  facts: Partial<ServerFacts> = {},
  datacenter = 'dc1',
): Promise<Seen> {
  const [notices, requests, log]: [string[], string[], string[]] = [[], [], []]
  const told: Env['log'] = {
    write: (level, _topic, text, fields) => {
      if (level === 'warn') log.push(`${text}: ${fields?.['why']}: ${fields?.['remedy']}`)
    },
    enabled: (level) => env.log.enabled(level),
    follow: (level, use) => env.log.follow(level, use),
  }
  const { rpc, address } = await opened({ ...env, log: told }, listen, tls)
  rpc.start(
    { nodeId: `id-${name}`, nodeName: name, datacenter, address: '' },
    {
      onRequest: async ({ peer, method }) => {
        requests.push(`${peer.nodeName} ${method} ${peer.mayActAsServer}`)
        return ok(null)
      },
      onNotice: (peer, topic) => notices.push(`${peer.nodeName} ${topic}`),
      onPeer: () => undefined,
      serverAt: () => ({ name: 'other', datacenter: 'dc1', offersTls: false, ...facts }),
    },
  )
  return { rpc, address, notices, requests, log }
}

async function opened(env: Env, host: string | undefined, tls: RpcTls): Promise<{ rpc: Rpc; address: string }> {
  let why = ''
  for (let tried = 0; tried < portsTried; tried++) {
    const port = nextPort++
    const rpc = await Rpc.open(env, host === undefined ? undefined : { host, port }, tls)
    if (rpc.ok) return { rpc: rpc.value, address: host === undefined ? '' : `${host}:${port}` }
    why = rpc.error.kind
    if (why !== 'address-in-use') break
  }
  throw new Error(why)
}

/** What a request of the second agent to the first comes to, and what each says of it. */
async function meet({ env, peer, host }: Place, there: RpcTls, here: RpcTls, facts: Partial<ServerFacts> = {}) {
  const server = await agent(env, 's1', there, host)
  const client = await agent(peer, 'c1', here, undefined, facts)
  const to = server.address
  const answer = await client.rpc.request(to, { method: 'Ask', body: null, deadlineMs: 3_000 })
  client.rpc.notify('id-s1', to, 'raft/3', utf8('vote'))
  await pause(env, 50)
  const outcome = answer.ok
    ? 'answered'
    : `${answer.error.kind}: ${'message' in answer.error ? answer.error.message : ''}`
  return { outcome, server, client, to, done: () => [server, client].map(({ rpc }) => rpc.stop()) }
}

function rpcTlsLaws(name: string, world: LawWorld): void {
  const law = (title: string, look: (place: Place, tls: TlsMaterial) => Promise<void>): void => {
    it(title, async (context) => {
      if (material === undefined) return context.skip('the openssl command, which makes the certificates, is not there')
      await world.look((place) => look(place, material))
    })
  }
  const settings = ({ rootPem }: TlsMaterial, identity: RpcTls['identity'], more: Partial<RpcTls> = {}): RpcTls => ({
    ...noTls,
    identity,
    trustedPems: [rootPem],
    domain: 'svc',
    ...more,
  })
  const strict = { verifyIncoming: true, verifyOutgoing: true, verifyServerHostname: true } as const

  describe(`TLS between agents, ${name}`, () => {
    law('servers that prove to be servers speak with each other', async (place, tls) => {
      const met = await meet(place, settings(tls, tls.server, strict), settings(tls, tls.server, strict))
      await eventually(place.env, 'the notice', () => met.server.notices.length > 0)
      expect([met.outcome, met.server.requests, met.server.notices]).toEqual([
        'answered',
        ['c1 Ask true'],
        ['c1 raft/3'],
      ])
      met.done()
    })

    law('a listener without verify_incoming takes those with TLS and those without', async (place, tls) => {
      const open = settings(tls, tls.server)
      for (const [facts, here] of [
        [{}, noTls],
        [{ offersTls: true }, settings(tls, undefined)],
        [{}, settings(tls, undefined, { verifyOutgoing: true })],
      ] as const) {
        const met = await meet(place, open, here, facts)
        expect(met.outcome).toBe('answered')
        met.done()
      }
    })

    law(
      'one with it takes neither plain connections nor unproved ones, and says what is missing',
      async (place, tls) => {
        const there = settings(tls, tls.server, strict)
        const closed = 'it closed the connection before it said hello, '
        const cases = [
          [
            noTls,
            'refused a connection: it does not speak TLS, and verify_incoming is set here: give it ca_file,',
            `${closed}as servers do that accept only TLS`,
          ],
          [
            settings(tls, undefined, { verifyOutgoing: true }),
            'refused a connection: it shows no certificate',
            `${closed}and this agent shows no certificate`,
          ],
          [
            settings(tls, tls.stranger, { verifyOutgoing: true }),
            'refused a connection: its certificate is not signed by a certificate authority',
            `${closed}as servers do that do not trust the certificate which this agent shows`,
          ],
        ] as const
        for (const [here, line, why] of cases) {
          const met = await meet(place, there, here)
          expect(met.outcome).toBe(`unreachable: cannot reach ${met.to}: ${why}`)
          expect([met.server.requests, met.server.notices]).toEqual([[], []])
          expect(met.server.log.filter((each) => each.startsWith(line))).toHaveLength(1)
          met.done()
        }
      },
    )

    law('verify_outgoing refuses servers without TLS and those of another authority', async (place, tls) => {
      const here = settings(tls, tls.client, { verifyOutgoing: true })
      const cases = [
        [noTls, 'the listener does not speak TLS', 'give that server cert_file and key_file, or unset verify_outgoing'],
        [settings(tls, tls.stranger), '', 'sign its certificate with an authority in ca_file here'],
      ] as const
      for (const [there, why, remedy] of cases) {
        const met = await meet(place, there, here)
        expect(met.outcome).toContain(`unreachable: cannot reach ${met.to}: no TLS connection: ${why}`)
        const line = met.client.log.find((each) => each.startsWith('no TLS connection with a server: '))
        expect(line?.endsWith(`: ${remedy}`), line).toBe(true)
        expect(met.server.requests).toEqual([])
        met.done()
      }
    })

    law('verify_server_hostname refuses a client that listens as a server', async (place, tls) => {
      const met = await meet(place, settings(tls, tls.client, strict), settings(tls, tls.server, strict))
      const why = 'its certificate is for client.dc1.svc, not for server.dc1.svc'
      expect(met.outcome).toBe(`unreachable: cannot reach ${met.to}: ${why}`)
      expect(met.client.log[0]).toMatch(
        `no TLS connection with a server: ${why}: give that server a certificate of its`,
      )
      expect(met.server.requests).toEqual([])
      met.done()
      const trusting = settings(tls, tls.server, { verifyOutgoing: true })
      const lenient = await meet(place, settings(tls, tls.client), trusting)
      expect(lenient.outcome).toBe('answered')
      lenient.done()
    })

    law('the name is that of the datacenter that is dialled, or server_name without it', async (place, tls) => {
      const there = settings(tls, tls.server, strict)
      const other = await meet(place, there, settings(tls, tls.server, strict), { datacenter: 'dc2' })
      expect(other.outcome).toContain('its certificate is for server.dc1.svc, not for server.dc2.svc')
      other.done()
      for (const [serverName, outcome] of [
        ['server.dc1.svc', /^answered$/],
        ['s1.example', /is for server\.dc1\.svc, not for s1\.example$/],
      ] as const) {
        const met = await meet(place, there, settings(tls, tls.server, { verifyOutgoing: true, serverName }))
        expect(met.outcome).toMatch(outcome)
        met.done()
      }
    })

    law('a client that dials is served, but not heard as a server', async (place, tls) => {
      const met = await meet(place, settings(tls, tls.server, strict), settings(tls, tls.client, strict))
      await eventually(place.env, 'a warning', () => met.server.log.length > 0)
      expect([met.outcome, met.server.requests]).toEqual(['answered', ['c1 Ask false']])
      expect(met.server.notices).toEqual([])
      expect(met.server.log).toEqual([
        'an agent is not accepted as a server: it claims to be a server, but its certificate is not for server.dc1.svc: ' +
          'only a certificate for that name makes it a server: give that agent one, or remove it from the pool',
      ])
      met.done()
    })

    law('what is for a server does not go to a client that calls itself by its ID', async (place, tls) => {
      const { env, peer, host } = place
      const server = await agent(env, 's1', settings(tls, tls.server, strict), host)
      const impostor = await agent(peer, 's2', settings(tls, tls.client, strict), undefined)
      await impostor.rpc.request(server.address, { method: 'Ask', body: null, deadlineMs: 3_000 })
      server.rpc.notify('id-s2', '', 'raft/3', utf8('entries'))
      await pause(env, 50)
      expect([server.requests, impostor.notices]).toEqual([['s2 Ask false'], []])
      server.rpc.stop()
      impostor.rpc.stop()
    })

    law(
      'a server of another datacenter that was dialled is asked, and not heard as a server of this one',
      async (place, tls) => {
        const { env, peer, host } = place
        const there = await agent(env, 's1', settings(tls, tls.server, strict), host)
        const here = await agent(peer, 's9', settings(tls, tls.server, strict), undefined, {}, 'dc2')
        const asked = await here.rpc.request(there.address, { method: 'Ask', body: null, deadlineMs: 3_000 })
        there.rpc.notify('id-s9', '', 'raft/3', utf8('entries'))
        here.rpc.notify('id-s1', '', 'raft/3', utf8('vote'))
        await pause(env, 50)
        expect([asked.ok, here.notices, there.notices]).toEqual([true, [], []])
        there.rpc.stop()
        here.rpc.stop()
      },
    )

    law('a connection is good for the datacenter alone that its certificate was looked at for', async (place, tls) => {
      const facts = { datacenter: 'dc1' }
      const met = await meet(place, settings(tls, tls.server, strict), settings(tls, tls.server, strict), facts)
      expect(met.outcome).toBe('answered')
      facts.datacenter = 'dc2'
      const again = await met.client.rpc.request(met.to, { method: 'Ask', body: null, deadlineMs: 3_000 })
      expect(again).toMatchObject({
        ok: false,
        error: { message: expect.stringContaining('is for server.dc1.svc, not for server.dc2.svc') },
      })
      met.done()
    })

    law('renewed certificates are for new connections; those that are open go on', async (place, tls) => {
      const before = settings(tls, tls.server, strict)
      const met = await meet(place, before, before)
      const after = { ...before, identity: tls.stranger, trustedPems: [tls.strangerRootPem] }
      met.server.rpc.renewTls(after)
      const ask = (from: Rpc) => from.request(met.to, { method: 'Ask', body: null, deadlineMs: 3_000 })
      expect((await ask(met.client.rpc)).ok).toBe(true)
      const old = await agent(place.peer, 'c2', before, undefined)
      expect((await ask(old.rpc)).ok).toBe(false)
      old.rpc.renewTls(after)
      expect((await ask(old.rpc)).ok).toBe(true)
      old.rpc.stop()
      met.done()
    })
  })
}

rpcTlsLaws('in the simulator', simWorld(material))
rpcTlsLaws('on Node', hostWorld(material))
