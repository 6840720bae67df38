import { describe, expect, it } from 'vitest'
import { problemText } from '../../../src/config/problem.ts'
import { parseDocument } from '../../../src/config/sources/document.ts'
import { validateDocument } from '../../../src/config/validate.ts'
import { parseRelease } from '../../../src/model/release.ts'

/** What an agent of that release makes of a file: its settings and warnings, or what is wrong. */
function readBy(release: string, config: unknown) {
  const document = parseDocument('f.json', `\n${JSON.stringify(config)}`)
  if (!document.ok) throw new Error(problemText(document.error))
  const validated = validateDocument(document.value, parseRelease(release))
  if (!validated.ok) return { wrong: validated.error.map(problemText) }
  return { config: validated.value.config, warnings: validated.value.warnings }
}

const until: readonly (readonly [name: string, last: string, first: string, given: unknown, read: unknown])[] = [
  ['reap', '0.7.0', '1.0.0', { reap: true }, {}],
  ['addresses.rpc', '0.9.3', '1.0.0', { addresses: { rpc: '127.0.0.1' } }, { addresses: {} }],
  ['ports.rpc', '0.9.3', '1.0.0', { ports: { rpc: 8400, http: 8501 } }, { ports: { http: 8501 } }],
  [
    'retry_join_ec2',
    '0.9.3',
    '1.0.0',
    { retry_join: ['10.0.0.1'], retry_join_ec2: { region: 'eu-1', tag_key: 'role', tag_value: 'a "b"' } },
    { retry_join: ['10.0.0.1', 'provider=aws region=eu-1 tag_key=role tag_value="a \\"b\\""'] },
  ],
  [
    'retry_join_gce',
    '0.9.3',
    '1.0.0',
    { retry_join_gce: { tag_value: 'v' } },
    { retry_join: ['provider=gce tag_value=v'] },
  ],
  [
    'retry_join_azure',
    '0.9.3',
    '1.0.0',
    { retry_join_azure: { tag_name: 'n', tag_value: 'v' } },
    { retry_join: ['provider=azure tag_name=n tag_value=v'] },
  ],
  [
    'advertise_addrs',
    '0.9.3',
    '1.0.0',
    { advertise_addrs: { serf_lan: '10.0.0.7:8301', serf_wan: '192.0.2.7:8302', rpc: '10.0.0.7:8300' } },
    { advertise_addr: '10.0.0.7', advertise_addr_wan: '192.0.2.7' },
  ],
  [
    'http_api_response_headers',
    '0.9.3',
    '1.0.0',
    { http_api_response_headers: { 'X-A': 'b' } },
    { http_config: { response_headers: { 'X-A': 'b' } } },
  ],
  [
    'recursor',
    '0.9.3',
    '1.0.0',
    { recursor: '10.0.0.2', recursors: ['10.0.0.1'] },
    { recursors: ['10.0.0.1', '10.0.0.2'] },
  ],
  ['statsd_addr', '0.9.3', '1.0.0', { statsd_addr: 'h:1' }, { telemetry: { statsd_address: 'h:1' } }],
  ['statsite_addr', '0.9.3', '1.0.0', { statsite_addr: 'h:1' }, { telemetry: { statsite_address: 'h:1' } }],
  ['statsite_prefix', '0.9.3', '1.0.0', { statsite_prefix: 'p' }, { telemetry: { metrics_prefix: 'p' } }],
  ['statsd_prefix', '0.9.3', '1.0.0', { statsd_prefix: 'p' }, { telemetry: { metrics_prefix: 'p' } }],
  ['dogstatsd_prefix', '0.9.3', '1.0.0', { dogstatsd_prefix: 'p' }, { telemetry: { metrics_prefix: 'p' } }],
  [
    'telemetry.statsd_prefix',
    '0.9.3',
    '1.0.0',
    { telemetry: { statsd_prefix: 'p' } },
    { telemetry: { metrics_prefix: 'p' } },
  ],
  [
    'telemetry.dogstatsd_prefix',
    '0.9.3',
    '1.0.0',
    { telemetry: { dogstatsd_prefix: 'p' } },
    { telemetry: { metrics_prefix: 'p' } },
  ],
  ['dogstatsd_addr', '0.9.3', '1.0.0', { dogstatsd_addr: 'h:1' }, { telemetry: { dogstatsd_addr: 'h:1' } }],
  ['dogstatsd_tags', '0.9.3', '1.0.0', { dogstatsd_tags: ['a'] }, { telemetry: { dogstatsd_tags: ['a'] } }],
  [
    'telemetry.statsite_prefix',
    '0.9.3',
    '1.0.0',
    { telemetry: { statsite_prefix: 'p' } },
    { telemetry: { metrics_prefix: 'p' } },
  ],
  [
    'telemetry.enable_deprecated_names',
    '1.0.7',
    '1.1.0',
    { telemetry: { enable_deprecated_names: true } },
    { telemetry: {}, past: { deprecatedMetricNames: true } },
  ],
  ...['atlas_infrastructure', 'atlas_token', 'atlas_acl_token', 'atlas_join', 'atlas_endpoint'].map(
    (name) => [name, '0.9.3', '1.0.0', { [name]: 'x' }, {}] as const,
  ),
]

