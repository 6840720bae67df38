import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from './answered-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('svc validate', () => {
  it("[CLI-006] says whether files and directories hold an agent's configuration", async () => {
    const path = join(folder, 'a.json')
    writeFileSync(path, '{"data_dir": "/x", "bind_addr": "10.0.0.1", "service": {"name": "web"}}')
    for (const named of [path, folder]) {
      expect(await run(['validate', named])).toMatchObject({ code: 0, out: 'Configuration is valid!\n' })
    }
    expect(await run(['validate', '-quiet', path])).toMatchObject({ code: 0, out: '' })
    writeFileSync(path, '{"data_dir": "/x", "bind_addr": "10.0.0.1", "service": {"name": ""}}')
    const bad = await run(['validate', path])
    expect(bad.code).toBe(1)
    expect(bad.error).toMatch(/^Config validation failed: .*a\.json:1:\d+: service: Missing service name\n$/)
  })

  it('refuses what a start with the same file refuses', async () => {
    const path = join(folder, 'a.json')
    for (const [more, why] of [
      [{ log_level: 'ZZZ' }, 'Invalid log level: ZZZ'],
      [{ node_id: 'x' }, 'node_id "x" is not a UUID'],
      [{ protocol: 9 }, "Protocol version '9' too high"],
      [{ acl: { default_policy: 'maybe' } }, 'Unsupported default ACL policy: maybe'],
      [{ encrypt: 'YQ==' }, 'key size must be 16, 24 or 32 bytes'],
      [{ check: { name: 'a', args: ['true'], interval: '10s' } }, 'Scripts are disabled on this agent'],
    ] as const) {
      writeFileSync(path, JSON.stringify({ data_dir: '/x', bind_addr: '10.0.0.1', ...more }))
      const { code, error } = await run(['validate', path])
      expect([code, error.includes(why)], error).toEqual([1, true])
    }
  })

  it('says in one line what is wrong, whatever the file holds, and what is not there at all', async () => {
    const path = join(folder, 'a.hcl')
    for (const text of [
      'a = <<E\nx\n',
      'a = [<<E\nx\nE\n{',
      '<<E\nx\nE\n = 1',
      '"a\\nb" <<E\nx\nE\n',
      'a = 1 <<E\nx\nE\n',
    ]) {
      writeFileSync(path, text)
      expect((await run(['validate', path])).error, text).toMatch(/^Config validation failed: [^\n]*not HCL[^\n]*\n$/)
    }
    for (const missing of ['none', 'none.hcl']) {
      const { code, error } = await run(['validate', join(folder, missing)])
      expect(code).toBe(1)
      expect(error).toBe(
        `Config validation failed: config: Open failed on ${join(folder, missing)}: no such file or directory\n`,
      )
    }
  })

  it.each([
    [{ acl: { default_policy: 'maybe' } }, 'Unsupported default ACL policy: maybe'],
    [{ tls_min_version: 'tls13' }, 'TLSMinVersion: value tls13 not supported'],
    [{ raft_protocol: 9 }, 'Protocol version 9 must be >= 1 and <= 3'],
    [{ protocol: 9 }, "Protocol version '9' too high"],
    [{ log_level: 'ZZZ' }, 'Invalid log level: ZZZ'],
    [{ node_id: 'x' }, 'node_id "x" is not a UUID'],
    [{ check: { name: 'c', ttl: '1s', service_id: 'nope' } }, 'ServiceID "nope" does not exist'],
    [{ watches: [{ type: 'foo', args: ['x'] }] }, 'Unsupported watch type: foo'],
    [{ encrypt: 'abcd' }, 'key size must be 16, 24 or 32 bytes'],
    [{ ca_file: 'FILE' }, 'ca_file'],
  ])('[CLI-006] finds what the field finds only at the start: %j', async (config, line) => {
    const path = join(folder, 'a.json')
    const text = JSON.stringify({ data_dir: '/x/y/z', bind_addr: '10.0.0.1', ...config })
    writeFileSync(path, text.replace('FILE', path))
    const { code, error } = await run(['validate', path])
    expect([code, error]).toEqual([1, expect.stringContaining(line)])
    expect(error).toMatch(/^Config validation failed: /)
  })

  it('tells where a mistake of TLS stands, in the configuration and in the files that it names', async () => {
    const path = join(folder, 'a.json')
    const validate = async (config: object): Promise<string> => {
      writeFileSync(path, JSON.stringify({ data_dir: '/x/y/z', bind_addr: '10.0.0.1', ...config }))
      return (await run(['validate', path])).error.replaceAll(folder, '')
    }
    expect(await validate({ server: true, verify_incoming: true, ca_file: path })).toBe(
      'Config validation failed: /a.json:1:59: VerifyIncoming set, and no Cert/Key pair provided!: name cert_file and key_file\n',
    )
    expect(await validate({ ca_file: path })).toBe(
      `Config validation failed: /a.json:1:45: ca_file /a.json holds no certificate: name a PEM file with a BEGIN CERTIFICATE line\n`,
    )
    const pem = join(folder, 'a.pem')
    writeFileSync(
      pem,
      '-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n',
    )
    expect(await validate({ cert_file: pem, key_file: pem })).toMatch(
      /^Config validation failed: \/a\.json:1:45: TLS cannot be used: .*: correct cert_file, key_file and ca_file/,
    )
    expect(await validate({ ca_file: pem })).toMatch(/^Config validation failed: \/a\.json:1:45: TLS cannot be used: /)
    expect(await validate({ tls_cipher_suites: 'x' })).toMatch(/^Config validation failed: \/a\.json:1:45: tls_cipher/)
  })

  it('says of keys whose part is not there yet that they have no effect, unless it is to be quiet', async () => {
    const path = join(folder, 'a.hcl')
    writeFileSync(path, 'data_dir = "/x"\nbind_addr = "10.0.0.1"\nports { grpc = 8502 }\n')
    const said = `${path}:3:9: 'ports.grpc' has no effect yet: it waits for gRPC\n`
    expect(await run(['validate', path])).toMatchObject({ code: 0, out: 'Configuration is valid!\n', error: said })
    expect(await run(['validate', '-quiet', path])).toMatchObject({ code: 0, out: '', error: '' })
  })

  it('says which keys of access control say otherwise than those that hold', async () => {
    const path = join(folder, 'a.hcl')
    const acl = 'acl {\n  default_policy = "deny"\n}\nacl_default_policy = "allow"\n'
    writeFileSync(path, `data_dir = "/x"\nbind_addr = "10.0.0.1"\n${acl}`)
    const said = `${path}:6:1: 'acl_default_policy' says "allow", but 'acl.default_policy' says "deny", which counts\n`
    expect(await run(['validate', path])).toMatchObject({ code: 0, out: 'Configuration is valid!\n', error: said })
  })

  it('refuses HCL that ends before a value, with its place', async () => {
    const path = join(folder, 'a.hcl')
    writeFileSync(path, 'data_dir = "/x"\nbind_addr =')
    expect((await run(['validate', path])).error).toBe(
      `Config validation failed: ${path}:2:11: not HCL: no value stands after 'bind_addr =': correct the file\n`,
    )
  })

  it.each([
    [{ segments: [{ name: 'x' }] }, 'in this version of Consul: leave it out'],
    [{ node_meta: { 'consul-x': '1' } }, "Key prefix 'consul-' is reserved for internal use"],
    [{ encrypt: '!!' }, 'make one with consul keygen'],
    [{ connect: { enabled: true, ca_provider: 'foo' } }, 'write consul or vault'],
    [{ watches: [{ type: 'foo', args: ['x'] }] }, 'see the types of consul watch -help'],
  ])('judges by the name that it was started as, as the agent does: %j', async (config, line) => {
    const path = join(folder, 'a.json')
    writeFileSync(path, JSON.stringify({ data_dir: '/x', bind_addr: '10.0.0.1', ...config }))
    const { code, error } = await run(['validate', path], {}, 'consul')
    expect(code).toBe(1)
    expect(error).toContain(line)
    expect(error.replace(folder, '')).not.toMatch(/svc/i)
  })

  it('prints the JSON Schema of what it reads', async () => {
    const { code, out } = await run(['validate', '-schema'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ type: 'object', properties: { log_level: { type: 'string' } } })
  })

  it('reads files of any name as what -config-format says', async () => {
    const path = join(folder, 'a.conf')
    writeFileSync(path, 'data_dir = "/x"\nbind_addr = "10.0.0.1"\n')
    expect(await run(['validate', '-config-format=hcl', path])).toMatchObject({ code: 0, error: '' })
    expect((await run(['validate', '-config-format', 'json', path])).error).toMatch(/a\.conf:1:1: not JSON/)
    expect(await run(['validate', '-config-format=yaml', path])).toMatchObject({
      code: 1,
      error: "Config validation failed: -config-format: -config-format must be either 'hcl' or 'json'\n",
    })
  })

  it('[CLI-007] no longer takes the flags of the agent', async () => {
    for (const flag of ['-config-file=x', '-config-dir=x']) {
      const { code, error } = await run(['validate', flag])
      expect({ code, line: error.split('\n')[0] }).toEqual({
        code: 1,
        line: `flag provided but not defined: ${flag.slice(0, -2)}`,
      })
    }
  })
})
