import { describe, expect, it } from 'vitest'
import { debugConfig } from '../../../src/config/debug.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import type { Machine } from '../../../src/env/process.ts'

const machine: Machine = {
  hostName: 'host-1',
  architecture: 'x64',
  operatingSystem: 'linux',
  cpuCount: 2,
  interfaces: () => [],
}

const base: FileConfig = { data_dir: '/d', bind_addr: '10.0.0.1' }
const files: FileConfig = { cert_file: '/c', key_file: '/k', ca_file: '/a', ports: { https: 8501 } }

function configOf(file: FileConfig) {
  const normalized = normalize({ ...base, ...file }, false, machine)
  if (!normalized.ok) throw new Error(normalized.error.map(problemText).join('\n'))
  const { config } = normalized.value
  return { ...config, debug: debugConfig(config) }
}

function problems(file: FileConfig): readonly string[] {
  const normalized = normalize({ ...base, ...file }, false, machine)
  return normalized.ok ? [] : normalized.error.map(problemText)
}

describe('TLS of the HTTP API', () => {
  it('is of version 1.2 at least, and older where that is said', () => {
    expect(configOf({}).tls).toMatchObject({ minVersion: 'tls12', cipherSuites: undefined, preferOwnOrder: false })
    for (const minVersion of ['tls10', 'tls11', 'tls12'] as const) {
      expect(configOf({ ...files, tls_min_version: minVersion }).tls.minVersion).toBe(minVersion)
    }
    expect(problems({ tls_min_version: 'tls13' })).toEqual([
      'config: TLSMinVersion: value tls13 not supported: please specify one of [tls10,tls11,tls12]',
    ])
  })

  it('has the suites that are named, in their order', () => {
    const named = 'TLS_RSA_WITH_AES_128_CBC_SHA, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'
    const { tls, debug } = configOf({ tls_cipher_suites: named, tls_prefer_server_cipher_suites: true })
    expect(tls).toMatchObject({ cipherSuites: ['AES128-SHA', 'ECDHE-RSA-AES256-GCM-SHA384'], preferOwnOrder: true })
    expect(debug).toMatchObject({ TLSMinVersion: 'tls12', TLSPreferServerCipherSuites: true })
    expect(problems({ tls_cipher_suites: 'TLS_RSA_WITH_AES_128_CBC_SHA,foo' })[0]).toMatch(
      /^config: tls_cipher_suites: invalid tls cipher suites: unsupported cipher "foo": write some of TLS_/,
    )
  })

  it('asks clients for certificates where verify_incoming or its part for HTTPS says so', () => {
    expect(configOf({ ...files, verify_incoming_https: true }).tls.verifyIncomingHttps).toBe(true)
    expect(configOf({ ...files, verify_incoming: true }).tls.verifyIncomingHttps).toBe(true)
    expect(configOf({ ...files, verify_incoming: true, verify_incoming_https: false }).tls.verifyIncomingHttps).toBe(
      true,
    )
    expect(configOf({ verify_incoming: true }).ports.https).toBe(-1)
    const { ca_file: _, ...withoutAuthority } = files
    expect(problems({ ...withoutAuthority, verify_incoming: true })).toEqual([
      'config: VerifyIncoming set, and no CA certificate provided!: name ca_file or ca_path',
    ])
  })
})

