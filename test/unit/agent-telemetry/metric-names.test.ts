import { describe, expect, it } from 'vitest'
import { spellingsOf } from '../../../src/agent/telemetry/telemetry.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { parseDocument } from '../../../src/config/sources/document.ts'
import { validateDocument } from '../../../src/config/validate.ts'
import { parseRelease } from '../../../src/model/release.ts'

const machine = { hostName: 'm', architecture: 'x64', operatingSystem: 'linux', cpuCount: 1, interfaces: () => [] }
const groups = 'acl autopilot catalog fsm health http kvs leader prepared-query rpc session session_ttl txn'.split(' ')

/** Under which names an agent of that release tells of these metrics, or what is wrong with its file. */
function told(release: string, telemetry: object, names: readonly string[]): readonly string[] {
  const text = JSON.stringify({ data_dir: '/data', bind_addr: '10.0.0.1', telemetry })
  const document = parseDocument('f.json', text)
  const read = document.ok ? validateDocument(document.value, parseRelease(release)) : document
  if (!read.ok) return [read.error].flat().map(({ message }) => message)
  const whole = normalize(read.value.config, false, machine, undefined, parseRelease(release))
  if (!whole.ok) return whole.error.map(({ message }) => message)
  const { telemetry: config } = whole.value.config
  return names.flatMap((name) => spellingsOf(name, config)).map((name) => `${config.prefix}.${name}`)
}

describe('names of metrics by release', () => {
  it.each(groups)('[UPG-023] %s: twice the name of the product before 1.0, once since', (group) => {
    expect(told('0.9.3', {}, [`${group}.x`])).toEqual([`svc.svc.${group}.x`])
    expect(told('1.0.0', {}, [`${group}.x`])).toEqual([`svc.${group}.x`])
    expect(told('1.4.0', {}, [`${group}.x`])).toEqual([`svc.${group}.x`])
  })

  it('of other groups have always been as they are', () => {
    const names = ['raft.apply', 'dns.domain_query', 'memberlist.gossip', 'kvsx.y', 'session']
    expect(told('0.9.3', {}, names)).toEqual(names.map((name) => `svc.${name}`))
  })

  it('[TEL-004] [TEL-005] [UPG-009] enable_deprecated_names tells both from 1.0 on, and is refused since 1.1.0', () => {
    const both = { enable_deprecated_names: true }
    for (const release of ['1.0.0', '1.0.7'])
      expect(told(release, both, ['http.x', 'raft.y'])).toEqual(['svc.http.x', 'svc.svc.http.x', 'svc.raft.y'])
    expect(told('1.0.7', { enable_deprecated_names: false }, ['http.x'])).toEqual(['svc.http.x'])
    expect(told('1.1.0', both, [])).toEqual(['invalid config key telemetry.enable_deprecated_names'])
    for (const group of groups) expect(told('1.1.0', {}, [`${group}.x`])).toEqual([`svc.${group}.x`])
  })

  it('[UPG-016] begin with statsite_prefix before 1.0, and with metrics_prefix since', () => {
    expect(told('0.9.3', { statsite_prefix: 'p' }, ['raft.x'])).toEqual(['p.raft.x'])
    expect(told('0.9.3', { metrics_prefix: 'p' }, ['raft.x'])).toEqual(['svc.raft.x'])
    expect(told('1.0.0', { metrics_prefix: 'p' }, ['raft.x'])).toEqual(['p.raft.x'])
    expect(told('1.0.0', { statsite_prefix: 'p' }, ['raft.x'])).toEqual([
      'invalid config key telemetry.statsite_prefix',
    ])
  })
})
