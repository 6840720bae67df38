import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepPoolKeys, loadPoolKeys } from '../../../src/agent/pool/pool-keyring.ts'
import type { AgentConfig, PoolConfig } from '../../../src/agent/settings/agent-config.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { textOf } from '../../../src/base/bytes.ts'
import { done, err } from '../../../src/base/result.ts'
import { keyFrom } from '../../../src/gossip/keyring.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'

const logged: string[] = []
const env = createHostEnv({ logSink: (line) => logged.push(line), logLevel: 'info' })
const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string]
let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-keyring-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function config(pool: Partial<PoolConfig>): AgentConfig {
  const base = defaultAgentConfig('n', '10.0.0.1')
  return { ...base, dataDir, pool: { ...base.pool, ...pool } }
}

function path(): string {
  return join(dataDir, 'serf/local.keyring')
}

async function keysOf(pool: Partial<PoolConfig>): Promise<readonly string[] | string | undefined> {
  const keys = await loadPoolKeys(env, config(pool))
  return keys.ok ? keys.value?.keyring.list() : keys.error.message
}

describe('the keys that an agent keeps', () => {
  it('are none where none is configured', async () => {
    expect(await keysOf({})).toBe(undefined)
    expect(existsSync(path())).toBe(false)
  })

  it('begin with the configured one, and follow the keyring from then on', async () => {
    const keys = await loadPoolKeys(env, config({ encrypt: first }))
    if (!keys.ok || keys.value === undefined) throw new Error('no keys')
    await keepPoolKeys(env, config({ encrypt: first }), keys.value)
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toEqual([first])
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    const fresh = keyFrom(second)
    if (!fresh.ok) throw new Error(fresh.error)
    keys.value.keyring.install(fresh.value)
    keys.value.keyring.use(fresh.value)
    expect(await keys.value.keyring.stored()).toEqual(done)
    expect(readFileSync(path(), 'utf8')).toBe(JSON.stringify([second, first]))
    expect(await keysOf({})).toEqual([second, first])
  })

  it('that could not be stored fail the change, and are stored when it is tried again', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory('/data')
    const given = { ...config({ encrypt: first }), dataDir: '/data' }
    const on = { ...env, disk }
    const keys = await loadPoolKeys(on, given)
    if (!keys.ok || keys.value === undefined) throw new Error('no keys')
    const { keyring } = keys.value
    await keepPoolKeys(on, given, keys.value)
    const fresh = keyFrom(second)
    if (!fresh.ok) throw new Error(fresh.error)
    disk.fault = (operation) => (operation === 'rename' ? 'io' : undefined)
    keyring.install(fresh.value)
    const why = 'cannot keep the keyring: /data/serf/local.keyring.tmp: planted io'
    expect([await keyring.stored(), await keyring.stored()]).toEqual([err(why), err(why)])
    disk.fault = () => undefined
    expect(await keyring.stored()).toEqual(done)
    expect(textOf(disk.bytesOf('/data/serf/local.keyring'))).toBe(JSON.stringify([first, second]))
    const before = disk.operations
    expect(await keyring.stored()).toEqual(done)
    expect(disk.operations).toBe(before)
  })

  it('are written as they are in the end, and not once for each of many changes', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory('/data')
    const given = { ...config({ encrypt: first }), dataDir: '/data' }
    const keys = await loadPoolKeys({ ...env, disk }, given)
    const fresh = keyFrom(second)
    if (!keys.ok || keys.value === undefined || !fresh.ok) throw new Error('no keys')
    const { keyring } = keys.value
    await keepPoolKeys({ ...env, disk }, given, keys.value)
    const before = disk.counts.get('rename') ?? 0
    const answers: Promise<unknown>[] = []
    for (let change = 0; change < 20; change++) {
      keyring.install(fresh.value)
      answers.push(keyring.stored())
      keyring.remove(fresh.value)
      answers.push(keyring.stored())
    }
    keyring.install(fresh.value)
    expect(new Set(await Promise.all([...answers, keyring.stored()]))).toEqual(new Set([done]))
    expect(textOf(disk.bytesOf('/data/serf/local.keyring'))).toBe(JSON.stringify([first, second]))
    expect((disk.counts.get('rename') ?? 0) - before).toBeLessThanOrEqual(2)
  })

  it('that are kept are used, whatever is configured', async () => {
    mkdirSync(join(dataDir, 'serf'))
    writeFileSync(path(), JSON.stringify([second]))
    logged.length = 0
    expect(await keysOf({ encrypt: first })).toEqual([second])
    const [line = ''] = logged
    expect(line).toMatch(/\[WARN\] agent: LAN keyring exists but -encrypt given, using keyring path=\S+local\.keyring /)
    expect(line).toMatch(/ encrypt="not the primary key of the keyring" remedy="change keys with svc keyring"$/)
    expect(await keysOf({ encrypt: first, keepsKeyring: false })).toEqual([first])
  })

  it('that are kept, and of which the configured one is used, are no reason to warn', async () => {
    mkdirSync(join(dataDir, 'serf'))
    writeFileSync(path(), JSON.stringify([second, first]))
    logged.length = 0
    expect(await keysOf({ encrypt: second })).toEqual([second, first])
    expect(logged.map((line) => line.replace(/^.*?\[/, '['))).toEqual([
      `[INFO] agent: LAN keyring exists but -encrypt given, using keyring path=${path()}`,
    ])
  })

  for (const [what, content] of [
    ['no JSON', '["'],
    ['no list', '{}'],
    ['no key', '["abcd"]'],
    ['nothing', '[]'],
  ] as const) {
    it(`in a file that holds ${what} keep the agent from starting`, async () => {
      mkdirSync(join(dataDir, 'serf'))
      writeFileSync(path(), content)
      expect(await keysOf({ encrypt: first })).toContain(path())
    })
  }
})
