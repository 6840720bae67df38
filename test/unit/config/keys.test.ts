import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { reloadedConfig } from '../../../src/agent/settings/reloading.ts'
import { debugConfig } from '../../../src/config/debug.ts'
import type { KeyRow } from '../../../src/config/keys/key.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { laterKeyNames } from '../../../src/config/past/later-keys.ts'
import { removedOptions } from '../../../src/config/past/removed.ts'
import { problemText } from '../../../src/config/problem.ts'
import { configKeys, type FileConfig } from '../../../src/config/schema.ts'
import { parseDocument } from '../../../src/config/sources/document.ts'
import { parseHclDocument } from '../../../src/config/sources/hcl-document.ts'
import { mergeConfig } from '../../../src/config/sources/sources.ts'
import { validateDocument } from '../../../src/config/validate.ts'
import type { Machine } from '../../../src/env/process.ts'
import { borne, companions, examples, ofNoEffect, refusals, refusedKeys } from './every-key.ts'

const machine: Machine = {
  hostName: 'host-1',
  architecture: 'x64',
  operatingSystem: 'linux',
  cpuCount: 2,
  interfaces: () => [{ name: 'eth0', address: '10.0.0.1' }],
}

const base: FileConfig = { data_dir: '/d', bind_addr: '10.0.0.1' }
const keys = configKeys().filter(({ name }) => !name.includes('[]'))
const named = keys.map((row) => [row.name, row] as const)

/** The file that says this alone. */
function file(name: string, value: unknown): FileConfig {
  return name.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as FileConfig
}

function example({ name, type, default: otherwise }: KeyRow): unknown {
  if (name in examples) return examples[name]
  if (type instanceof z.ZodBoolean) return otherwise !== true
  if (type instanceof z.ZodNumber) return typeof otherwise === 'number' ? Math.abs(otherwise) + 7 : 7
  if (type.safeParse('90s').success && !type.safeParse('x').success) return '90s'
  if (name.startsWith('telemetry.circonus_')) return 'x'
  throw new Error(`write an example of ${name} into every-key.ts`)
}

/** A value of another type than the key's. */
function wrong(type: z.ZodType): unknown {
  return type.safeParse(17).success ? 'seventeen' : 17
}

function hclOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(hclOf).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)} = ${hclOf(member)}`)
    .join(', ')} }`
}

function read(text: string, parse: typeof parseDocument) {
  const document = parse('f', text)
  if (!document.ok) return [problemText(document.error)]
  const validated = validateDocument(document.value)
  return validated.ok ? validated.value.config : validated.error.map(problemText)
}

function whole(...files: readonly FileConfig[]) {
  const merged = files.reduce(mergeConfig)
  return normalize(merged, false, machine, undefined, undefined, (path) => `at ${path.join('.')}`)
}

function linesOf(normalized: ReturnType<typeof whole>): readonly string[] {
  return normalized.ok ? [] : normalized.error.map(problemText)
}

