import { features } from '../../src/agent/assembly/features.ts'
import { textOf, utf8 } from '../../src/base/bytes.ts'
import { parseDuration } from '../../src/base/duration.ts'
import { parseJsonInput } from '../../src/base/json-input.ts'
import { agentTokenBody, legacyBody, policyBody, tokenBody } from '../../src/features/acl/route-checks.ts'
import { parseCheckDefinition, parseServiceDefinition } from '../../src/features/agent/definitions.ts'
import { registerBody } from '../../src/features/catalog/register-body.ts'
import { decodeBody, plainBody } from '../../src/features/http/json-body.ts'
import { parseUint } from '../../src/features/http/read-options.ts'
import { authorizeBody, intentionBody } from '../../src/features/intention/body.ts'
import { autopilotSettingsFrom } from '../../src/features/operator/autopilot.ts'
import { queryGiven } from '../../src/features/query/body.ts'
import { createArgsOf } from '../../src/features/session/create-body.ts'
import { operationsOf } from '../../src/features/txn/routes.ts'
import { loggableTarget } from '../../src/http/loggable-target.ts'
import { parseQuery } from '../../src/http/query-parameters.ts'
import { routeTable } from '../../src/http/route-table.ts'
import { cleanPath, encodeTarget, parseTarget } from '../../src/http/target.ts'
import type { FuzzTarget } from '../tools/fuzz/target.ts'

const routes = features.flatMap((feature) => feature.routes ?? [])
const table = routeTable(routes)

/** As HTTP hands targets over: a character for each byte. */
function byteText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 16_384))
}

const httpTarget: FuzzTarget = {
  name: 'http-target',
  about: 'request targets: path, query, the route they come to, and how they are logged',
  lengthMax: 16_384,
  run: (bytes) => {
    const text = byteText(bytes)
    const target = parseTarget(text)
    if (!target.ok) return
    const { path, rawQuery } = target.value
    loggableTarget({ target: text, path, routePath: '/v1/kv/', secretBelow: false, declared: [], secret: 'a-secret' })
    const clean = cleanPath(path)
    if (cleanPath(clean) !== clean) throw new Error(`a clean path is cleaned again: ${clean}`)
    table.match(clean)
    encodeTarget(clean, rawQuery)
    const query = parseQuery(rawQuery)
    if (!query.ok) return
    for (const name of ['index', 'wait', 'stale', 'dc', 'token', 'tag', 'filter']) {
      query.value.all(name)
      const value = query.value.get(name)
      if (value === undefined) continue
      parseUint(value)
      parseDuration(value)
    }
  },
  seeds: () => [
    ...routes.map(({ path }) => utf8(path)),
    ...['/v1/kv/a%2Fb?raw&index=5&wait=10s', 'http://host/v1/kv/', '/v1//kv/../x?a=b;c=d', '/%zz', '/ui/?x=%00'].map(
      utf8,
    ),
  ],
}

/** Not cut to a type: what a route does with the body it is given. */
const bodies: readonly ((bytes: Uint8Array) => unknown)[] = [
  (bytes) => decodeBody(bytes, registerBody),
  (bytes) => decodeBody(bytes, intentionBody),
  (bytes) => decodeBody(bytes, authorizeBody),
  (bytes) => decodeBody(bytes, tokenBody),
  (bytes) => decodeBody(bytes, policyBody),
  (bytes) => decodeBody(bytes, legacyBody),
  (bytes) => decodeBody(bytes, agentTokenBody),
  operationsOf,
  queryGiven,
  (bytes) => createArgsOf(bytes, 'n1'),
  autopilotSettingsFrom,
  (bytes) => {
    const body = plainBody(bytes)
    if (!body.ok) return
    parseServiceDefinition(body.value, 'http')
    parseCheckDefinition(body.value, 'http')
  },
]

const httpBody: FuzzTarget = {
  name: 'http-body',
  about: 'JSON bodies of requests, by each decoder that a route has; the first byte says which',
  lengthMax: 16_384,
  run: (bytes) => {
    const decode = bodies[(bytes[0] ?? 0) % bodies.length]
    decode?.(bytes.subarray(1))
  },
  seeds: () => bodySeeds.flatMap((text) => bodies.map((_, at) => Uint8Array.of(at, ...utf8(text)))),
  words: ['{"', '":', '[', ']', '},', 'null', 'true', '"10s"', '"critical"', '{"KV":{"Verb":"set"', '"__proto__":{}'],
  bounds: { steps: (length) => 20_000 + 1_500 * length, bytes: (length) => (2 << 20) + 1_000 * length },
}

const bodySeeds = [
  '{"Node":"n","Address":"10.0.0.1","Service":{"Service":"web","Port":80,"Tags":["a"],"Meta":{"k":"v"}},"Check":{"Name":"c","Status":"passing"}}',
  '{"ID":"web","Name":"web","Port":80,"Check":{"HTTP":"http://x/","Interval":"10s"},"Checks":[{"TTL":"10s"}],"Connect":{"SidecarService":{}}}',
  '{"ID":"mem","Name":"m","Args":["/bin/x"],"Interval":"10s","Header":{"a":["b"]}}',
  '{"SourceName":"web","DestinationName":"db","Action":"allow","Meta":{"a":"b"}}',
  '{"Target":"db","ClientCertURI":"spiffe://x.svc/ns/default/dc/dc1/svc/web","ClientCertSerial":"04"}',
  '{"AccessorID":"","SecretID":"","Description":"d","Policies":[{"ID":"a"},{"Name":"b"}],"Local":true}',
  '{"Name":"p","Rules":"key \\"\\" { policy = \\"read\\" }","Datacenters":["dc1"]}',
  '[{"KV":{"Verb":"set","Key":"a","Value":"YQ==","Flags":1,"Index":5,"Session":"s"}},{"KV":{"Verb":"get","Key":"b"}}]',
  '{"Name":"q","Service":{"Service":"web","Failover":{"NearestN":3,"Datacenters":["dc2"]},"Tags":["a","!b"]},"Template":{"Type":"name_prefix_match","Regexp":"^a(.*)$"},"DNS":{"TTL":"10s"}}',
  '{"Name":"s","TTL":"10s","LockDelay":"15s","Checks":["serfHealth"],"Behavior":"release"}',
  '{"CleanupDeadServers":true,"LastContactThreshold":"200ms","MaxTrailingLogs":250}',
]

const jsonInput: FuzzTarget = {
  name: 'json-input',
  about: 'JSON from outside',
  lengthMax: 16_384,
  run: (bytes) => {
    const read = parseJsonInput(bytes)
    if (!read.ok) return
    // What is JSON for the engine is JSON here; the other way round the field reads one value, and ignores what
    // follows.
    const text = textOf(bytes)
    if (text.length > 10_000) return
    try {
      JSON.parse(text)
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause
    }
  },
  seeds: () =>
    [...bodySeeds, '1', '-0.5e+3', '"\\u00e9\\ud83d\\ude00"', '[[[[]]]]', '{"a":{"a":{}}}', ' true x'].map((text) =>
      utf8(text),
    ),
}

export const httpTargets: readonly FuzzTarget[] = [httpTarget, httpBody, jsonInput]
