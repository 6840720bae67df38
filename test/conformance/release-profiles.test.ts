import { describe, expect, it } from 'vitest'
import { enforcementOf } from '../../src/access/enforcement.ts'
import { features } from '../../src/agent/assembly/features.ts'
import { normalize } from '../../src/config/normalize.ts'
import { hasBehaviour, isAtLeast, oldLogsOf, parseRelease, type Release } from '../../src/model/release.ts'
import { ask } from './ask.ts'
import type { Exact } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

function releaseOf(text: string): Release {
  const release = parseRelease(text)
  if (release === undefined) throw new Error(`${text} is no release`)
  return release
}

/** A server under deny, whose callers bring no token. */
async function underDeny<T>(release: string, use: (target: GoldenTarget) => Promise<T>): Promise<T> {
  const access = { acl_datacenter: 'dc1', acl_default_policy: 'deny', acl_master_token: 'root' }
  const more = { ...access, acl_agent_token: 'root' } as unknown as Record<string, Exact>
  const { target, stop } = await startSimulatedAgent('default', { release: releaseOf(release), more })
  try {
    // Its leader makes the token that may do everything when it has begun its duties.
    for (let tries = 0; tries < 200; tries++) {
      if ((await statusOf(target, 'GET /v1/acl/list?token=root')) === 200) break
    }
    return await use(target)
  } finally {
    await stop()
  }
}

async function statusOf(target: GoldenTarget, line: string, body?: string): Promise<number> {
  return (await ask(target, line, body)).status
}

function commandsOf(release: string): readonly string[] {
  const all = features.flatMap(({ commands = [] }) => commands)
  return all.filter(({ since }) => isAtLeast(releaseOf(release), since)).map(({ kind }) => kind)
}

function configOf(release: string, server: boolean) {
  const machine = { hostName: 'm', architecture: 'x64', operatingSystem: 'linux', cpuCount: 1, interfaces: () => [] }
  const file = { data_dir: '/data', bind_addr: '10.0.0.1', server }
  const config = normalize(file, false, machine, undefined, releaseOf(release))
  if (!config.ok) throw new Error(config.error.map(({ message }) => message).join('; '))
  return config.value.config
}

const registration = JSON.stringify({ Node: 'n', Address: '10.9.0.1', Service: { Service: 'web' } })

describe('a server of an early release', () => {
  it('[UPG-050] before 0.5 takes services from every caller, and knows no command for tombstones', async () => {
    const register = (release: string) =>
      underDeny(release, (target) => statusOf(target, 'PUT /v1/catalog/register', registration))
    expect([await register('0.4.1'), await register('0.5.0')]).toEqual([200, 403])
    const reaps = (release: string) => commandsOf(release).includes('kv.reap-tombstones')
    expect([reaps('0.4.1'), reaps('0.5.0')]).toEqual([false, true])
  })

  it('[UPG-051] before 0.6 shows services to every caller, lets every caller fire events and rotate keys, has no queries, and an old log', async () => {
    const seen = (release: string) =>
      underDeny(release, async (target) => [
        await statusOf(target, 'PUT /v1/catalog/register?token=root', registration),
        Object.keys((await ask(target, 'GET /v1/catalog/services')).json() as object).includes('web'),
        await statusOf(target, 'PUT /v1/event/fire/deploy'),
        await statusOf(target, 'GET /v1/query?token=root'),
      ])
    expect(await seen('0.5.0')).toEqual([200, true, 200, 404])
    expect(await seen('0.6.0')).toEqual([200, false, 403, 200])
    const keys = (release: string) => enforcementOf(releaseOf(release))('keyring', 'write')
    expect([keys('0.5.2'), keys('0.6.0')]).toEqual([false, true])
    expect(['0.5.0', '0.5.2', '0.6.0'].map((release) => oldLogsOf(releaseOf(release)))).toEqual([
      'kept',
      'migrated',
      'refused',
    ])
  })

  it('[UPG-052] before 0.7 asks the leader for DNS, has quick Raft, leaves all alike, keeps peers.json, knows no Near', async () => {
    const [before, since] = [configOf('0.6.4', true), configOf('0.7.0', true)]
    expect([before.dns.allowStale, since.dns.allowStale]).toEqual([false, true])
    expect(since.raft.heartbeatTimeoutMs).toBe(5 * before.raft.heartbeatTimeoutMs)
    const leaves = (release: string) =>
      [true, false]
        .map((server) => configOf(release, server))
        .map((each) => [each.leaveOnTerminate, each.skipLeaveOnInterrupt])
    expect(leaves('0.6.4')[0]).toEqual(leaves('0.6.4')[1])
    expect(leaves('0.7.0')[0]).not.toEqual(leaves('0.7.0')[1])
    const has = (release: string) =>
      (['peers-json-for-recovery', 'http-translates', 'query-near'] as const).map((each) =>
        hasBehaviour(releaseOf(release), each),
      )
    expect([has('0.6.4'), has('0.7.0')]).toEqual([
      [false, false, false],
      [true, true, true],
    ])
    const near = (release: string) =>
      underDeny(release, async (target) => {
        const body = JSON.stringify({ Name: 'q', Service: { Service: 'web', Near: '_agent' } })
        const { text } = await ask(target, 'POST /v1/query?token=root', body)
        const { ID } = JSON.parse(text) as { readonly ID: string }
        return (await ask(target, `GET /v1/query/${ID}?token=root`)).text.includes('"Near":"_agent"')
      })
    expect([await near('0.6.4'), await near('0.7.0')]).toEqual([false, true])
  })

  it('[KV-002] before 1.0 says of a key that the token may not read that there is none; 0.9.1 alone says that it may not, as all since', async () => {
    const read = (release: string) =>
      underDeny(release, async (target) => {
        const written = await statusOf(target, 'PUT /v1/kv/color?token=root', 'blue')
        const asked = await ask(target, 'GET /v1/kv/color')
        const others = [
          await statusOf(target, 'GET /v1/kv/color?token=root'),
          await statusOf(target, 'GET /v1/kv/no-such-key'),
          await statusOf(target, 'GET /v1/kv/color?recurse'),
        ]
        return [written, asked.status, asked.text, ...others]
      })
    expect(await read('0.9.0')).toEqual([200, 404, '', 200, 404, 404])
    expect(await read('0.9.3')).toEqual([200, 404, '', 200, 404, 404])
    for (const release of ['0.9.1', '1.0.0', '1.4.0']) {
      expect((await read(release)).slice(0, 5), release).toEqual([200, 403, 'Permission denied', 200, 403])
    }
  })
})