describe('every key', () => {
  it('is there once, with what it is for and the agents that read it', () => {
    const names = configKeys().map(({ name }) => name)
    expect(names.length).toBeGreaterThan(200)
    expect(new Set(names).size).toBe(names.length)
    const silent = configKeys().filter(({ name, about, reader }) => !name.includes('watches[]') && (!about || !reader))
    expect(silent.map(({ name }) => name)).toEqual([])
  })

  it.each(named)('%s is the same in JSON and in HCL', (name, row) => {
    const given = file(name, example(row))
    expect(read(JSON.stringify(given), parseDocument)).toEqual(given)
    const [top = '', value] = Object.entries(given)[0] ?? []
    expect(read(`${top} = ${hclOf(value)}`, parseHclDocument)).toEqual(given)
    expect(read(`${top.toUpperCase()} = ${hclOf(value)}`, parseHclDocument)).toEqual(given)
  })

  it.each(named)('%s of another type is refused, with its place', (name, row) => {
    const lines = read(JSON.stringify(file(name, wrong(row.type))), parseDocument)
    expect(lines).toEqual([expect.stringMatching(/^f:1:\d+: '[\w.]+' (expected type|is not valid)/)])
    expect(String(lines)).toContain(`'${name}`)
  })

  it.each(named)('%s takes effect, or is reported', (name, row) => {
    const beside = companions[name] ?? {}
    const without = whole(base, beside)
    const given = whole(base, beside, file(name, example(row)))
    if (refusedKeys.has(name)) return expect(linesOf(given)).toEqual([expect.stringContaining(name)])
    expect(linesOf(given)).toEqual([])
    if (!given.ok || !without.ok || ofNoEffect.has(name)) return
    if (row.waits === undefined) expect(given.value.config).not.toEqual(without.value.config)
    else expect(given.value.warnings.join('\n')).toContain(`at ${name}: '${name}' has no effect`)
  })

  it.each(named)('%s is taken over by a reload if its line says so, and only then', (name, row) => {
    const pair = name === 'cert_file' || name === 'key_file' ? { cert_file: '/old.pem', key_file: '/old.pem' } : {}
    const beside = { ...companions[name], ...pair }
    const started = whole(base, beside)
    const next = whole(base, beside, file(name, example(row)))
    if (!started.ok || !next.ok) return expect(refusedKeys).toContain(name)
    const after = reloadedConfig(started.value.config, next.value.config)
    if (row.reload) expect(after).not.toEqual(started.value.config)
    else expect(after).toEqual(started.value.config)
  })

  it.each(named.filter(([, { default: otherwise }]) => otherwise !== undefined))(
    '%s that says its default says nothing',
    (name, row) => {
      const beside = companions[name] ?? {}
      const [said, unsaid] = [file(name, row.default), {}].map((more) => whole({ data_dir: '/d' }, beside, more))
      if (said?.ok !== true || unsaid?.ok !== true) return expect(said).toEqual(unsaid)
      expect({ ...said.value, file: {} }).toEqual({ ...unsaid.value, file: {} })
    },
  )

  it.each(refusals.map(([given, line]) => [line, given] as const))('is refused: %s', (line, given) => {
    expect(linesOf(whole(base, given)).join('\n')).toContain(line)
  })

  it.each(borne.map(([given, line]) => [line, given] as const))('is started with: %s', (line, given) => {
    const started = whole(base, given)
    expect(linesOf(started)).toEqual([])
    expect(started.ok && started.value.unheeded).toEqual([expect.stringContaining(line)])
  })

  it('that is wrong is told with its place, when the whole is put together', () => {
    expect(linesOf(whole(base, { serf_lan: 'x', log_level: 'y' }))).toEqual([
      'at serf_lan: serf_lan "x" must be an ip address: write an IP address',
      'at log_level: Invalid log level: Y: Valid log levels are: [TRACE DEBUG INFO WARN ERR]',
    ])
  })
})

