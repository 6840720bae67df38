import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MeshSecrets } from '../../sim/checkers/mesh/mesh-secrets.ts'
import { ToldStates } from '../../sim/inspection/told-states.ts'
import { Meanings } from '../../sim/meaning/meanings.ts'
import { createPlatform } from '../../sim/platform/platform.ts'
import type { TraceRecord } from '../../sim/report/trace-record.ts'
import { loadScenario } from '../../sim/scenario/language/load.ts'
import { ScenarioRun } from '../../sim/scenario/run.ts'
import { base64, hex } from '../../src/base/bytes.ts'
import { projectRoot } from './svc-sim.ts'

/** The secrets of the page are of a form that occurs in no other text. */
const page = `scenario: Secrets everywhere
cluster:
  dc1:
    servers: { count: 3 }
    clients: { count: 1 }
    config:
      encrypt: cg8StVXbQJ0gPvMd9o7yrg==
      acl_datacenter: dc1
      acl_default_policy: deny
      acl_master_token: secret-of-the-master
      acl_agent_token: secret-of-the-master
      acl_token: secret-of-the-master
      connect: { enabled: true }
      performance: { raft_multiplier: 1 }
operator: { token: secret-of-the-master }
proxies:
  shop: { at: clients, count: 2, connections: 1, every: 1s..2s, wait: 1m }
steps:
  - step: there is a leader, and a token
    eventually: { within: 40s, leader: exactly one, answer: { at: c1, request: GET /v1/acl/list?token=secret-of-the-master, status: 200, body: /Master/ } }
  - step: every server has it
    wait: 1s
  - step: a legacy token by way of a client
    http: { at: c1, request: PUT /v1/acl/create?token=secret-of-the-master, body: '{"ID": "secret-of-a-client", "Name": "web", "Rules": "key \\"\\" { policy = \\"write\\" }"}' }
    expect: { status: 200 }
  - step: it is looked at
    http: { at: c1, request: GET /v1/acl/info/secret-of-a-client }
    expect: { status: 200 }
  - step: copied
    http: { at: c1, request: PUT /v1/acl/clone/secret-of-a-client, headers: { X-Svc-Token: secret-of-the-master }, save: copy }
    expect: { status: 200 }
  - step: used
    http: { at: c1, request: "PUT /v1/kv/a?dc=dc1;%74oken=\${copy.body.ID}", body: x }
    expect: { status: 200 }
  - step: and deleted
    http: { at: c1, request: "PUT /v1/acl/destroy/\${copy.body.ID}", headers: { X-Svc-Token: secret-of-the-master } }
    expect: { status: 200 }
  - step: after which nobody knows it, and no route that is written wrongly shows it
    http: { at: c1, request: "GET /v1/acls/info/\${copy.body.ID}", headers: { X-Svc-Token: "\${copy.body.ID}" } }
    expect: { status: 404 }
  - step: a token of the new kind
    http: { at: c1, request: PUT /v1/acl/token, headers: { X-Svc-Token: secret-of-the-master }, body: '{"Description": "another"}', save: another, within: 20s }
    expect: { status: 200 }
  - step: every server has this one, too
    wait: 1s
  - step: another key for the gossip is installed
    http: { at: c1, request: POST /v1/operator/keyring, headers: { X-Svc-Token: secret-of-the-master }, body: '{"Key":"pUqJrVyVRj5jsiYEkM/tFQYfWyJIv4s3XkvDwy7Cu5s="}' }
    expect: { status: 200 }
  - step: used
    http: { at: c1, request: PUT /v1/operator/keyring, headers: { X-Svc-Token: secret-of-the-master }, body: '{"Key":"pUqJrVyVRj5jsiYEkM/tFQYfWyJIv4s3XkvDwy7Cu5s="}' }
    expect: { status: 200 }
  - step: the first one is removed
    http: { at: c1, request: DELETE /v1/operator/keyring, headers: { X-Svc-Token: secret-of-the-master }, body: '{"Key":"cg8StVXbQJ0gPvMd9o7yrg=="}' }
    expect: { status: 200 }
  - step: all keys are listed
    http: { at: c1, request: GET /v1/operator/keyring, headers: { X-Svc-Token: secret-of-the-master } }
    expect: { status: 200, body: /pUqJ/ }
  - step: the token of the new kind is read by its holder
    http: { at: c1, request: GET /v1/acl/token/self, headers: { X-Svc-Token: "\${another.body.SecretID}" } }
    expect: { status: 200 }
  - step: another key for the certificate authority
    authority: { at: one of servers, key: ec-384, within: 1m }
  - step: proxies meet
    wait: 5s
`

/**
 * Shipped scenarios with a bootstrap token; then, in long tests, with others, keyrings, authorities and an external
 * provider.
 */
const shipped = ['acl-bootstrap-new-cluster']
const furtherShipped = [
  'acl-query-fails-over',
  'acl-replication-bad-token',
  'ca-federation',
  'ca-rotation-to-external-provider',
  'ca-snapshot-restore',
  'key-rotation-with-absent-node',
]

