import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { GivenFlags } from '../../src/config/found-files.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createHostEnv } from '../../src/host/env.ts'
import { parseRelease } from '../../src/model/release.ts'
import { ask } from './ask.ts'
import type { ExactObject } from './golden/exact-json.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

/** What an agent of that release makes of a file without an ending in its name, with options by their old names. */
async function configured(release: string) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-0-9-'))
  try {
    const file = join(folder, 'agent.conf')
    writeFileSync(file, '{"recursor": "10.0.0.2", "statsd_addr": "10.0.0.3:8125", "bind_addr": "127.0.0.1"}')
    const flags: GivenFlags = new Map<string, boolean | string | readonly string[]>([
      ['dev', true],
      ['release', release],
      ['config-file', [file]],
    ])
    const loaded = await loadConfig(env, flags)
    return loaded.ok ? loaded.value.config : loaded.error.map(({ message }) => message.replace(`${folder}/`, ''))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('an agent as release 0.9', () => {
  it('[UPG-056] speaks Raft protocol 2, reads any file and old options, takes any verb, doubles names of metrics, and tells all it is configured with under Config', async () => {
    const config = await configured('0.9.3')
    expect(config).toMatchObject({
      raft: { protocol: 2 },
      dns: { recursors: [{ host: '10.0.0.2', port: 53 }] },
      telemetry: { names: 'doubled', statsd: { host: '10.0.0.3', port: 8125 } },
    })
    expect(await configured('0.8.5')).toMatchObject({ raft: { protocol: 2 } })
    expect(await configured('1.0.0')).toEqual([
      expect.stringMatching(/^Missing or invalid file extension for .*agent\.conf/),
    ])
    const release = parseRelease('0.9.3')
    if (release === undefined) throw new Error('no release')
    const { target, stop } = await startSimulatedAgent('default', { release })
    try {
      expect((await ask(target, 'PUT /v1/status/leader', '')).status).toBe(200)
      const self = (await ask(target, 'GET /v1/agent/self')).json() as ExactObject
      expect(Object.keys(self)).not.toContain('DebugConfig')
      expect(self['Config']).toMatchObject({ Server: true })
      expect(Object.keys(self['Config'] as ExactObject).length).toBeGreaterThan(100)
    } finally {
      await stop()
    }
  })
})
