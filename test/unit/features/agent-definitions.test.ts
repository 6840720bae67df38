import { describe, expect, it } from 'vitest'
import { parseCheckDefinition, parseServiceDefinition } from '../../../src/features/agent/definitions.ts'
import type { CheckDefinition, CheckProbe, ServiceDefinition } from '../../../src/model/catalog.ts'

function service(value: unknown, dialect: 'http' | 'file' = 'http'): ServiceDefinition {
  const parsed = parseServiceDefinition(value, dialect)
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value
}

function check(value: unknown, dialect: 'http' | 'file' = 'http'): CheckDefinition {
  const parsed = parseCheckDefinition(value, dialect)
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value
}

function serviceProblem(value: unknown, dialect: 'http' | 'file' = 'http') {
  const parsed = parseServiceDefinition(value, dialect)
  return parsed.ok ? undefined : parsed.error
}

function checkProblem(value: unknown, dialect: 'http' | 'file' = 'http') {
  const parsed = parseCheckDefinition(value, dialect)
  return parsed.ok ? undefined : parsed.error
}

const probeOf = (value: object): CheckProbe => check({ Name: 'c', ...value }).probe

describe('a service over HTTP', () => {
  it('needs a name alone, and has defaults for the rest', () => {
    expect(service({ Name: 'web' })).toEqual({
      service: {
        kind: '',
        id: 'web',
        service: 'web',
        tags: [],
        address: '',
        meta: null,
        port: 0,
        weights: { passing: 1, warning: 1 },
        enableTagOverride: false,
        weightless: true,
      },
      checks: [],
    })
  })

  it('has every member of the field, its metadata in order of key', () => {
    const body = {
      ID: 'web-2',
      Name: 'web',
      Tags: ['b', 'a', 'b'],
      Address: '10.2.2.2',
      Port: 8080,
      Meta: { z: '1', a: '2' },
      Weights: { Passing: 10 },
      EnableTagOverride: true,
      Kind: 'something',
      Token: 'secret',
    }
    expect(service(body).service).toEqual({
      kind: 'something',
      id: 'web-2',
      service: 'web',
      tags: ['b', 'a', 'b'],
      address: '10.2.2.2',
      meta: [
        ['a', '2'],
        ['z', '1'],
      ],
      port: 8080,
      weights: { passing: 10, warning: 0 },
      enableTagOverride: true,
    })
  })

  it('has its members found in any case, the exact spelling first, unknown ones and nulls ignored', () => {
    const facts = service({ NAME: 'other', Name: 'web', pORT: 1, Tags: null, What: [1] }).service
    expect(facts).toMatchObject({ service: 'web', port: 1, tags: [] })
    expect(service({ name: 'web', enable_tag_override: true }).service.enableTagOverride).toBe(true)
  })

  it('has no fraction where a whole number stands, over HTTP and in a file', () => {
    expect(service({ Name: 'web', Port: 80.0 }).service.port).toBe(80)
    const text = "expected type 'int', got unconvertible type 'float64'"
    expect(serviceProblem({ Name: 'web', Port: 80.9 }, 'http')?.message).toContain(`* 'Port' ${text}`)
    expect(serviceProblem({ name: 'web', port: 80.9 }, 'file')?.message).toBe(`'port' ${text}`)
  })

  it('gives its checks IDs by their number, and names', () => {
    const both = service({ Name: 'r', Check: { TTL: '30s', Status: 'passing', Notes: 'n' }, Checks: [{ TTL: '1s' }] })
    expect(
      both.checks.map(({ checkId, name, serviceId, status, notes }) => [checkId, name, serviceId, status, notes]),
    ).toEqual([
      ['service:r:1', "Service 'r' check", 'r', 'passing', 'n'],
      ['service:r:2', "Service 'r' check", 'r', 'critical', ''],
    ])
    expect(service({ Name: 'r', Checks: [{ TTL: '1s' }] }).checks[0]?.checkId).toBe('service:r')
    expect(service({ Name: 'r', Check: {}, Checks: [{ TTL: '1s', CheckID: 'own', Name: 'x' }] }).checks).toMatchObject([
      { checkId: 'own', name: 'x' },
    ])
  })

  it.each([
    [{}, 'Missing service name'],
    [{ Name: '' }, 'Missing service name'],
    [[], 'Request decode failed: expected an object'],
    [
      { Name: 'x', Port: 'abc' },
      "Request decode failed: 1 error(s) decoding:\n\n* 'Port' expected type 'int', got unconvertible type 'string'",
    ],
    [
      { Name: 1, Tags: 'a', Check: { TTL: '1s', Name: true } },
      "Request decode failed: 3 error(s) decoding:\n\n* 'Check.Name' expected type 'string', got unconvertible type 'bool'\n" +
        "* 'Name' expected type 'string', got unconvertible type 'float64'\n" +
        "* 'Tags': source data must be an array or slice, got string",
    ],
    [{ Name: 'x', Address: '0.0.0.0' }, 'Invalid service address'],
    [{ Name: 'x', Address: '::' }, 'Invalid service address'],
    [{ Name: 'x', Port: 65_536 }, 'Invalid service port: must be between 0 and 65535'],
    [{ Name: 'x', Check: { Interval: '1s' } }, 'Invalid check: TTL must be > 0 for TTL checks'],
    [{ Name: 'x', Checks: [{}] }, 'Invalid check: TTL must be > 0 for TTL checks'],
    [{ Name: 'x', Check: { TTL: '1s', Status: 'odd' } }, "Status for checks must 'passing', 'warning', 'critical'"],
    [{ Name: 'x', Check: { TTL: 'abc' } }, 'Request decode failed: invalid "TTL": time: invalid duration "abc"'],
    [
      { Name: 'x', Meta: { 'bad key!': 'v' } },
      "Invalid Service Meta: Couldn't load metadata pair ('bad key!', 'v'): Key contains invalid characters",
    ],
    [{ Name: 'x', Weights: { Passing: -1, Warning: 1 } }, 'Invalid Weights: Passing must be greater than 0'],
    [{ Name: 'x', Weights: { Passing: 65_536 } }, 'Invalid Weights: DNS Weight must be between 0 and 65535'],
    [{ Name: 'x', Weights: { Passing: 1, Warning: -1 } }, 'Invalid Weights: DNS Weight must be between 0 and 65535'],
  ])('%j is refused: %s', (body, message) => {
    expect(serviceProblem(body)?.message).toBe(message)
  })
})