const requirements: Readonly<Record<string, string>> = {
  advertise_addrs: '[UPG-015] [UPG-017]',
  dogstatsd_prefix: '[UPG-015] [UPG-016]',
  statsd_prefix: '[UPG-015] [UPG-016]',
  statsite_prefix: '[UPG-015] [UPG-016]',
  'telemetry.dogstatsd_prefix': '[UPG-015] [UPG-016]',
  'telemetry.statsd_prefix': '[UPG-015] [UPG-016]',
  'telemetry.statsite_prefix': '[UPG-015] [UPG-016]',
  reap: '[UPG-031]',
}

describe('an option that was removed', () => {
  const named = until.map(([name, ...rest]) => [requirements[name] ?? '[UPG-015]', name, ...rest] as const)
  it.each(named)('%s %s is read by %s, with a warning, and refused by %s', (_, name, last, first, given, read) => {
    const before = readBy(last, given)
    expect(before.config).toEqual(read)
    expect(before.warnings).toEqual([expect.stringMatching(new RegExp(`^f\\.json:2:\\d+: '${name}' `))])
    expect(readBy(first, given).wrong).toEqual([expect.stringContaining(`invalid config key ${name}: removed in `)])
    expect(readBy('1.4.0', given).wrong).toHaveLength(1)
  })

  it.each(['0.7.1', '0.9.3'])('[UPG-031] reap means nothing to %s, as any key that it does not know', (release) => {
    const { config, warnings } = readBy(release, { reap: true })
    expect(config).toEqual({})
    expect(warnings).toEqual(['f.json:2:2: invalid config key reap: it is read past'])
  })

  it('is read past within an item of a list, too, of which the rest counts', () => {
    const watches = [{ type: 'nodes', args: ['a'], odd: 1 }, { type: 'services', args: ['b'] }, { odder: 2 }]
    const { config, warnings } = readBy('0.9.3', { watches })
    expect(config).toEqual({ watches: [{ type: 'nodes', args: ['a'] }, { type: 'services', args: ['b'] }, {}] })
    expect(warnings?.map((line) => line.replace(/^f\.json:2:\d+: /, ''))).toEqual([
      'invalid config key watches.0.odd: it is read past',
      'invalid config key watches.2.odder: it is read past',
    ])
  })

  it('is read whatever the case of its letters, and its own new name counts before it', () => {
    const given = { STATSD_ADDR: 'old:1', telemetry: { statsd_address: 'new:1' } }
    expect(readBy('0.9.3', given).config).toEqual({ telemetry: { statsd_address: 'new:1' } })
  })

  it('that came with the mesh is unknown to a release before it: refused since 1.0, read past before', () => {
    const given = { connect: { enabled: true, ca_config: { leaf_cert_ttl: '48h' } } }
    expect(readBy('1.2.0', given).config).toEqual(given)
    expect(readBy('1.1.0', given).wrong).toEqual([
      expect.stringContaining('invalid config key connect.ca_config: it was introduced in 1.2.0'),
      expect.stringContaining('invalid config key connect.enabled: it was introduced in 1.2.0'),
    ])
    expect(readBy('0.9.3', given).warnings).toHaveLength(2)
    expect(readBy('0.9.3', given).config).toEqual({ connect: {} })
  })

  it('stands where it is written, also where what it says is wrong', () => {
    expect(readBy('0.9.3', { statsd_addr: 7 }).wrong).toEqual([
      "f.json:2:2: 'telemetry.statsd_address' expected type 'string', got 'number': write a value of type string",
    ])
  })
})

