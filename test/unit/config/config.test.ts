import { describe, expect, it } from 'vitest'
import { problemText } from '../../../src/config/problem.ts'
import { parseDocument } from '../../../src/config/sources/document.ts'
import { validateDocument } from '../../../src/config/validate.ts'
import { linesOfConfig } from './normalized.ts'

function linesOf(text: string): readonly string[] {
  const document = parseDocument('a.json', text)
  if (!document.ok) return [problemText(document.error)]
  const validated = validateDocument(document.value)
  return validated.ok ? [] : validated.error.map(problemText)
}

describe('a configuration file', () => {
  it('of 30,000 unknown keys is refused in the time of reading it, with the first hundred named', () => {
    const keys = Array.from({ length: 30_000 }, (_, at) => `"tmetry.dogstatsd_tag${at}": true`)
    const lines = linesOf(`{${keys.join()}}`)
    expect(lines.length).toBe(101)
    expect(lines.at(-1)).toBe('a.json: 29900 more problems are not listed: correct those above first')
  })

  it('names an unknown key with its place and what was meant', () => {
    expect(linesOf('{\n  "server": true,\n  "data_dirr": "/x"\n}')).toEqual([
      "a.json:3:3: invalid config key data_dirr: did you mean 'data_dir'?",
    ])
    expect(linesOf('{"performance": {"raft_multiplyer": 1}}')).toEqual([
      "a.json:1:18: invalid config key performance.raft_multiplyer: did you mean 'raft_multiplier'?",
    ])
  })

  it('treats null as absent at every key; an unknown key is refused nevertheless', () => {
    const document = parseDocument(
      'a.json',
      '{"Segments": null, "ports": {"http": null, "dns": 1}, "server": null, "acl": null, "node_meta": {"a": null}, "connect": {"ca_config": {"cluster_id": null}}, "watches": [{"type": "nodes", "token": null}]}',
    )
    if (!document.ok) throw new Error(problemText(document.error))
    const validated = validateDocument(document.value)
    expect(validated.ok && validated.value.config).toEqual({
      ports: { dns: 1 },
      node_meta: {},
      connect: { ca_config: {} },
      watches: [{ type: 'nodes' }],
    })
    expect(linesOf('{"data_dirr": null}')[0]).toContain('invalid config key data_dirr')
    expect(linesOf('{"recursors": [null]}')[0]).toContain("'recursors.0' expected type 'string', got 'null'")
  })

  it('names a wrong type with both types', () => {
    expect(linesOf('{"server": "yes"}')).toEqual([
      "a.json:1:2: 'server' expected type 'boolean', got 'string': write a value of type boolean",
    ])
    expect(linesOf('{"ports": {"http": "8500"}}')[0]).toContain("'ports.http' expected type 'number', got 'string'")
  })

  it('refuses headers and aliases that HTTP cannot send', () => {
    const refused = 'write a name of letters, digits and dashes, and a value of one line in ASCII'
    expect(
      linesOf('{"http_config": {"response_headers": {"X-Good": "a, b", "X Bad": "", "X-Bad": "a\\r\\nb"}}}'),
    ).toEqual([
      `a.json:1:57: 'http_config.response_headers.X Bad' is not valid: ${refused}`,
      `a.json:1:70: 'http_config.response_headers.X-Bad' is not valid: ${refused}`,
    ])
    expect(linesOf('{"aliases": ["consul", "a:b"]}')).toEqual([
      "a.json:1:24: 'aliases.1' is not valid: write letters and digits, with dashes between",
    ])
    expect(linesOf('{"aliases": []}')).toEqual([])
  })

  it('gives one line for each problem', () => {
    expect(linesOf('{"a1": 1, "b1": 2, "server": 3}')).toHaveLength(3)
  })

  it('refuses what is not JSON, with line and column', () => {
    expect(linesOf('{\n  "server": true,\n}')[0]).toMatch(/^a\.json:3:1: not JSON: /)
    expect(linesOf('{ // a comment\n}')[0]).toContain('JSON has no comments')
    expect(linesOf('')[0]).toContain('not JSON')
    expect(linesOf('[1]')).toEqual(['a.json:1:1: a configuration is an object: write { … }'])
    expect(linesOf('{"server": true,\n"server": false}')[0]).toBe(
      'a.json:2:1: the key "server" stands twice: keep one of them',
    )
  })

  it('refuses lists without end, for whose depth a stack would not do, but not brackets in texts', () => {
    expect(linesOf(`{"services":\n${'['.repeat(200_000)}`)).toEqual([
      'a.json:2:64: lists and objects are nested too deep here: correct the file',
    ])
    expect(linesOf(`{"node_name": "${'['.repeat(70)}\\"${'{'.repeat(70)}", "server": true}`)).toEqual([])
  })

  it('looks at a text that is not closed once, however many quotes it has', () => {
    expect(linesOf(`{"node_name": "${'\\"'.repeat(500_000)}`)[0]).toContain('not JSON')
  })

  it('refuses an unknown key', () => {
    expect(linesOfConfig({ encrypt: '*bc=', data_dir: '/x' })[0]).toContain(
      'encrypt has invalid key: illegal base64 data at input byte 0',
    )
    expect(linesOfConfig({ encrypt: 'abcd', data_dir: '/x' })[0]).toContain(
      'encrypt has invalid key: key size must be 16, 24 or 32 bytes',
    )
  })

  it('refuses durations without a unit', () => {
    expect(linesOf('{"retry_interval": "30"}')[0]).toContain('missing unit in duration')
  })

  it('knows a key whatever the case of its letters, and tells where it stands; names that people choose stay', () => {
    const text =
      '{"Server": true, "PORTS": {"Http": 1, "htp": 2}, "Node_Meta": {"Rack": "r"}, "Services": [{"Name": 3}]}'
    expect(linesOf(text)).toEqual(["a.json:1:39: invalid config key ports.htp: did you mean 'http'?"])
    const document = parseDocument('a.json', text.replace(', "htp": 2', ''))
    const validated = document.ok ? validateDocument(document.value) : document
    expect(validated).toMatchObject({
      ok: true,
      value: { config: { server: true, ports: { http: 1 }, node_meta: { Rack: 'r' }, services: [{ Name: 3 }] } },
    })
    expect('value' in validated && validated.value.placeOf(['services', 0, 'Name'])).toBe('a.json:1:82')
    expect(linesOf('{"Server": true, "server": false}')).toEqual([
      "a.json:1:2: invalid config key Server: did you mean 'server'?",
    ])
    // Of two that mean one key, none is dropped without a word.
    expect(linesOf('{"Service": {"name": "a"}, "PORTS": {"HTTP": 1, "Http": 2}, "SERVICE": {"name": "b"}}')).toEqual([
      "a.json:1:49: invalid config key ports.Http: did you mean 'http'?",
      'a.json:1:61: invalid config key SERVICE: remove it',
    ])
    expect(linesOf('{"Server": null, "SERVER": true}')).toEqual([])
  })

  it.each([
    ['[CFG-031]', 'retry_join_ec2', "removed in 1.0, use retry_join with 'provider=…'"],
    ['[CFG-031]', 'retry_join_gce', "removed in 1.0, use retry_join with 'provider=…'"],
    ['[CFG-031]', 'retry_join_azure', "removed in 1.0, use retry_join with 'provider=…'"],
    ['[CFG-032]', 'addresses.rpc', 'removed in 1.0, commands talk HTTP: use ports.http'],
    ['[CFG-033]', 'ports.rpc', 'removed in 1.0, commands talk HTTP: use ports.http'],
    ['[CFG-034]', 'advertise_addrs', "removed in 1.0, use 'advertise_addr', 'advertise_addr_wan' and 'ports'"],
    ['[CFG-035]', 'http_api_response_headers', "removed in 1.0, use 'http_config.response_headers'"],
    ['[CFG-036]', 'recursor', "removed in 1.0, use 'recursors'"],
    ['[CFG-037]', 'statsd_addr', "removed in 1.0, use 'telemetry.statsd_address'"],
    ['[CFG-037]', 'statsite_addr', "removed in 1.0, use 'telemetry.statsite_address'"],
    ['[CFG-037]', 'dogstatsd_addr', "removed in 1.0, use 'telemetry.dogstatsd_addr'"],
    ['[CFG-038]', 'dogstatsd_tags', "removed in 1.0, use 'telemetry.dogstatsd_tags'"],
    ['[CFG-039]', 'statsite_prefix', "removed in 1.0, use 'telemetry.metrics_prefix'"],
    ['[CFG-039]', 'telemetry.statsite_prefix', "removed in 1.0, use 'telemetry.metrics_prefix'"],
    ['[CFG-039]', 'statsd_prefix', "removed in 1.0, use 'telemetry.metrics_prefix'"],
    ['[CFG-039]', 'telemetry.statsd_prefix', "removed in 1.0, use 'telemetry.metrics_prefix'"],
    ['[CFG-039]', 'dogstatsd_prefix', "removed in 1.0, use 'telemetry.metrics_prefix'"],
    ['[CFG-039]', 'telemetry.dogstatsd_prefix', "removed in 1.0, use 'telemetry.metrics_prefix'"],
    ['[CFG-040]', 'reap', 'removed in 0.7.1, remove it: as process 1 run the agent under an init process'],
    ['[CFG-041]', 'telemetry.enable_deprecated_names', 'removed in 1.1.0, remove it: old names of metrics are gone'],
  ])('%s names what is to be written for %s, which is gone', (_row, dotted, remedy) => {
    const [first = '', second] = dotted.split('.')
    const text = JSON.stringify({ [first]: second === undefined ? 1 : { [second]: 1 } })
    expect(linesOf(text)).toEqual([expect.stringMatching(/^a\.json:1:\d+: /)])
    expect(linesOf(text)[0]?.replace(/^\S+ /, '')).toBe(`invalid config key ${dotted}: ${remedy}`)
  })
})
