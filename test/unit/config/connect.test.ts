import { describe, expect, it } from 'vitest'
import { debugConfig } from '../../../src/config/debug.ts'
import { configDifferences } from '../../../src/config/differences.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import type { Machine } from '../../../src/env/process.ts'
import { parseRelease } from '../../../src/model/release.ts'

const machine: Machine = {
  hostName: 'host-1',
  architecture: 'x64',
  operatingSystem: 'linux',
  cpuCount: 2,
  interfaces: () => [{ name: 'eth0', address: '10.0.0.1' }],
}

function read(given: FileConfig, dev = false, release?: string) {
  const as = release === undefined ? undefined : parseRelease(release)
  const normalized = normalize({ data_dir: '/d', bind_addr: '10.0.0.1', ...given }, dev, machine, undefined, as)
  if (!normalized.ok) throw new Error(normalized.error.map(problemText).join('\n'))
  return normalized.value
}

const meshOf = (...args: Parameters<typeof read>) => read(...args).config.mesh

describe('the mesh in the configuration', () => {
  it('is off where nothing is said, with the servers as its authority', () => {
    expect(meshOf({ server: true })).toEqual({
      enabled: false,
      provider: 'svc',
      options: { LeafCertTTL: '72h', RotationPeriod: '2160h' },
      clusterId: '',
      dnsDomain: 'svc',
      skewMs: 60_000,
      federates: true,
    })
  })

  it('has a switch for one mesh over several datacenters, and says how far clocks may be apart', () => {
    const written = { federation: false, clock_skew: '90s', ca_config: { csr_max_per_second: 200 } }
    const { config } = read({ connect: written })
    expect(config.mesh).toMatchObject({ federates: false, skewMs: 90_000, options: { CSRMaxPerSecond: 200 } })
    expect(debugConfig(config)).toMatchObject({ ConnectFederation: false, ConnectClockSkew: '1m30s' })
  })

  it.each([
    [{ clock_skew: '999ms' }, 'connect.clock_skew 999ms is not between 1s and 1h'],
    [{ clock_skew: '61m' }, 'connect.clock_skew 61m is not between 1s and 1h'],
    [{ ca_config: { csr_max_per_second: -1 } }, 'CSRMaxPerSecond -1 is neither 0 nor a number from 1 to 100000'],
    [{ ca_config: { csr_max_per_second: 'many' } }, 'CSRMaxPerSecond "many" is neither 0'],
    [{ ca_config: { csr_max_per_second: 0.5 } }, 'CSRMaxPerSecond 0.5 is neither 0'],
  ])('is refused with %j', (connect, why) => {
    expect(() => read({ connect })).toThrow(why)
  })

  it('says of a reload that neither is taken over before the next start', () => {
    const now = read({ connect: { enabled: true } })
    const next = read({ connect: { enabled: true, federation: false, clock_skew: '2m' } })
    const of = (connect: FileConfig['connect'], { config }: typeof now) => ({ file: { connect }, config })
    const started = of({ enabled: true }, now)
    expect(
      configDifferences(started, started, of({ enabled: true, federation: false, clock_skew: '2m' }, next)),
    ).toEqual([
      { text: 'connect.clock_skew has changed: restart to apply', applied: false },
      { text: 'connect.federation has changed: restart to apply', applied: false },
    ])
  })

  it('is on where that is said, on a client too, and with -dev unless it is said otherwise', () => {
    expect(meshOf({ connect: { enabled: true } }).enabled).toBe(true)
    expect(meshOf({ data_dir: '' }, true).enabled).toBe(true)
    expect(meshOf({ data_dir: '', connect: { enabled: false } }, true).enabled).toBe(false)
  })

  it('is not there in a release before it, with -dev neither', () => {
    expect(meshOf({ data_dir: '' }, true, '1.1.0').enabled).toBe(false)
    expect(meshOf({ data_dir: '' }, true, '1.2.0').enabled).toBe(true)
  })

  it('takes options in any case of letters, with underscores or without, beside the defaults of the rest', () => {
    const options = { LeafCertTTL: '48h', RotationPeriod: '100h', PrivateKey: 'key', RootCert: 'root' }
    for (const written of [
      { leaf_cert_ttl: '48h', rotation_period: '100h', private_key: 'key', root_cert: 'root' },
      options,
      { LEAF_CERT_TTL: '48h', rotationperiod: '100h', privateKey: 'key', Root_Cert: 'root' },
    ]) {
      expect(meshOf({ connect: { ca_config: written } }).options).toEqual(options)
    }
    expect(meshOf({ connect: { ca_config: { leaf_cert_ttl: '1h' } } }).options).toEqual({
      LeafCertTTL: '1h',
      RotationPeriod: '2160h',
    })
  })

  it('knows the built-in provider by aliases, too, and gives vault its own options alone', () => {
    expect(meshOf({ connect: { ca_provider: 'consul' } }).provider).toBe('svc')
    expect(meshOf({ names: 'consul', connect: { ca_provider: 'consul' } }).provider).toBe('consul')
    expect(meshOf({ names: 'consul', aliases: ['svc'], connect: { ca_provider: 'svc' } }).provider).toBe('consul')
    for (const [more, given] of [
      [{ aliases: [] }, 'consul'],
      [{ names: 'consul' }, 'svc'],
    ] satisfies readonly (readonly [FileConfig, string])[])
      expect(() => read({ ...more, connect: { ca_provider: given } })).toThrow(`${given} is not a valid CA provider`)
    const vault = {
      token: 't',
      root_pki_path: 'r',
      intermediate_pki_path: 'i',
      address: 'http://v',
      leaf_cert_ttl: '2h',
    }
    expect(meshOf({ connect: { ca_provider: 'vault', ca_config: { ...vault, rotation_period: '1h' } } })).toMatchObject(
      {
        provider: 'vault',
        options: { Token: 't', RootPKIPath: 'r', IntermediatePKIPath: 'i', Address: 'http://v', LeafCertTTL: '2h' },
      },
    )
  })

  it('takes a cluster ID in lower case, which is no option of the provider', () => {
    const id = '11111111-2222-3333-4444-ABCDEFABCDEF'
    const mesh = meshOf({ connect: { ca_config: { cluster_id: id } } })
    expect(mesh.clusterId).toBe(id.toLowerCase())
    expect(mesh.options).not.toHaveProperty('ClusterID')
  })

  it('is of the domain that DNS answers for', () => {
    expect(meshOf({ domain: 'Example.ORG.' }).dnsDomain).toBe('example.org')
  })

  it('leaves out options that its provider does not have, and says so without their values', () => {
    const { config, warnings } = read({ connect: { ca_config: { private_kee: 'secret', token: 'secret' } } })
    expect(config.mesh.options).toEqual({ LeafCertTTL: '72h', RotationPeriod: '2160h' })
    const told = warnings.filter((line) => line.startsWith('connect.ca_config'))
    expect(told).toEqual([
      'connect.ca_config: private_kee is not an option of svc, and has no effect',
      'connect.ca_config: Token is not an option of svc, and has no effect',
    ])
  })

  it('hides its key and its token where it is shown', () => {
    const key = debugConfig(read({ connect: { enabled: true, ca_config: { private_key: 'secret' } } }).config)
    expect(key).toMatchObject({
      ConnectEnabled: true,
      ConnectCAProvider: 'svc',
      ConnectCAConfig: { LeafCertTTL: '72h', RotationPeriod: '2160h', PrivateKey: 'hidden' },
    })
    const vault = { token: 'secret', root_pki_path: 'r', intermediate_pki_path: 'i' }
    const token = debugConfig(read({ connect: { ca_provider: 'vault', ca_config: vault } }).config)
    expect(token).toMatchObject({ ConnectCAProvider: 'vault', ConnectCAConfig: { Token: 'hidden', RootPKIPath: 'r' } })
    expect(JSON.stringify([key, token])).not.toContain('secret')
  })

  it('knows the options of TLS of vault, and refuses what its provider would refuse', () => {
    const vault = { token: 'secret', root_pki_path: 'r', intermediate_pki_path: 'i' }
    const tls = { ca_file: '/ca.pem', tls_server_name: 'vault', tls_skip_verify: true, private_key_bits: 384 }
    const written = { ...vault, ...tls, address: 'https://vault.internal:8200' }
    expect(meshOf({ connect: { ca_provider: 'vault', ca_config: written } }).options).toEqual({
      Token: 'secret',
      RootPKIPath: 'r',
      IntermediatePKIPath: 'i',
      Address: 'https://vault.internal:8200',
      CAFile: '/ca.pem',
      TLSServerName: 'vault',
      TLSSkipVerify: true,
      PrivateKeyBits: 384,
    })
    const wrong = { connect: { ca_provider: 'vault', ca_config: { ...vault, address: 'vault.internal' } } }
    expect(() => read(wrong)).toThrow(/Address must be such as https:\/\/vault.internal:8200/)
    const within = { connect: { ca_provider: 'vault', ca_config: { ...vault, intermediate_pki_path: 'r/i' } } }
    expect(() => read(within)).toThrow(/neither within the other/)
  })

  it('is not changed by a reload, which says what changes it', () => {
    const started = read({ server: true })
    const next = read({ server: true, connect: { enabled: true, ca_config: { private_key: 'secret' } } })
    expect(configDifferences(started, started, next)).toEqual([
      {
        text: 'connect.ca_config has changed: it counts only at the first start of the mesh: use svc connect ca set-config',
        applied: false,
      },
      { text: 'connect.enabled has changed: restart to apply', applied: false },
    ])
  })
})
