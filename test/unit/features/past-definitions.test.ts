import { describe, expect, it } from 'vitest'
import { parseCheckDefinition, parseServiceDefinition } from '../../../src/features/agent/definitions.ts'
import { parseRelease } from '../../../src/model/release.ts'

/** The check as an agent of that release reads it, or what is wrong with it. */
function check(release: string, value: unknown, dialect: 'file' | 'http' = 'file') {
  const parsed = parseCheckDefinition(value, dialect, parseRelease(release))
  return parsed.ok ? parsed.value : `${parsed.error.message}: ${parsed.error.remedy}`
}

function service(release: string, value: unknown) {
  const parsed = parseServiceDefinition(value, 'file', parseRelease(release))
  return parsed.ok ? parsed.value.service : `${parsed.error.message}: ${parsed.error.remedy}`
}

const script = { name: 'c', script: 'test -e /x && true', interval: '5s' }
const args = { name: 'c', args: ['true'], interval: '5s' }

describe('[UPG-008] [UPG-057] definitions by release', () => {
  it.each(['0.8.5', '0.9.3', '1.0.0', '1.0.7'])('%s: a script is one text for a shell', (release) => {
    const probe = { kind: 'script', argv: ['/bin/sh', '-c', 'test -e /x && true'] }
    expect(check(release, script)).toMatchObject({ probe })
    expect(check(release, { Name: 'c', Script: 'true', Interval: '5s' }, 'http')).toMatchObject({
      probe: { argv: ['/bin/sh', '-c', 'true'] },
    })
  })

  it.each(['1.1.0', '1.4.0'])('%s: such a script is refused in a file, and not looked at over HTTP', (release) => {
    expect(check(release, script)).toBe('invalid config key "script": removed in 1.1.0, write args')
    expect(check(release, { Name: 'c', Script: 'true', Interval: '5s' }, 'http')).toMatch(/TTL must be > 0/)
  })

  it('args are known since 1.0', () => {
    expect(check('1.0.0', args)).toMatchObject({ probe: { kind: 'script', argv: ['true'] } })
    expect(check('0.9.3', args)).toMatch(/TTL must be > 0/)
  })

  it.each([
    ['1.0.7', 'x', true],
    ['1.1.0', 'invalid config key "CheckID": removed in 1.1.0, write id: ', undefined],
  ])('%s: CheckID is %s, and enableTagOverride %s', (release, id, override) => {
    const read = check(release, { name: 'c', ttl: '5s', CheckID: 'x' })
    expect(typeof read === 'string' ? `${read}: ` : read.checkId).toBe(id)
    const offered = service(release, { name: 's', enableTagOverride: true })
    const refusal = 'invalid config key "enableTagOverride": removed in 1.1.0, write enable_tag_override'
    expect(typeof offered === 'string' ? offered : offered.enableTagOverride).toBe(override ?? refusal)
  })

  it.each([
    ['[REG-026]', 'serviceid', 'service_id', { ttl: '5s' }, 'web'],
    ['[REG-027]', 'dockercontainerid', 'docker_container_id', { script: 'true', interval: '5s' }, 'box'],
    ['[REG-028]', 'tlsskipverify', 'tls_skip_verify', { http: 'https://a/', interval: '5s' }, true],
    ['[REG-029]', 'deregistercriticalserviceafter', 'deregister_critical_service_after', { ttl: '5s' }, '2m'],
  ])('%s %s is read before 1.0 as %s, and refused since', (_, key, now, more, value) => {
    const given = { name: 'c', ...more }
    const meant = check('0.9.3', { ...given, [now]: value })
    expect(meant).not.toEqual(check('0.9.3', given))
    expect(check('0.9.3', { ...given, [key]: value })).toEqual(meant)
    const refusal = `invalid config key "${key}": removed in 1.0, write ${now}`
    expect(check('1.0.0', { ...given, [key]: value })).toBe(refusal)
  })

  it.each(['0.9.3', '1.0.0'])('%s: ServiceID with its capitals is read', (release) => {
    expect(check(release, { name: 'c', ttl: '5s', ServiceID: 'web' })).toMatchObject({ serviceId: 'web' })
  })

  it.each([
    ['1.0.4', '1.0.5', 'grpc', { grpc: '127.0.0.1:1', interval: '1s' }],
    ['1.2.1', '1.2.2', 'alias_service', { alias_service: 'web' }],
  ])('%s refuses what %s brought: %s', (before, since, key, more) => {
    expect(check(before, { name: 'c', ...more })).toBe(`invalid config key "${key}": `)
    expect(check(since, { name: 'c', ...more })).toMatchObject({ name: 'c' })
  })

  it.each([
    ['1.0.6', '1.0.7', { meta: { a: 'b' } }],
    ['1.2.2', '1.2.3', { weights: { passing: 2, warning: 1 } }],
  ])('%s refuses of a service what %s brought: %j', (before, since, more) => {
    expect(service(before, { name: 's', ...more })).toBe(`invalid config key "${Object.keys(more)[0] ?? ''}": `)
    expect(service(since, { name: 's', ...more })).toMatchObject({ service: 's' })
  })

  it('before 1.0 a key that came later is read past', () => {
    expect(service('0.9.3', { name: 's', meta: { a: 'b' }, nonsense: 1 })).toMatchObject({ service: 's', meta: null })
  })
})
