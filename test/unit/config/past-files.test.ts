import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { problemText } from '../../../src/config/problem.ts'
import { createHostEnv } from '../../../src/host/env.ts'

const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-past-'))
  mkdirSync(join(folder, 'd'))
  writeFileSync(join(folder, 'x.conf'), '{"node_name": "conf"}')
  writeFileSync(join(folder, 'x.hcl'), '{"node_name": "hcl"}')
  writeFileSync(join(folder, 'd', 'a.json'), '{"node_name": "json", "datacenter": "json"}')
  writeFileSync(join(folder, 'd', 'b.hcl'), 'node_name = "hcl"')
  writeFileSync(join(folder, 'd', 'c.conf'), 'node_name = "conf"')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The name of the node, or what is wrong. */
async function loaded(release: string, ...more: readonly (readonly [string, boolean | string | readonly string[]])[]) {
  const flags = new Map([['dev', true] as const, ['release', release] as const, ...more])
  const read = await loadConfig(env, flags)
  if (!read.ok) return read.error.map(problemText).join('\n').replaceAll(`${folder}/`, '')
  return read.value.config.nodeName
}

describe('the name of a configuration file', () => {
  it('[UPG-014] says nothing before 1.0, must say what the file is in 1.0.0, and need not with -config-format', async () => {
    const file = ['config-file', [join(folder, 'x.conf')]] as const
    expect(await loaded('0.9.3', file)).toBe('conf')
    expect(await loaded('1.0.0', file)).toBe(
      '-config-file: Missing or invalid file extension for "x.conf": Please use ".json" or ".hcl"',
    )
    expect(await loaded('1.0.1', file)).toMatch(/^-config-file: x\.conf ends in neither \.json nor \.hcl: /)
    const format = ['config-format', 'json'] as const
    expect(await loaded('1.0.1', file, format)).toBe('conf')
    expect(await loaded('1.0.0', file, format)).toBe(
      '-config-format: flag provided but not defined: -config-format: it was introduced in 1.0.1',
    )
  })

  it('is that of JSON in a directory before 1.0, and of HCL as well since', async () => {
    const directory = ['config-dir', [join(folder, 'd')]] as const
    expect(await loaded('0.9.3', directory)).toBe('json')
    expect(await loaded('1.0.0', directory)).toBe('hcl')
  })

  it('does not make HCL of a file before 1.0', async () => {
    writeFileSync(join(folder, 'y.hcl'), 'node_name = "y"')
    expect(await loaded('0.9.3', ['config-file', [join(folder, 'x.hcl')]])).toBe('hcl')
    expect(await loaded('0.9.3', ['config-file', [join(folder, 'y.hcl')]])).toMatch(/^y\.hcl:1:1: not JSON/)
    expect(await loaded('1.0.0', ['config-file', [join(folder, 'y.hcl')]])).toBe('y')
  })
})

describe('a flag', () => {
  it.each([
    ['hcl', ['node_name = "x"'], '0.9.3', '1.0.0'],
    ['enable-script-checks', true, '0.8.5', '0.9.0'],
    ['enable-local-script-checks', true, '1.2.3', '1.3.0'],
  ] as const)('-%s %j is not defined for %s, but for %s', async (name, value, before, since) => {
    expect(await loaded(before, [name, value])).toBe(
      `-${name}: flag provided but not defined: -${name}: it was introduced in ${since}`,
    )
    expect(await loaded(since, [name, value])).not.toMatch(/not defined/)
  })
})
