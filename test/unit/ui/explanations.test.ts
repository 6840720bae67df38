import { describe, expect, it } from 'vitest'
import type { Check, Instance, NodeOverview } from '../../../src/http/ui/page/api/catalog-shapes.ts'
import type { ServerHealth } from '../../../src/http/ui/page/api/cluster-shapes.ts'
import type { Intention } from '../../../src/http/ui/page/api/intention-shapes.ts'
import { commandLine, commandText, withOperands } from '../../../src/http/ui/page/explain/command-line.ts'
import { datacenterText, datacenterTrips } from '../../../src/http/ui/page/explain/datacenter-trips.ts'
import { meshDecision } from '../../../src/http/ui/page/explain/decision.ts'
import { drainedBy, isInMaintenance, outputOf } from '../../../src/http/ui/page/explain/drain.ts'
import { healthReasons } from '../../../src/http/ui/page/explain/health.ts'
import { decisionLine, questionOf } from '../../../src/http/ui/page/explain/rights.ts'
import { roundTrip, roundTripText } from '../../../src/http/ui/page/explain/round-trip.ts'
import { topologyOf } from '../../../src/http/ui/page/explain/topology.ts'
import { bytesToWrite, editedValue, jsonCheck, jsonParts } from '../../../src/http/ui/page/explain/value.ts'
import { toleranceText, whyNoVote } from '../../../src/http/ui/page/explain/votes.ts'

const checkOf = (CheckID: string, Status: Check['Status'], ServiceID = ''): Check => ({
  ...{ Node: 'n1', CheckID, Name: '', Status, Notes: '', Output: '' },
  ...{ ServiceID, ServiceName: ServiceID },
})

function instanceOf(...checks: readonly Check[]): Instance {
  const service = { ID: 'web1', Service: 'web', Tags: null, Address: '', Port: 80, Meta: null }
  return {
    Node: { ID: '', Node: 'n1', Address: '10.0.0.1', Meta: null },
    Service: { ...service, Weights: { Passing: 10, Warning: 1 } },
    Checks: checks,
  }
}

describe('why an instance is not passing', () => {
  it('is its failing checks, each with what kind it is and the command that shows or ends it', () => {
    const instance = instanceOf(
      checkOf('serfHealth', 'critical'),
      checkOf('_node_maintenance', 'critical'),
      checkOf('_service_maintenance:web1', 'critical', 'web1'),
      checkOf('http', 'warning', 'web1'),
      checkOf('disk', 'passing'),
    )
    const { status, reasons, effect } = healthReasons(instance, false)
    expect(status).toBe('critical')
    expect(effect).toBe('DNS and ?passing leave this instance out.')
    expect(reasons.map(({ text, command }) => [text, commandText('svc', command, 'dc2')])).toEqual([
      [expect.stringMatching(/^The agent of n1 does not answer/), 'svc members'],
      ['An operator put the node n1 into maintenance.', 'svc maint -disable'],
      ['An operator put the instance web1 into maintenance on n1.', 'svc maint -disable -service=web1'],
      ['The check "http" is warning.', 'svc watch -datacenter=dc2 -type=service -service=web1'],
    ])
  })

  it('says what DNS does about a warning, with and without only_passing', () => {
    const instance = instanceOf(checkOf('http', 'warning', 'web1'))
    expect(healthReasons(instance, false).effect).toMatch(/still returns.*weight 1, not 10/)
    expect(healthReasons(instance, true).effect).toMatch(/leaves it out, because only_passing/)
    expect(healthReasons(instanceOf(), false)).toMatchObject({ status: 'passing', reasons: [] })
  })
})