describe('access control in the configuration', () => {
  const accessOf = (given: FileConfig) => {
    const normalized = whole(base, given)
    if (!normalized.ok) throw new Error(linesOf(normalized).join('\n'))
    return normalized.value
  }

  it('[CFG-019] has new keys before old ones, and either where it stands alone', () => {
    const old: FileConfig = {
      acl_token: 'old',
      acl_agent_token: 'agent',
      acl_ttl: '1m',
      acl_down_policy: 'deny',
      acl_replication_token: 'r',
      acl_default_policy: 'deny',
      acl_enable_key_list_policy: true,
      acl_master_token: 'master',
      acl_agent_master_token: 'agent-master',
    }
    expect(accessOf(old).config.access).toMatchObject({
      defaultPolicy: 'deny',
      downPolicy: 'deny',
      tokenTtlMs: 60_000,
      keyListPolicy: true,
      tokenReplication: true,
      tokens: { default: 'old', agent: 'agent', replication: 'r', master: 'master', agentMaster: 'agent-master' },
    })
    const next = {
      ...{ default_policy: 'allow', down_policy: 'allow', token_ttl: '5s' },
      ...{ enable_key_list_policy: false, enable_token_replication: false },
    }
    const names = { default: 'd', agent: 'a', replication: 'x', master: 'm', agent_master: 'am' }
    expect(accessOf({ ...old, acl: { ...next, tokens: names } }).config.access).toMatchObject({
      ...{ defaultPolicy: 'allow', downPolicy: 'allow', tokenTtlMs: 5_000 },
      ...{ keyListPolicy: false, tokenReplication: false },
      tokens: { default: 'd', agent: 'a', replication: 'x', master: 'm', agentMaster: 'am' },
    })
    expect(accessOf({ ...old, acl: { tokens: { default: 'd' } } }).config.access.tokens).toMatchObject({
      ...{ default: 'd', agent: 'agent' },
    })
    expect(accessOf({ acl_replication_token: 'x', enable_acl_replication: false }).config.access.tokenReplication).toBe(
      false,
    )
  })

  it('[CFG-015] allows or denies what is not ruled, and knows nothing else', () => {
    for (const policy of ['allow', 'deny'] as const) {
      expect(accessOf({ acl_default_policy: policy }).config.access.defaultPolicy).toBe(policy)
      expect(accessOf({ acl: { default_policy: policy } }).config.access.defaultPolicy).toBe(policy)
    }
    expect(linesOf(whole(base, { acl_default_policy: 'maybe' }))).toEqual([
      'at acl_default_policy: Unsupported default ACL policy: maybe: write allow, deny',
    ])
  })

  it('[CFG-016] enforces on agents unless it is told not to', () => {
    expect(debugConfig(accessOf({}).config)).toMatchObject({ ACLEnforceVersion8: true })
    expect(debugConfig(accessOf({ acl_enforce_version_8: false }).config)).toMatchObject({ ACLEnforceVersion8: false })
  })

  it('[CFG-017] [CFG-018] has its primary datacenter by either name, the old one with a warning, and else the same', () => {
    const warning = "The 'acl_datacenter' field is deprecated. Use the 'primary_datacenter' field instead."
    const old = accessOf({ acl_datacenter: 'DC2' })
    const next = accessOf({ primary_datacenter: 'DC2', acl: { enabled: true } })
    expect(old.config.access).toMatchObject({ enabled: true, primaryDatacenter: 'dc2' })
    expect(old.config.access).toEqual(next.config.access)
    expect([old.warnings.includes(warning), next.warnings.includes(warning)]).toEqual([true, false])
    const both = accessOf({ acl_datacenter: 'dc2', primary_datacenter: 'dc3' })
    expect(both.config.access).toMatchObject({ enabled: true, primaryDatacenter: 'dc3' })
    const empty = accessOf({ acl_datacenter: 'dc2', primary_datacenter: '' })
    expect(empty.config.access).toEqual(accessOf({ acl_datacenter: 'dc2' }).config.access)
    expect(empty.unheeded).toEqual([])
  })

  it('[ACL-024] [ACL-042] [CFG-021] takes the old keys as it takes those of the block, which win beside them', () => {
    const old = accessOf({
      ...{ acl_datacenter: 'dc2', acl_default_policy: 'deny', acl_down_policy: 'deny', acl_ttl: '7s' },
      ...{ acl_master_token: 'm', acl_token: 'd', acl_agent_token: 'a', acl_agent_master_token: 'am' },
      ...{ acl_replication_token: 'r', enable_acl_replication: true, acl_enable_key_list_policy: true },
    })
    const tokens = { master: 'm', default: 'd', agent: 'a', agent_master: 'am', replication: 'r' }
    const policies = {
      default_policy: 'deny' as const,
      down_policy: 'deny' as const,
      token_ttl: '7s',
      policy_ttl: '30s',
    }
    const rest = { enabled: true, enable_token_replication: true, enable_key_list_policy: true, tokens }
    const next = accessOf({ primary_datacenter: 'dc2', acl: { ...policies, ...rest } })
    expect({ ...old.config.access, policyTtlMs: 0 }).toEqual({ ...next.config.access, policyTtlMs: 0 })
    expect(debugConfig(next.config)).toMatchObject({ PrimaryDatacenter: 'dc2' })
    const both = accessOf({ acl_datacenter: 'dc2', acl_default_policy: 'allow', acl: { default_policy: 'deny' } })
    expect(both.config.access).toMatchObject({ enabled: true, defaultPolicy: 'deny' })
  })

  it('warns of old keys that say otherwise than those of the block, and tells no secret', () => {
    const tokens = { master: 'secret-2', default: 'secret-3' }
    const { warnings, unheeded } = accessOf({
      ...{ acl_datacenter: 'dc2', primary_datacenter: 'dc3', acl_default_policy: 'allow', acl_ttl: '7s' },
      ...{ acl_master_token: 'secret-1', acl_token: 'SECRET-3', acl_replication_token: 'r' },
      acl: { enabled: false, default_policy: 'deny', token_ttl: '8s', enable_token_replication: false, tokens },
    })
    expect(unheeded).toEqual([
      `at acl_datacenter: 'acl_datacenter' says "dc2", but 'primary_datacenter' says "dc3", which counts`,
      `at acl_default_policy: 'acl_default_policy' says "allow", but 'acl.default_policy' says "deny", which counts`,
      `at acl_ttl: 'acl_ttl' says "7s", but 'acl.token_ttl' says "8s", which counts`,
      "at acl_master_token: 'acl_master_token' and 'acl.tokens.master' contradict each other: the latter counts",
      "at acl_token: 'acl_token' and 'acl.tokens.default' contradict each other: the latter counts",
      "at acl_datacenter: 'acl_datacenter' does not turn on access control, for 'acl.enabled' is false",
      "at acl_replication_token: 'acl_replication_token' does not turn on the copying of tokens, for 'acl.enable_token_replication' is false",
    ])
    expect(warnings).toEqual(expect.arrayContaining([...unheeded]))
  })

  it('does not warn of what is said twice and alike: names in other letters, times in other units', () => {
    const alike = accessOf({
      ...{
        acl_datacenter: 'DC2',
        primary_datacenter: 'dc2',
        acl_ttl: '60s',
        acl_token: 't',
        acl_default_policy: 'deny',
      },
      acl: { enabled: true, token_ttl: '1m', default_policy: 'deny', tokens: { default: 't', agent: 'a' } },
    })
    expect(alike.unheeded).toEqual([])
  })

  it('is on where that is said, or where the old key names its datacenter', () => {
    expect(accessOf({}).config.access.enabled).toBe(false)
    expect(accessOf({ primary_datacenter: 'dc1' }).config.access.enabled).toBe(false)
    expect(accessOf({ acl: { enabled: true } }).config.access).toMatchObject({ enabled: true, primaryDatacenter: '' })
    expect(accessOf({ acl_datacenter: 'dc1' }).config.access).toMatchObject({ enabled: true, primaryDatacenter: 'dc1' })
    expect(debugConfig(accessOf({ acl: { enabled: true } }).config)).toMatchObject({ ACLsEnabled: true })
    const off = accessOf({ acl_datacenter: 'DC1', acl: { enabled: false } })
    expect(off.config.access.primaryDatacenter).toBe('dc1')
    expect(off.warnings).toContain(
      "The 'acl_datacenter' field is deprecated. Use the 'primary_datacenter' field instead.",
    )
    expect(
      debugConfig(accessOf({ acl_datacenter: 'a', primary_datacenter: 'b', acl: { enabled: false } }).config),
    ).toMatchObject({ PrimaryDatacenter: 'b', ACLsEnabled: false })
  })

  it('hides its tokens where it is shown', () => {
    const shown = debugConfig(accessOf({ acl: { tokens: { master: 'secret', default: 'secret' } } }).config)
    expect(shown).toMatchObject({ ACLMasterToken: 'hidden', ACLToken: 'hidden', ACLReplicationToken: '' })
    expect(JSON.stringify(shown)).not.toContain('secret')
  })
})

