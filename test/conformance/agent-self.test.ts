import { describe, expect, it } from 'vitest'
import type { AgentConfig } from '../../src/agent/settings/agent-config.ts'
import { defaultAgentConfig } from '../../src/agent/settings/default-config.ts'
import { debugConfig } from '../../src/config/debug.ts'
import { settingsText } from '../../src/features/mesh/settings-text.ts'
import { ask } from './ask.ts'
import { debugKeys, statsKeys } from './debug-keys.ts'
import { isObject } from './golden/exact-json.ts'
import { startSimulatedAgent } from './simulated-agent.ts'
import { settled, worlds } from './worlds.ts'

const defaults = defaultAgentConfig('node-a', '127.0.0.1')
const sink = { host: '127.0.0.1', port: 8125 }
/** With values where the defaults have none. */
const base: AgentConfig = {
  ...defaults,
  ports: { ...defaults.ports, https: 8501 },
  unixSockets: { user: 'svc', group: 1, mode: 0o600 },
  telemetry: { ...defaults.telemetry, statsd: sink, statsite: sink, dogstatsd: sink },
}

describe.each(worlds.map((world) => [world.name, world] as const))('DebugConfig %s', (_name, { start }) => {
  it('[HTP-060] shows what an agent runs with, flat and in CamelCase', async () => {
    const agent = await start('default')
    try {
      const self = (await ask(agent.target, 'GET /v1/agent/self')).json()
      const shown = isObject(self) ? (self['DebugConfig'] ?? null) : null
      expect(shown).toMatchObject({
        Bootstrap: true,
        Datacenter: 'dc1',
        HTTPPort: agent.target.ports['http'],
        HTTPSPort: -1,
        NodeID: 'aaaaaaaa-0000-4000-8000-000000000001',
        RaftHeartbeatTimeout: '1s',
        ServerMode: true,
        ServerPort: agent.target.ports['server'],
      })
      expect(Object.keys(shown ?? {})).toEqual(Object.keys(debugConfig(base)))
      for (const name of Object.keys(shown ?? {})) expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/)
    } finally {
      await agent.stop()
    }
  })
})

const isUrl = (value: unknown): boolean => typeof value === 'string' && URL.canParse(value) && value.includes('://')
const parses: Readonly<Record<keyof typeof debugKeys, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  url: isUrl,
  urls: (value) => Array.isArray(value) && value.every(isUrl),
  number: (value) => typeof value === 'number' && Number.isInteger(value),
  flag: (value) => typeof value === 'boolean',
  texts: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

describe.each([
  ['svc', 'Svc'],
  ['consul', 'Consul'],
])('what typed clients read of an agent under names = "%s"', (names, title) => {
  it('has every key of DebugConfig and of Stats, as they parse it', async () => {
    const agent = await settled(await startSimulatedAgent('default', { more: { names } }), 'default')
    try {
      const self = JSON.parse((await ask(agent.target, 'GET /v1/agent/self')).text) as Record<string, object>
      const shown = self['DebugConfig'] as Record<string, unknown>
      const wrong = Object.entries(debugKeys).flatMap(([type, keys]) =>
        namesIn(keys)
          .map((key) => key.replace(/^N(?=Coord|Raft|Server)/, title))
          .filter((key) => !parses[type as keyof typeof debugKeys](shown[key])),
      )
      expect(wrong).toEqual([])
      expect(shown).toMatchObject({
        NodeID: 'aaaaaaaa-0000-4000-8000-000000000001',
        TaggedAddresses: { lan: expect.any(String), wan: expect.any(String) },
        Telemetry: { MetricsPrefix: names, DisableHostname: false, CirconusAPIURL: '' },
        HTTPAddrs: [`tcp://127.0.0.1:${agent.target.ports['http']}`],
        HTTPSAddrs: [],
      })
      for (const [section, keys] of Object.entries(statsKeys)) {
        const told = (self['Stats'] as Record<string, object>)[section === 'N' ? names : section] ?? {}
        expect(Object.keys(told).sort(), section).toEqual([...namesIn(keys)].sort())
        expect(Object.values(told).every((value) => typeof value === 'string')).toBe(true)
      }
    } finally {
      await agent.stop()
    }
  })
})

const namesIn = (keys: string): readonly string[] => keys.trim().split(/\s+/)

/** What follows from the name or the release that is shown: it is no setting of its own. */
const derived =
  /^(?:naming\.(?:title|aliases|variableFamilies)|http\.naming\..*|telemetry\.(?:product|labels)|log\.product|dns\.serversService)$/

describe('DebugConfig', () => {
  it.each(leaves(base).filter((path) => !derived.test(path)))('[HTP-060] leaves nothing out: %s', (path) => {
    const changed = withOther(base, path.split('.')) as AgentConfig
    expect(debugConfig(changed)).not.toEqual(debugConfig(base))
  })
})

describe('DebugConfig of settings whose names say that they are secret', () => {
  it('hides them in what proxies are told, however deep, and nothing else', () => {
    const config = settingsText({
      api_token: 's."1',
      nested: [{ 'client-secret': 'x', url: 'key:1', keys: { a: 1 } }],
      bind_port: 20,
      pin_key: 20,
      password: '',
    })
    const shown = debugConfig({ ...base, managedProxies: { ...base.managedProxies, config } })
    expect(JSON.parse(String(shown['ConnectProxyDefaultConfig']))).toEqual({
      api_token: 'hidden',
      nested: [{ 'client-secret': 'hidden', url: 'key:1', keys: { a: 1 } }],
      bind_port: 20,
      pin_key: 'hidden',
      password: '',
    })
  })

  it('hides them in what clouds are asked with', () => {
    const asked = 'provider=aws region=eu tag_value=svc access_key_id=AKIA secret_access_key="a b" addr_type=v4'
    const shown = debugConfig({
      ...base,
      retryJoin: [asked, '10.0.0.1:8301'],
      wan: { ...base.wan, retryJoin: ['provider=os password=p user=u'] },
    })
    const hidden = 'provider=aws region=eu tag_value=svc access_key_id=hidden secret_access_key=hidden addr_type=v4'
    expect(shown).toMatchObject({
      RetryJoinLAN: [hidden, '10.0.0.1:8301'],
      RetryJoinWAN: ['provider=os password=hidden user=u'],
    })
  })
})

/** Dotted names of every value in a configuration. */
function leaves(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (prefix === '' && name === 'debug') return []
    const isBranch = typeof member === 'object' && member !== null && !Array.isArray(member)
    return isBranch && Object.keys(member).length > 0 ? leaves(member, `${prefix}${name}.`) : [`${prefix}${name}`]
  })
}

/** An item of whatever list: a text, a pair, an endpoint, a check, a service, a watch. */
const anyItem = Object.assign(['other', 5], {
  host: 'other',
  port: 5,
  checkId: 'other',
  service: { id: 'other' },
  subject: { type: 'key' },
})

/** A copy in which the value at a path is another. */
function withOther(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name !== undefined) {
    const branch = value as Record<string, unknown>
    return { ...branch, [name]: withOther(branch[name], rest) }
  }
  if (typeof value === 'number') return value + 1000
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return [...value, typeof value[0] === 'string' ? 'other' : anyItem]
  return typeof value === 'object' && value !== null ? { other: 'x' } : 'other'
}