describe('what a node takes with it into maintenance', () => {
  const overview = (name: string, ids: readonly string[], ...checks: readonly Check[]): NodeOverview => ({
    ...{ ID: '', Node: name, Address: '', Meta: null, Checks: checks },
    Services: ids.map((ID) => ({ ...instanceOf().Service, ID, Service: ID.replace(/\d/, '') })),
  })

  it('is each of its services once, with the instances elsewhere that no check of theirs or of their node fails', () => {
    const own = overview('n1', ['web1', 'web2', 'db1'])
    const others = [
      overview('n2', ['web3', 'web4'], checkOf('http', 'critical', 'web3'), checkOf('disk', 'warning')),
      overview('n3', ['web5', 'db2'], checkOf('_node_maintenance', 'critical')),
      overview('n4', ['web6']),
    ]
    expect(drainedBy(own, [own, ...others])).toEqual([
      { service: 'db', left: 0 },
      { service: 'web', left: 2 },
    ])
    expect([own, ...others].filter(isInMaintenance).map(({ Node }) => Node)).toEqual(['n3'])
  })

  it('has its reason in the notes of the check, which stand as its output', () => {
    const maintenance = { ...checkOf('_node_maintenance', 'critical'), Notes: 'a new disk' }
    expect(outputOf(maintenance)).toBe('a new disk')
    expect(outputOf({ ...checkOf('disk', 'critical'), Notes: 'of the host', Output: 'full' })).toBe('full')
    expect(outputOf({ ...checkOf('disk', 'critical'), Notes: 'of the host' })).toBe('')
  })
})

describe('what decides', () => {
  const rule = (
    SourceName: string,
    DestinationName: string,
    Action: 'allow' | 'deny',
    Precedence: number,
  ): Intention => ({
    ...{ ID: `${SourceName} ${DestinationName}`, SourceName, DestinationName, Action, Precedence },
    ...{ Description: '', Meta: null, CreatedAt: '', UpdatedAt: '' },
  })
  it('between two services is the first in the order of the agents that applies to both', () => {
    const toDb = [rule('web', 'db', 'deny', 9), rule('*', 'db', 'allow', 8), rule('*', '*', 'deny', 5)]
    const fromApp = [rule('app', 'cache', 'deny', 9), rule('*', '*', 'deny', 5), rule('*', 'db', 'allow', 8)]
    expect(meshDecision(fromApp, toDb).matching.map(({ ID }) => ID)).toEqual(['* db', '* *'])
    expect(meshDecision(fromApp, toDb).deciding?.Action).toBe('allow')
    expect(meshDecision(fromApp, []).deciding).toBeUndefined()
  })

  it('about a right is a rule, the default, or the token itself', () => {
    const told = { AccessorID: 'a1', Allowed: false, Rule: '', Level: 'deny', Policy: '' } as const
    expect(decisionLine({ ...told, DecidedBy: 'default' })).toBe(
      'The token a1 is denied this, because no rule matches, and the default policy is deny.',
    )
    const rule = { ...told, Rule: 'service_prefix "web"', Level: 'read', Policy: 'reader', DecidedBy: 'rule' } as const
    expect(decisionLine(rule)).toContain('service_prefix "web" is "read" in the policy reader')
    expect(questionOf('key:write a b/c')).toEqual({ resource: 'key', access: 'write', name: 'a b/c' })
    expect(questionOf('operator:read')).toEqual({ resource: 'operator', access: 'read', name: '' })
  })
})