describe('a check over HTTP', () => {
  it('is critical until it says otherwise, and has its name for an ID', () => {
    expect(check({ Name: 'mem', TTL: '60s', Notes: 'm' })).toEqual({
      checkId: 'mem',
      name: 'mem',
      notes: 'm',
      serviceId: '',
      status: 'critical',
      probe: { kind: 'ttl', ttlMs: 60_000 },
      deregisterCriticalServiceAfterMs: 0,
    })
    expect(check({ ID: 'i', Name: 'n', service_id: 's', TTL: '1s', Status: 'warning' })).toMatchObject({
      checkId: 'i',
      serviceId: 's',
      status: 'warning',
    })
  })

  it('takes a bare number as nanoseconds, and a text with a unit', () => {
    expect(probeOf({ TTL: 15_000_000_000 })).toEqual({ kind: 'ttl', ttlMs: 15_000 })
    expect(probeOf({ TTL: '1m30s' })).toEqual({ kind: 'ttl', ttlMs: 90_000 })
    expect(checkProblem({ Name: 'c', TTL: '15' })?.message).toBe(
      'Request decode failed: invalid "TTL": time: missing unit in duration "15"',
    )
  })

  it('of HTTP has a limit of its own when that is below the interval, else 10 s or the interval', () => {
    const http = (rest: object) => probeOf({ HTTP: 'http://10.0.0.1/', ...rest })
    expect(http({ Interval: '30s' })).toMatchObject({ intervalMs: 30_000, timeoutMs: 10_000, method: '', header: [] })
    expect(http({ Interval: '5s' })).toMatchObject({ timeoutMs: 5_000 })
    expect(http({ Interval: '5s', Timeout: '2s' })).toMatchObject({ timeoutMs: 2_000 })
    expect(http({ Interval: '5s', Timeout: '5s' })).toMatchObject({ timeoutMs: 5_000 })
    expect(http({ Interval: '200ms' })).toMatchObject({ intervalMs: 1_000, timeoutMs: 1_000 })
    expect(http({ Interval: '9s', Method: 'PUT', Header: { b: ['1', '2'], a: [] }, TLSSkipVerify: true })).toEqual({
      kind: 'http',
      url: 'http://10.0.0.1/',
      method: 'PUT',
      header: [
        ['a', []],
        ['b', ['1', '2']],
      ],
      tlsSkipVerify: true,
      intervalMs: 9_000,
      timeoutMs: 9_000,
    })
  })

  it('of TCP and of a script have an interval and a limit', () => {
    expect(probeOf({ TCP: '10.0.0.1:80', Interval: '3s', Timeout: '1s' })).toEqual({
      kind: 'tcp',
      address: '10.0.0.1:80',
      intervalMs: 3_000,
      timeoutMs: 1_000,
    })
    const script = { kind: 'script', argv: ['sh', '-c', 'x'], intervalMs: 3_000, timeoutMs: 30_000 }
    for (const name of ['ScriptArgs', 'Args', 'args', 'script_args']) {
      expect(probeOf({ [name]: ['sh', '-c', 'x'], Interval: '3s' })).toEqual(script)
    }
    expect(probeOf({ Args: ['a'], Interval: '3s', Timeout: '60s' })).toMatchObject({ timeoutMs: 60_000 })
  })

  it('[HLT-017] of gRPC and of a container have them likewise', () => {
    const grpc = { kind: 'grpc', target: 'a:1/s', useTls: false, tlsSkipVerify: false, intervalMs: 3_000 }
    expect(probeOf({ GRPC: 'a:1/s', Interval: '3s' })).toEqual({ ...grpc, timeoutMs: 10_000 })
    const secured = { ...grpc, useTls: true, tlsSkipVerify: true, timeoutMs: 20_000 }
    for (const name of ['GRPCUseTLS', 'grpc_use_tls']) {
      const given = { GRPC: 'a:1/s', [name]: true, TLSSkipVerify: true, Interval: '3s', Timeout: '20s' }
      expect(probeOf(given)).toEqual(secured)
    }
    const container = { kind: 'container', container: 'c1', argv: ['true'], intervalMs: 3_000, timeoutMs: 30_000 }
    for (const name of ['DockerContainerID', 'docker_container_id']) {
      expect(probeOf({ [name]: 'c1', Args: ['true'], Shell: '/bin/bash', Interval: '3s' })).toEqual(container)
    }
  })

  it('stand for a service here or elsewhere, and need no interval', () => {
    expect(probeOf({ AliasService: 'web-1' })).toEqual({ kind: 'alias', node: '', service: 'web-1' })
    expect(probeOf({ AliasService: 'web-1', Interval: '5s' })).toEqual({ kind: 'alias', node: '', service: 'web-1' })
    expect(probeOf({ alias_service: 'w', alias_node: 'n' })).toEqual({ kind: 'alias', node: 'n', service: 'w' })
    expect(probeOf({ AliasNode: 'n' })).toEqual({ kind: 'alias', node: 'n', service: '' })
  })

  it('takes its service out no earlier than a minute after it turned critical', () => {
    const afterMs = (text: string) => check({ Name: 'c', TTL: '1s', DeregisterCriticalServiceAfter: text })
    expect(afterMs('5s').deregisterCriticalServiceAfterMs).toBe(60_000)
    expect(afterMs('90m').deregisterCriticalServiceAfterMs).toBe(5_400_000)
    expect(afterMs('0s').deregisterCriticalServiceAfterMs).toBe(0)
  })

  it.each([
    [{ TTL: '5s' }, 'Missing check name'],
    [{ Name: 'x' }, 'Invalid check: TTL must be > 0 for TTL checks'],
    [{ Name: 'x', Script: 'true', Interval: '1s' }, 'Invalid check: TTL must be > 0 for TTL checks'],
    [{ Name: 'x', HTTP: 'http://x' }, 'Invalid check: Interval must be > 0 for Script, HTTP, or TCP checks'],
    [{ Name: 'x', TTL: '1s', Interval: '1s' }, 'Invalid check: Interval and TTL cannot both be specified'],
    [{ Name: 'x', TTL: 1e308 }, 'Request decode failed: invalid "TTL": out of range'],
    [
      { Name: 'x', HTTP: 'http://x', Interval: '2562048h' },
      'Request decode failed: invalid "Interval": time: invalid duration "2562048h"',
    ],
    [{ Name: 'x', TTL: '-1s' }, 'Invalid check: TTL must be > 0 for TTL checks'],
    [{ Name: 'x', TTL: '5s', Status: 'funky' }, 'Bad check status'],
    [{ Name: 'x', TTL: true }, 'Request decode failed: invalid "TTL": invalid format'],
    [{ Name: 'x', AliasService: 'a', TTL: '1s' }, 'Invalid check: TTL must be not be set for Alias checks'],
    [
      { Name: 'x', AliasService: 'a', TCP: 'b:1', Interval: '1s' },
      'Invalid check: Interval cannot be set for Alias checks',
    ],
    [{ Name: 'x', GRPC: 'a:1' }, 'Invalid check: Interval must be > 0 for Script, HTTP, or TCP checks'],
    [{ Name: 'x', DockerContainerID: 'a', Interval: '1s' }, 'Invalid check: TTL must be > 0 for TTL checks'],
  ])('%j is refused: %s', (body, message) => {
    expect(checkProblem(body)?.message).toBe(message)
  })
})