describe('a key that is not known', () => {
  it('is read past with a warning before 1.0, and refused since', () => {
    const given = { no_such_key: 1, ports: { nor_this: 2, http: 8501 } }
    const before = readBy('0.9.3', given)
    expect(before.config).toEqual({ ports: { http: 8501 } })
    expect(before.warnings).toEqual([
      expect.stringContaining('invalid config key ports.nor_this: it is read past'),
      'f.json:2:2: invalid config key no_such_key: it is read past',
    ])
    expect(readBy('1.0.0', given).wrong).toHaveLength(2)
  })

  it.each([
    ['0.9.0', { discovery_max_stale: '5s' }, 'discovery_max_stale', '1.0.7'],
    ['0.6.4', { performance: { raft_multiplier: 3 } }, 'performance.raft_multiplier', '0.7.0'],
  ])('because it came later than %s is read past as well: %j', (release, given, name, since) => {
    const [top = ''] = name.split('.')
    expect(readBy(release, given).warnings).toEqual([
      expect.stringMatching(new RegExp(`${name}: it was introduced in ${since}, and is ignored$`)),
    ])
    expect(JSON.stringify(readBy(release, given).config)).toBe(name === top ? '{}' : `{"${top}":{}}`)
  })

  it.each([
    ['1.0.6', { discovery_max_stale: '5s' }, 'discovery_max_stale', '1.0.7'],
    ['1.2.3', { ports: { grpc: 8502 } }, 'ports.grpc', '1.3.0'],
    ['1.3.1', { acl: { enabled: true } }, 'acl.enabled', '1.4.0'],
  ])('because it came later than %s is refused from 1.0 on: %j', (release, given, name, since) => {
    expect(readBy(release, given).wrong).toEqual([
      expect.stringContaining(`invalid config key ${name}: it was introduced in ${since}`),
    ])
    expect(readBy(since, given).wrong).toBeUndefined()
  })

  it.each([
    [{ dogstatsd_tags: 5, telemetry: { dogstatsd_tags: ['a'] } }, "'telemetry.dogstatsd_tags' expected type 'array'"],
    [{ dogstatsd_tags: 'a', telemetry: { dogstatsd_tags: ['a'] } }, "'telemetry.dogstatsd_tags' expected type 'array'"],
    [{ statsd_addr: 'a:1', telemetry: 5 }, "'telemetry' expected type 'object', got 'number'"],
  ])('is refused where what it says, or the block that it belongs to, is of the wrong type: %j', (given, wrong) => {
    expect(readBy('0.9.3', given).wrong).toEqual([expect.stringContaining(wrong)])
  })

  it('says to releases before 0.8.0 where the port of the command line is, which later ones do not have', () => {
    const given = { ports: { rpc: 18400, http: 8501 }, addresses: { rpc: '127.0.0.2' } }
    expect(readBy('0.7.4', given)).toEqual({
      config: { ports: { http: 8501 }, addresses: {}, past: { cliRpcPort: 18400, cliRpcAddress: '127.0.0.2' } },
      warnings: [],
    })
    const later = ['f.json:2:11', 'f.json:2:49'].map((place) => expect.stringContaining(place))
    expect(readBy('0.8.0', given).warnings?.toSorted()).toEqual(later)
    expect(readBy('0.7.4', { ports: { rpc: 'x' } })).toEqual({
      wrong: ["f.json:2:11: 'ports.rpc' is not valid: write a port from 1 to 65535, or -1 for none"],
    })
    expect(readBy('0.7.4', { addresses: { rpc: 1 } })).toEqual({
      wrong: ["f.json:2:15: 'addresses.rpc' is not valid: write an address"],
    })
  })
})
