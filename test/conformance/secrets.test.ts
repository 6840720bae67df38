import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Env } from '../../src/env/env.ts'
import { ask, begin, type Reply } from './ask.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

/** In every secret that this agent is given, and nowhere else. */
const marker = 'MARKER'
const master = `master-${marker}`
const legacy = `legacy-${marker}`
/** A token whose secret has the form that the field gives them. */
const uuid = 'f3a0c1d2-5b6e-4f70-8a91-b2c3d4e5f607'
const rules = 'key "" { policy = "read" }'

/** What goes to logs and metrics, whatever the log level. */
class Written {
  readonly lines: string[] = []

  readonly wrap = (env: Env): Env => {
    const note = (...what: readonly unknown[]): void => void this.lines.push(JSON.stringify(what))
    const noted = { count: note, gauge: note, sample: note, snapshot: () => env.metrics.snapshot() }
    const log: Env['log'] = { write: note, enabled: () => true, follow: (level, use) => env.log.follow(level, use) }
    return { ...env, log, metrics: noted }
  }

  about(text: string): readonly string[] {
    return this.lines.filter((line) => line.includes(text))
  }
}

describe('the secrets of tokens', () => {
  const written = new Written()
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  /** Each way in which a token is sent. */
  async function as(secret: string, line: string, body?: string): Promise<readonly Reply[]> {
    const withToken = `${line}${line.includes('?') ? '&' : '?'}token=${encodeURIComponent(secret)}`
    return [
      await ask(target, withToken, body),
      await target.until(begin(target, line, body, [['X-Svc-Token', secret]])),
    ]
  }

  beforeAll(async () => {
    const acl = {
      enabled: true,
      default_policy: 'deny',
      tokens: { master, agent: `agent-${marker}`, agent_master: `agent-master-${marker}`, replication: `r-${marker}` },
    }
    const more = { acl, log_level: 'trace' }
    const agent = await startSimulatedAgent('acl-bootstrap', { more, wrap: written.wrap })
    target = agent.target
    stop = agent.stop
    while ((await ask(target, `GET /v1/acl/list?token=${master}`)).status !== 200) await target.pause(50)
    await as(master, 'PUT /v1/acl/update', JSON.stringify({ ID: legacy, Rules: rules }))
    await target.pause(2_500)
  }, 60_000)
  afterAll(() => stop?.())

  it('are in no log line and no metric, whatever is asked for with them', async () => {
    const reader = `reader-${marker}`
    await as(master, 'PUT /v1/acl/update', JSON.stringify({ ID: reader, Rules: 'key "" { policy = "deny" }' }))
    const lines: readonly (readonly [string, string?])[] = [
      ['GET /v1/kv/a'],
      ['GET /v1/kv/a?index=1&wait=10ms'],
      ['PUT /v1/kv/a', 'x'],
      ['GET /v1/catalog/nodes'],
      ['GET /v1/agent/self'],
      ['PUT /v1/agent/service/register', JSON.stringify({ Name: 'web', Token: `service-${marker}` })],
      ['PUT /v1/session/create', '{}'],
      ['POST /v1/query', JSON.stringify({ Name: 'q', Token: `query-${marker}`, Service: { Service: 'web' } })],
      ['PUT /v1/event/fire/deploy', 'x'],
      ['PUT /v1/txn', '[]'],
      ['GET /v1/acl/token/self'],
      ['GET /v1/acl/tokens'],
      [`GET /v1/acl/info/${legacy}`],
      [`GET /v1/acl/%69nfo/${legacy}`],
      [`POST /v1/acl/info/${legacy}`, ''],
      [`PUT /v1/acl/clone/unknown-${marker}`, ''],
      [`PUT /v1/acl/destroy/unknown-${marker}`, ''],
      ['PUT /v1/acl/create', JSON.stringify({ ID: `new-${marker}`, Rules: 'key {' })],
      ['PUT /v1/acl/token', JSON.stringify({ SecretID: `given-${marker}`, Rules: 'x' })],
      ['POST /v1/connect/intentions', JSON.stringify({ SourceName: 'web', DestinationName: 'db', Action: 'deny' })],
      ['POST /v1/agent/connect/authorize', JSON.stringify({ Target: 'db', ClientCertURI: 'spiffe://1.svc' })],
      ['PUT /v1/acl/bootstrap', ''],
      ['PUT /v1/agent/token/acl_token', JSON.stringify({ Token: `slot-${marker}` })],
      ...[legacy, uuid].flatMap((misplaced): readonly (readonly [string, string?])[] => [
        [`GET /v1/kv/a?TOKEN=${misplaced}`],
        [`GET /v1/kv/a?tokne=${misplaced}`],
        [`GET /v1/session/info/${misplaced}`],
        [`PUT /v1/session/renew/${misplaced}`, ''],
        [`PUT /v1/session/destroy/${misplaced}`, ''],
        [`GET /v1/acl/token/${misplaced}`],
        [`GET /v1/acl/policy/${misplaced}`],
        [`GET /v1/acl/rules/translate/${misplaced}`],
        [`PUT /v1/agent/token/${misplaced}`, JSON.stringify({ Token: 'x' })],
      ]),
      [`GET /v1/kv/${uuid}`],
      [`PUT /v1/kv/under/${uuid}`, 'x'],
      [`PUT /v1/kv/a?acquire=${uuid}`, 'x'],
      [`GET /v1/catalog/nodes?dc=${uuid}`],
      [`GET /v1/health/service/${uuid}?near=${uuid}`],
      [`GET /v1/query/${uuid}`],
      [`GET /v1/query/${uuid}/execute`],
      [`GET /v1/connect/intentions/${uuid}`],
      [`PUT /v1/agent/service/deregister/${uuid}`, ''],
      [`PUT /v1/agent/check/pass/${uuid}`, ''],
      [`PUT /v1/event/fire/${uuid}`, ''],
    ]
    for (const secret of [master, legacy, reader, uuid, `unknown-${marker}`]) {
      for (const [line, body] of lines) await as(secret, line, body)
    }
    await target.pause(20_000)
    expect(written.about('/v1/acl/info/<hidden>').length).toBeGreaterThan(0)
    expect(written.about('token=<hidden>').length).toBeGreaterThan(0)
    expect(written.about('permission denied').length).toBeGreaterThan(0)
    expect(written.about(marker)).toEqual([])
    expect(written.about(uuid)).toEqual([])
  }, 60_000)

  it('are in no error text, and in no answer that is not of tokens', async () => {
    const lines: readonly (readonly [string, string?])[] = [
      ['GET /v1/kv/a'],
      ['PUT /v1/kv/a', 'x'],
      ['GET /v1/acl/policies'],
      ['GET /v1/acl/tokens'],
      ['GET /v1/acl/status'],
      ['GET /v1/acl/replication'],
      ['GET /v1/agent/self'],
      ['GET /v1/agent/metrics'],
      [`PUT /v1/acl/clone/unknown-${marker}`, ''],
      ['PUT /v1/acl/update', JSON.stringify({ ID: `x-${marker}`, Type: 'king' })],
      ['PUT /v1/acl/token', JSON.stringify({ SecretID: `given-${marker}`, Type: 'x' })],
    ]
    for (const secret of [master, legacy, `unknown-${marker}`]) {
      for (const [line, body] of lines) {
        for (const answer of await as(secret, line, body)) expect(answer.text, line).not.toContain(marker)
      }
    }
  })
})
