import { describe, expect, it } from 'vitest'
import { parseDiscovery } from '../../../src/agent/pool/discovery/request.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'

function read(text: string): unknown {
  const request = parseDiscovery(text)
  return request.ok ? Object.fromEntries(request.value) : request.error
}

function linesOf(key: 'retry_join' | 'retry_join_wan', entry: string): readonly string[] {
  const machine = { hostName: 'a', architecture: 'x', operatingSystem: 'l', cpuCount: 1, interfaces: () => [] }
  const file = { data_dir: '/d', bind_addr: '10.0.0.1', [key]: [entry, '10.0.0.2'] }
  const normalized = normalize(file, false, machine)
  if (!normalized.ok) return normalized.error.map(problemText)
  const { config, warnings } = normalized.value
  const kept = key === 'retry_join' ? config.retryJoin : config.wan.retryJoin
  // Whatever is skipped, the agent starts, and joins at the address beside it.
  expect(kept.at(-1)).toMatch(/^10\.0\.0\.2:830[12]$/)
  return [...warnings.filter((line) => /discover|skipped/.test(line)), ...kept.slice(0, -1)]
}

describe('what a cloud is asked for', () => {
  it.each([
    ['provider=aws tag_key=consul tag_value=xx', { provider: 'aws', tag_key: 'consul', tag_value: 'xx' }],
    ['  provider = aws   tag_key\t=  a  ', { provider: 'aws', tag_key: 'a' }],
    ['provider=gce zone_pattern=us-.*?[x](y)|z', { provider: 'gce', zone_pattern: 'us-.*?[x](y)|z' }],
    ["provider=x a='b&c+d;e'", { provider: 'x', a: "'b&c+d;e'" }],
    ['provider=x a=b,c:d/e@f#g b={h}', { provider: 'x', a: 'b,c:d/e@f#g', b: '{h}' }],
  ])('[CFG-024 LIM-010] %s is literal', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  it.each([
    ['provider=x a="b c"', { provider: 'x', a: 'b c' }],
    [String.raw`provider=x a="b\"c\\d"`, { provider: 'x', a: String.raw`b"c\d` }],
    [String.raw`"pro\x76ider"="x" "a b"="\u00e9\U0001f600\101\n\t"`, { provider: 'x', 'a b': 'é😀A\n\t' }],
    ['provider=x a="" b="c=d"', { provider: 'x', a: '', b: 'c=d' }],
  ])('[CFG-025 LIM-010] %s is quoted, with escapes inside', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  it('[CFG-026 LIM-010 UPG-018] is not decoded as a URL is, in either pool', () => {
    expect(read('provider=aws tag_value=a%20b+c')).toEqual({ provider: 'aws', tag_value: 'a%20b+c' })
    for (const key of ['retry_join', 'retry_join_wan'] as const) {
      expect(linesOf(key, 'provider=a%77s')).toEqual([
        `config: ${key}: discover: unknown provider a%77s: the entry is skipped`,
      ])
    }
  })

  it.each([
    ['provider=x tag_key="a', 'tag_key: unbalanced quotes'],
    ['provider=x tag_key=a"b', 'tag_key: unbalanced quotes'],
    ['provider=x tag_key=a tag_key=b', 'tag_key: duplicate key'],
    ['provider=x tag_key', "tag_key: missing '='"],
    ['provider=x tag_key tag_value=y', "tag_key: missing '='"],
    ['provider=x tag_key=', 'tag_key: missing value'],
    ['provider=x tag_key= =', 'tag_key: missing value'],
    ['provider=x tag_key="a\\', 'tag_key: unterminated escape sequence'],
    ['provider=x tag_key="\\q"', 'tag_key: invalid escape sequence'],
    ['provider=x tag_key="\\U99999999"', 'tag_key: invalid escape sequence'],
    ['=x', "a key is missing before '='"],
  ])('%s is refused: %s', (text, why) => {
    expect(read(text)).toBe(why)
  })

  it.each([
    ['povider=aws secret_access_key=hunter2', 'discover: provider: missing key'],
    ['aws secret_access_key=hunter2', "discover: aws: missing '='"],
  ])('repeats no secret where the provider is misspelled: %s', (entry, why) => {
    expect(linesOf('retry_join', entry)).toEqual([`config: retry_join: ${why}: the entry is skipped`])
  })

  it('repeats no secret beside an address, which is skipped', () => {
    expect(linesOf('retry_join', '10.0.0.1:8301 hunter2')).toEqual([
      'config: retry_join: entry 1 is not an address: it is skipped',
    ])
  })

  it.each([
    ['provider=dns', 'provider dns: name: missing key'],
    ['provider=file path=""', 'provider file: path: missing key'],
    ['provider=dns name=a nmae=b', 'provider dns: unknown key nmae: it has name, port'],
    ['provider=exec command=/bin/servers', 'provider exec runs a program of this machine: set enable_retry_join_exec'],
  ])('%s cannot be asked: %s', (entry, why) => {
    const [line = '', ...others] = linesOf('retry_join', entry)
    expect([line.startsWith(`config: retry_join: discover: ${why}`), others]).toEqual([true, []])
  })

  it.each([
    'provider=dns name=servers.internal',
    'provider=file path=/etc/servers',
    'provider=k8s label_selector="a=b"',
  ])('%s stays for each attempt to ask', (entry) => {
    expect(linesOf('retry_join', entry)).toEqual([entry])
    expect(linesOf('retry_join_wan', entry)).toEqual([entry])
  })

  it.each([
    ['aws', 'a client of the API of Amazon EC2'],
    ['azure', 'a client of the API of Azure'],
    ['gce', 'a client of the API of Google Compute Engine'],
    ...['aliyun', 'digitalocean', 'os', 'packet', 'scaleway', 'softlayer', 'triton', 'vsphere'].map((name) => [
      name,
      'a client of the API of',
    ]),
  ])('names what asking %s takes, and keeps the secrets of the entry to itself', (name = '', needed = '') => {
    const [line = '', ...others] = linesOf('retry_join', `provider=${name} secret_access_key=hunter2`)
    expect(others).toEqual([])
    expect(line).toContain(`config: retry_join: discover: provider ${name} needs ${needed}`)
    expect(line).toContain('which this release does not have: the entry is skipped')
    expect(line).not.toContain('hunter2')
    expect(linesOf('retry_join', `provider=${name} secret_access_key="hunter2`).join()).not.toContain('hunter2')
  })
})