describe('why a server has no vote', () => {
  const server = { ID: 's', Node: 's3', Address: '', Leader: false, ProtocolVersion: '3', Voter: false }
  const settings = {
    ...{ CleanupDeadServers: true, LastContactThreshold: '200ms', MaxTrailingLogs: 250 },
    ...{ ServerStabilizationTime: '10s', ModifyIndex: 1 },
  }
  const health: ServerHealth = {
    ...{ ID: 's', Name: 's3', Address: '', SerfStatus: 'alive', Version: '1.4.0', Leader: false, LastContact: '20ms' },
    ...{ LastTerm: 2, LastIndex: 7, Healthy: true, Voter: false, StableSince: '2026-01-01T00:00:00Z' },
  }

  it('is that it is new, not healthy, or not reported', () => {
    expect(whyNoVote({ ...server, Voter: true }, health, settings)).toEqual([])
    expect(whyNoVote(server, health, settings)[0]).toMatch(/healthy since 2026.*after 10s/)
    expect(whyNoVote(server, undefined, settings)[0]).toMatch(/does not report/)
    expect(whyNoVote(server, { ...health, Healthy: false, SerfStatus: 'failed' }, settings)[0]).toMatch(/as failed/)
    expect(whyNoVote(server, { ...health, Healthy: false, LastContact: '3s' }, settings)[0]).toMatch(/3s ago.*200ms/)
  })

  it('says how many failures the voters survive', () => {
    const servers = [1, 2, 3].map(() => ({ ...health, Voter: true }))
    expect(toleranceText({ Healthy: true, FailureTolerance: 1, Servers: servers })).toMatch(/^1 of 3 voters may fail/)
    expect(toleranceText({ Healthy: false, FailureTolerance: 0, Servers: servers })).toMatch(/No more of the 3 voters/)
    expect(toleranceText({ Healthy: true, FailureTolerance: 0, Servers: servers.slice(2) })).toMatch(/single voter/)
  })
})

describe('a command line to copy', () => {
  it('quotes what a shell would read as more than a name', () => {
    expect(commandText('svc', withOperands(commandLine('kv get', '-detailed'), 'app/a'), '')).toBe(
      'svc kv get -detailed app/a',
    )
    expect(commandText('svc', withOperands(commandLine('kv get'), "x'; rm -rf ~; '"), '')).toBe(
      "svc kv get 'x'\\''; rm -rf ~; '\\'''",
    )
    expect(commandText('svc', withOperands(commandLine('kv get', '-keys'), ''), 'a b')).toBe(
      "svc kv get '-datacenter=a b' -keys ''",
    )
  })
})

describe('a name of the cluster that begins with a dash', () => {
  it('is no flag of a command line to copy, which would send the token of the shell elsewhere', () => {
    const line = withOperands(commandLine('kv get', '-detailed'), '-http-addr=evil.example:80')
    expect(commandText('svc', line, '')).toBe('svc kv get -detailed -- -http-addr=evil.example:80')
    expect(commandText('svc', withOperands(commandLine('rtt'), 'a', '-b'), 'dc2')).toBe('svc rtt -- a -b')
  })
})