describe('every key of later releases', () => {
  it.each(laterKeyNames())(
    '%s is unknown to this one, which says so, and what to write instead that there is',
    (name) => {
      expect(keys.some((key) => key.name === name || key.name.startsWith(`${name}.`))).toBe(false)
      const document = parseDocument('f', JSON.stringify(file(name, {})))
      if (!document.ok) throw new Error(problemText(document.error))
      const validated = validateDocument(document.value)
      const lines = validated.ok ? [] : validated.error.map(problemText)
      const instead = /^f:1:\d+: invalid config key \S+: this release does not know it, later ones do: (.+)$/
      expect(lines).toEqual([expect.stringMatching(instead)])
      const meant = [...(lines[0] ?? '').matchAll(/'([a-z_.]+)'/g)].map(([, key]) => key)
      expect(
        meant.filter((key) => !configKeys().some(({ name: known }) => known === key || known.startsWith(`${key}.`))),
      ).toEqual([])
      expect(lines[0]).not.toContain('remove it')
    },
  )
})

describe('every removed option', () => {
  const removed = removedOptions().map((option) => [`${option.kind} ${option.name}`, option] as const)

  it('is in one table, with the release that removed it and what to write instead', () => {
    expect(removed.length).toBeGreaterThan(40)
    expect(new Set(removed.map(([shown]) => shown)).size).toBe(removed.length)
    expect(removed.filter(([, { since, instead }]) => !/^\d+\.\d+/.test(since) || instead === '')).toEqual([])
    expect(removed.filter(([, { kind, name }]) => kind === 'key' && keys.some((key) => key.name === name))).toEqual([])
  })

  it.each(removed.filter(([, { kind }]) => kind !== 'flag'))(
    '[CFG-042] %s is refused in JSON and HCL with place, release and successor',
    (_shown, { kind, name, since, instead }) => {
      const path = { key: name, 'service key': `service.${name}`, 'check key': `check.${name}`, flag: '' }[kind]
      const given = file(path, 'x')
      const definition = kind === 'service key' ? { name: 's' } : { name: 'c', ttl: '1s' }
      const more: FileConfig =
        kind === 'key' ? given : mergeConfig(given, file(kind.split(' ')[0] as string, definition))
      const [top = '', value] = Object.entries(more)[0] ?? []
      for (const [text, parse] of [
        [`\n${JSON.stringify(more)}`, parseDocument],
        [`\n${top} = ${hclOf(value)}`, parseHclDocument],
      ] as const) {
        const document = parse('f', text)
        if (!document.ok) throw new Error(problemText(document.error))
        const validated = validateDocument(document.value)
        const config = validated.ok ? validated.value : undefined
        const lines =
          config === undefined
            ? (validated as { error: readonly Parameters<typeof problemText>[0][] }).error.map(problemText)
            : linesOf(normalize({ ...base, ...config.config }, false, machine))
        const line = lines.join('\n')
        expect(line).toContain(name.split('.').at(-1))
        expect(line).toContain(`removed in ${since}, ${instead}`)
        expect(line).toMatch(kind === 'key' ? /^f:2:\d+: / : /^config: /)
      }
    },
  )
})