describe('TLS between agents', () => {
  const server: FileConfig = { server: true, ...files }

  it('is of a server asked for by verify_incoming or its part for RPC; a client takes no connections', () => {
    expect(configOf(server).tls.verifyIncomingRpc).toBe(false)
    expect(configOf({ ...server, verify_incoming: true }).tls.verifyIncomingRpc).toBe(true)
    expect(configOf({ ...server, verify_incoming_rpc: true }).tls).toMatchObject({
      verifyIncomingRpc: true,
      verifyIncomingHttps: false,
    })
    expect(configOf({ ...server, verify_incoming: true, verify_incoming_rpc: false }).tls.verifyIncomingRpc).toBe(true)
    expect(configOf({ ...files, verify_incoming: true }).tls.verifyIncomingRpc).toBe(false)
  })

  it('has outgoing connections verified, by the name of a server too, in the domain of the agent', () => {
    expect(configOf({ ...files, verify_outgoing: true }).tls).toMatchObject({
      verifyOutgoing: true,
      verifyServerHostname: false,
      domain: 'svc',
      serverName: undefined,
    })
    const { tls, debug } = configOf({
      ...files,
      domain: 'Example.com.',
      server_name: 's1.example.com',
      verify_server_hostname: true,
      ca_path: '/authorities',
    })
    expect(tls).toMatchObject({
      verifyOutgoing: true,
      verifyServerHostname: true,
      domain: 'example.com',
      serverName: 's1.example.com',
      authoritiesPath: '/authorities',
    })
    expect(debug).toMatchObject({
      CAPath: '/authorities',
      ServerName: 's1.example.com',
      VerifyIncoming: false,
      VerifyIncomingRPC: false,
      VerifyOutgoing: true,
      VerifyServerHostname: true,
    })
  })

  it.each<[string, FileConfig, readonly string[]]>([
    ['no authority for outgoing', { verify_outgoing: true }, ['VerifyOutgoing set, and no CA certificate provided!']],
    ['nor for names', { verify_server_hostname: true }, ['VerifyOutgoing set, and no CA certificate provided!']],
    [
      'nothing to take agents with',
      { server: true, verify_incoming: true },
      ['VerifyIncoming set, and no Cert/Key pair provided!', 'VerifyIncoming set, and no CA certificate provided!'],
    ],
    ['half a pair', { cert_file: '/c' }, ['cert_file and key_file go together']],
  ])('is refused with %s', (_, file, lines) => {
    const said = problems(file)
    expect(said).toHaveLength(lines.length)
    lines.forEach((line, at) => {
      expect(said[at]).toContain(`config: ${line}: name `)
    })
  })

  it.each<[string, FileConfig]>([
    ['a directory of authorities', { ca_path: '/a', verify_outgoing: true }],
    ['a client that takes nobody', { verify_incoming: true }],
    ['names that are empty', { cert_file: '', key_file: '', ca_file: '', ca_path: '', server_name: '' }],
  ])('is taken with %s', (_, file) => {
    expect(problems(file)).toEqual([])
  })
})

describe('sockets of the file system', () => {
  it('are given to a user and a group, with a mode in octal', () => {
    expect(configOf({}).unixSockets).toEqual({})
    const { unixSockets, debug } = configOf({ unix_sockets: { user: 'svc', group: '12', mode: '0770' } })
    expect(unixSockets).toEqual({ user: 'svc', group: 12, mode: 0o770 })
    expect(debug).toMatchObject({ UnixSocketGroup: '12', UnixSocketMode: '0770', UnixSocketUser: 'svc' })
  })

  it.each([
    [{ mode: '0999' }, 'unix_sockets.mode: invalid mode specified: 0999: write an octal number such as 0770'],
    [{ mode: 'rwx' }, 'unix_sockets.mode: invalid mode specified: rwx: write an octal number such as 0770'],
    [{ group: 'staff' }, 'unix_sockets.group "staff" is not a number: write the number of the group'],
  ])('are refused with %j', (unix_sockets, line) => {
    expect(problems({ addresses: { http: 'unix:///x' }, unix_sockets })).toEqual([`config: ${line}`])
  })
})

describe('discovery_max_stale', () => {
  it('is a duration, and nothing unless it is said', () => {
    expect(configOf({}).discoveryMaxStaleMs).toBe(0)
    const { discoveryMaxStaleMs, debug } = configOf({ discovery_max_stale: '15s' })
    expect([discoveryMaxStaleMs, debug['DiscoveryMaxStale']]).toEqual([15_000, '15s'])
  })
})