describe('what is computed of answers', () => {
  it('is the round-trip time of two coordinates, as the command rtt prints it', () => {
    const at = (first: number, Adjustment = 0) => ({ Vec: [first, 0], Error: 0, Adjustment, Height: 0.001 })
    expect(roundTrip(at(0), at(0.01)).ms).toBeCloseTo(12)
    expect(roundTrip(at(0, 0.002), at(0.01)).ms).toBeCloseTo(14)
    // An adjustment that would make it negative is left out.
    expect(roundTrip(at(0, -1), at(0.01)).ms).toBeCloseTo(12)
    expect(roundTripText(roundTrip(at(0), at(0.01)))).toBe('12 ms')
    expect(roundTripText(roundTrip(at(0), { ...at(0.01), Error: 1.5 }))).toBe('~ 12 ms')
  })

  it('is which datacenter is the slowest, by the median over pairs of servers', () => {
    const at = (...firsts: readonly number[]) =>
      firsts.map((first) => ({ Node: '', Coord: { Vec: [first], Error: 0, Adjustment: 0, Height: 0 } }))
    const all = [
      { Datacenter: 'dc1', Coordinates: at(0) },
      { Datacenter: 'near', Coordinates: at(0.01) },
      { Datacenter: 'far', Coordinates: at(0.05, 0.09, 0.2) },
      { Datacenter: 'silent', Coordinates: null },
    ]
    expect(datacenterTrips('dc1', all).map(([name, { ms }]) => [name, Math.round(ms)])).toEqual([
      ['far', 90],
      ['near', 10],
    ])
    const trips = new Map(datacenterTrips('dc1', all))
    expect(datacenterText('far', trips)).toMatch(/^far \((~ )?90 ms\)$/)
    expect(datacenterText('silent', trips)).toBe('silent')
  })

  it('is which services connect to which', () => {
    const proxyOf = (owner: string, ...upstreams: readonly string[]) => ({
      ...instanceOf().Service,
      Service: `${owner}-proxy`,
      Proxy: { DestinationServiceName: owner, Upstreams: upstreams.map((DestinationName) => ({ DestinationName })) },
    })
    const node = { ID: '', Node: 'n1', Address: '', Meta: null, Checks: [] }
    const others = [{ ...node, Services: [proxyOf('app', 'web'), proxyOf('app', 'web'), proxyOf('job', 'db')] }]
    const own = [{ ...instanceOf(), Service: proxyOf('web', 'db', 'cache') }]
    expect(topologyOf('web', own, others)).toEqual({ from: ['app'], to: ['cache', 'db'] })
  })

  it('is whether bytes are text, and the same bytes again', () => {
    for (const base64 of ['PGI+w7w8L2I+', '//8=', '', '77u/YQ==']) {
      const written = bytesToWrite(editedValue(base64)) ?? new Uint8Array()
      expect(Buffer.from(written).toString('base64')).toBe(base64)
    }
    expect(editedValue('//8=').form).toBe('base64')
    expect(bytesToWrite({ form: 'base64', text: 'no base64!' })).toBeUndefined()
  })

  it('keeps its line ends, of which a text field makes one kind', () => {
    const typed = (before: string, change: (text: string) => string) => {
      const value = editedValue(Buffer.from(before).toString('base64'))
      // HTML Standard: the value of a textarea has no carriage returns.
      expect(value.form === 'base64' || !value.text.includes('\r')).toBe(true)
      return Buffer.from(bytesToWrite({ ...value, text: change(value.text) }) ?? []).toString()
    }
    expect(typed('a=1\r\nb=2\r\n', (text) => text.replace('2', '3\nc=4'))).toBe('a=1\r\nb=3\r\nc=4\r\n')
    expect(typed('a=1\nb=2\n', (text) => `${text}c`)).toBe('a=1\nb=2\nc')
    for (const mixed of ['a\r\nb\n', 'a\rb', '\r\r\n']) expect(typed(mixed, (text) => text)).toBe(mixed)
  })

  it('is whether a text means to be JSON, and its parts', () => {
    const text = '{"a\\"b": [1.5e3, true, null, "x: y"], "c" : {}}'
    expect(jsonCheck('plain')).toEqual({ kind: 'no-json' })
    expect(jsonCheck('{"a":')).toMatchObject({ kind: 'broken' })
    expect(jsonCheck(text)).toEqual({
      kind: 'json',
      formatted: '{\n  "a\\"b": [\n    1.5e3,\n    true,\n    null,\n    "x: y"\n  ],\n  "c": {}\n}',
    })
    // Numbers and names stay as they are written.
    expect(jsonCheck('{"id":12345678901234567890,"1":1.0,"0":[ ],"id":-0}')).toMatchObject({
      formatted: '{\n  "id": 12345678901234567890,\n  "1": 1.0,\n  "0": [],\n  "id": -0\n}',
    })
    const deep = jsonCheck('['.repeat(100_000) + ']'.repeat(100_000))
    expect(deep.kind === 'json' && deep.formatted.length).toBeLessThan(25_000_000)
    const parts = jsonParts(text)
    expect(parts.map(([, part]) => part).join('')).toBe(text)
    expect(parts.filter(([kind]) => kind !== 'sign').map(([kind]) => kind)).toEqual([
      'name',
      'number',
      'word',
      'word',
      'text',
      'name',
    ])
  })
})