describe('a definition in a file', () => {
  it('is written in snake case', () => {
    const given = {
      id: 'web-1',
      name: 'web',
      tags: ['a'],
      port: 80,
      address: '10.0.0.9',
      meta: { k: 'v' },
      weights: { passing: 2, warning: 3 },
      enable_tag_override: true,
      token: 't',
      checks: [{ id: 'c', args: ['true'], interval: '10s', tls_skip_verify: true, service_id: 'ignored' }],
    }
    expect(service(given, 'file')).toMatchObject({
      service: {
        id: 'web-1',
        service: 'web',
        tags: ['a'],
        port: 80,
        address: '10.0.0.9',
        meta: [['k', 'v']],
        weights: { passing: 2, warning: 3 },
        enableTagOverride: true,
      },
      checks: [{ checkId: 'c', serviceId: 'web-1', probe: { kind: 'script', argv: ['true'] } }],
    })
  })

  it('[REG-013] refuses enableTagOverride and names the new key', () => {
    expect(serviceProblem({ name: 'web', enableTagOverride: true }, 'file')).toEqual({
      path: ['enableTagOverride'],
      message: 'invalid config key "enableTagOverride"',
      remedy: 'removed in 1.1.0, write enable_tag_override',
    })
  })

  it.each([
    ['[REG-014]', 'CheckID', 'removed in 1.1.0, write id'],
    ['[REG-015]', 'script', 'removed in 1.1.0, write args'],
    ['[REG-026]', 'serviceid', 'removed in 1.0, write service_id'],
    ['[REG-027]', 'dockercontainerid', 'removed in 1.0, write docker_container_id'],
    ['[REG-028]', 'tlsskipverify', 'removed in 1.0, write tls_skip_verify'],
    ['[REG-029]', 'deregistercriticalserviceafter', 'removed in 1.0, write deregister_critical_service_after'],
  ])('%s refuses the check key %s: %s', (_id, key, remedy) => {
    const message = `invalid config key "${key}"`
    expect(checkProblem({ name: 'c', ttl: '1s', [key]: 'x' }, 'file')).toEqual({ path: [key], message, remedy })
    expect(serviceProblem({ name: 's', checks: [{ ttl: '1s', [key]: 'x' }] }, 'file')).toEqual({
      path: ['checks', 0, key],
      message,
      remedy,
    })
  })

  it('translates the CamelCase spellings of checks; snake case wins', () => {
    const given = { Name: 'c', ScriptArgs: ['a'], Interval: '1m', ServiceID: 's', DeregisterCriticalServiceAfter: '2m' }
    expect(check(given, 'file')).toMatchObject({
      serviceId: 's',
      deregisterCriticalServiceAfterMs: 120_000,
      probe: { kind: 'script', argv: ['a'] },
    })
    expect(check({ name: 'c', ttl: '1s', ServiceID: 'camel', service_id: 'snake' }, 'file').serviceId).toBe('snake')
  })

  it('has unknown keys and one key in two spellings refused', () => {
    expect(serviceProblem({ name: 'web', prot: 1 }, 'file')).toMatchObject({
      path: ['prot'],
      message: 'invalid config key "prot"',
      remedy: "did you mean 'port'?",
    })
    expect(serviceProblem({ name: 'web', Name: 'web' }, 'file')?.message).toBe(
      'the keys "name" and "Name" are the same',
    )
    expect(serviceProblem({ name: 'web', weights: { passing: 1, Warn: 2 } }, 'file')?.path).toEqual(['weights', 'Warn'])
  })

  it('names the check and the service that are wrong, and where', () => {
    expect(checkProblem({ name: 'mem', http: 'http://x' }, 'file')).toEqual({
      path: [],
      message: 'Invalid check "mem": Interval must be > 0 for Script, HTTP, or TCP checks',
      remedy: '',
      names: ['mem'],
    })
    expect(serviceProblem({ name: 'web', checks: [{ ttl: '1s' }, { name: 'x' }] }, 'file')).toEqual({
      path: ['checks', 1],
      message: 'Invalid check "x" of service "web": TTL must be > 0 for TTL checks',
      remedy: '',
      names: ['x', 'web'],
    })
    expect(serviceProblem({ name: 'web', port: 'abc' }, 'file')).toEqual({
      path: ['port'],
      message: "'port' expected type 'int', got unconvertible type 'string'",
      remedy: '',
    })
    expect(serviceProblem({ name: 'web', weights: { passing: 0 } }, 'file')?.message).toBe(
      'Invalid weight definition for service web: Passing must be greater than 0',
    )
    expect(serviceProblem({ name: 'web', meta: { 'svc-x': '' } }, 'file')?.message).toBe(
      "invalid meta for service web: Couldn't load metadata pair ('svc-x', ''): Key prefix 'svc-' is reserved for internal use",
    )
    expect(serviceProblem({ port: 1 }, 'file')?.message).toBe('Missing service name')
  })
})

describe('the ID of the membership check', () => {
  it('belongs to no other service', () => {
    const reserved = 'Invalid check: CheckID "serfHealth" is that of the node\'s membership, choose another'
    expect(checkProblem({ ID: 'serfHealth', Name: 'mine', TTL: '10s' })?.message).toBe(reserved)
    expect(checkProblem({ Name: 'SERFHEALTH', TTL: '10s' })?.message).toBe(reserved)
    const service = { name: 'web', checks: [{ id: 'serfHealth', ttl: '10s' }] }
    expect(serviceProblem(service, 'file')?.message).toBe(reserved)
  })
})