interface Traced {
  readonly records: readonly TraceRecord[]
  /** Tokens and keys of gossip, as texts. */
  readonly secrets: ReadonlySet<string>
  /** Private keys in PEM: those of authorities, and those of leaves. */
  readonly keys: readonly string[]
  readonly failures: readonly unknown[]
}

/** Runs a scenario with a trace, and listens for each secret where it comes into being. */
async function traced(file: string, text: string): Promise<Traced> {
  const loaded = loadScenario(file, text)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  const platform = createPlatform()
  const meanings = new Meanings(platform)
  const records: TraceRecord[] = []
  const secrets = new Set<string>()
  // Keys that are installed and never sealed with stand in the page alone.
  for (const [key] of text.matchAll(/[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{43}=/g)) secrets.add(key)
  const trace = {
    onRecord: (record: TraceRecord) => void records.push(record),
    meaning: (bytes: Parameters<Meanings['of']>[0]) => meanings.of(bytes),
    onSealed: (key: Uint8Array) => {
      meanings.keys.sealedWith(key)
      for (const written of [base64(key), hex(key)]) secrets.add(written)
    },
  }
  const authorities = vi.spyOn(MeshSecrets.prototype, 'authorityKey')
  const leaves = vi.spyOn(MeshSecrets.prototype, 'leafKey')
  try {
    const run = new ScenarioRun({ states: (of) => new ToldStates(of), loaded: loaded.value, seed: 1, platform, trace })
    const told = [...run.invariantsOf.values()].map((checks) => vi.spyOn(checks, 'tell'))
    const { failures } = await run.run()
    for (const [name, fact] of told.flatMap(({ mock }) => mock.calls)) {
      if (name === 'token written' && 'secret' in fact) secrets.add(fact.secret)
      if (name === 'access changed' && 'state' in fact)
        for (const secret of fact.state.tokens.keys()) secrets.add(secret)
    }
    const signing = authorities.mock.calls.map(([key]) => key)
    // The token of an external provider is kept in the place of a key.
    for (const token of signing.filter((key) => key !== '' && !key.includes('PRIVATE KEY'))) secrets.add(token)
    secrets.delete('anonymous')
    return { records, secrets, keys: [...signing, ...leaves.mock.calls.map(([, key]) => key)], failures }
  } finally {
    platform.close()
  }
}

/** Lines of the trace that give a secret away. */
function leaks({ records, secrets, keys }: Traced): readonly string[] {
  const found: string[] = []
  const report = (_code: string, message: string): void => void found.push(message)
  const pieces = new MeshSecrets({ report, judged: () => undefined, excused: () => undefined })
  for (const key of keys) if (key.includes('PRIVATE KEY')) pieces.authorityKey(key)
  for (const record of records) {
    const line = JSON.stringify(record)
    const text = line.replaceAll('\\/', '/')
    pieces.said({ node: `${record.kind} ${line}`, where: 'log', text: () => text })
    const shown = [...secrets].filter((secret) => isIn(text, secret) || isIn(text, encodeURIComponent(secret)))
    if (shown.length > 0) found.push(`${shown.join(', ')}: ${line}`)
  }
  return found.slice(0, 20)
}

/** Some pages have a short word for a secret, which is also the beginning of others: `root` of `roots`. */
const wordMax = 8

function isIn(text: string, secret: string): boolean {
  if (secret.length > wordMax) return text.includes(secret)
  return new RegExp(`(?<![A-Za-z0-9])${secret.replaceAll(/[^A-Za-z0-9]/g, '\\$&')}(?![A-Za-z0-9])`).test(text)
}

describe('no secret is in the trace', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('of a run with tokens of both kinds, a keyring and a certificate authority', async () => {
    const run = await traced('secrets.yaml', page)
    expect(run.failures).toEqual([])
    expect([...run.secrets].filter((secret) => /^[0-9a-f-]{36}$/.test(secret)).length).toBeGreaterThanOrEqual(2)
    expect([...run.secrets]).toEqual(expect.arrayContaining(['secret-of-the-master', 'secret-of-a-client']))
    expect(run.keys.filter((key) => key.includes('PRIVATE KEY')).length).toBeGreaterThanOrEqual(4)
    const methods = new Set(
      run.records
        .flatMap((record) => ('means' in record ? (record.means ?? []) : []))
        .map((each) => ('method' in each ? each.method : undefined)),
    )
    for (const method of ['ACL.Apply', 'ACL.TokenSet', 'Internal.KeyringOperation', 'ConnectCA.Sign'])
      expect(methods).toContain(method)
    expect(leaks(run)).toEqual([])
  })

  const isLong = process.env['SVC_TEST_LONG'] === '1'
  it.each([...shipped, ...(isLong ? furtherShipped : [])])(
    'of %s',
    async (name) => {
      const file = join(projectRoot, `scenarios/${name}.yaml`)
      expect(leaks(await traced(file, readFileSync(file, 'utf8')))).toEqual([])
    },
    600_000,
  )
})
