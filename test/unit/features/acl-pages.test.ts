import { describe, expect, it } from 'vitest'
import { legacySet } from '../../../src/features/acl/legacy/legacy-commands.ts'
import type { Round } from '../../../src/features/acl/replication/asking-primary.ts'
import { legacyRound, policiesRound, tokensRound } from '../../../src/features/acl/replication/copying.ts'
import {
  legacyPageEndpoint,
  policyPageEndpoint,
  tokenPageEndpoint,
} from '../../../src/features/acl/replication/page-endpoints.ts'
import { enterNewMode } from '../../../src/features/acl/system/mode-commands.ts'
import * as views from '../../../src/features/acl/views.ts'
import { noChange } from '../../../src/model/log-position.ts'
import { AclWorld } from './acl-world.ts'

/** Answers of the primary datacenter are limited, to less than a whole list takes. */
const answerBytesMax = 16_000
const pageBytes = 12_000

async function two(): Promise<{ readonly primary: AclWorld; readonly secondary: AclWorld }> {
  const primary = await AclWorld.begun()
  const secondary = new AclWorld('dc-two', 'dc1', '')
  secondary.server.peers.set('dc1', primary.server)
  await secondary.server.context.propose(enterNewMode, {})
  primary.server.answerBytesMax = answerBytesMax
  return { primary, secondary }
}

function roundOf({ server }: AclWorld, more: Partial<Round> = {}): Round {
  const access = server.serverAccess
  if (access === undefined) throw new Error('it is off')
  return { server: server.context, access, after: noChange, pageBytes, over: () => false, ...more }
}

/** The hundred and more tokens take some 30,000 bytes as a list, and twice as much by the estimate. */
async function withTokens(primary: AclWorld, count = 120): Promise<void> {
  await primary.root('PUT /v1/acl/policy', { Name: 'reads', Rules: 'key_prefix "" { policy = "read" }' })
  for (let at = 0; at < count; at++) {
    await primary.root('PUT /v1/acl/token', { Description: `token ${at}`, Policies: [{ Name: 'reads' }] })
  }
  await primary.root('PUT /v1/acl/token', { Description: 'stays there', Local: true })
}

const shown = (world: AclWorld) =>
  [...views.allTokens(world.server.read())]
    .filter(({ local }) => !local)
    .map(({ accessor, secret, description }) => [accessor, secret, description])

async function copied(both: Awaited<ReturnType<typeof two>>, more: Partial<Round> = {}) {
  const policies = await policiesRound(roundOf(both.secondary, more))
  return [policies, await tokensRound(roundOf(both.secondary, more))].map((done) =>
    done.ok ? 'done' : done.error.kind,
  )
}

describe('lists that are longer than an answer between agents', () => {
  it('[ACL-046] tokens are copied page by page, and what is gone is removed', async () => {
    const both = await two()
    const { primary, secondary } = both
    await withTokens(primary)
    expect(await copied(both)).toEqual(['done', 'done'])
    expect(shown(secondary)).toEqual(shown(primary))
    expect(shown(secondary)).toHaveLength(122)
    for (const [accessor, , description] of shown(primary)) {
      if (description?.endsWith('7') === true) await primary.root(`DELETE /v1/acl/token/${accessor}`)
    }
    expect(await copied(both)).toEqual(['done', 'done'])
    expect(shown(secondary)).toEqual(shown(primary))
    expect(shown(secondary)).toHaveLength(110)
  })

  it('policies are copied page by page, and the index is that of the first page', async () => {
    const both = await two()
    const { primary, secondary } = both
    for (let at = 0; at < 80; at++) {
      await primary.root('PUT /v1/acl/policy', { Name: `p${at}`, Description: 'd'.repeat(200), Rules: '# none' })
    }
    const { readElsewhere } = secondary.server.context
    const before = views.policiesIndex(primary.server.read())
    let pages = 0
    const between: typeof readElsewhere = async (...asked) => {
      const answer = await readElsewhere(...asked)
      if (asked[0].method === policyPageEndpoint.method && ++pages === 1) {
        await primary.root('PUT /v1/acl/policy', { Name: 'later', Rules: '# none' })
      }
      return answer
    }
    Object.assign(secondary.server.context, { readElsewhere: between })
    expect(await policiesRound(roundOf(secondary))).toEqual({ ok: true, value: before })
    expect(pages).toBeGreaterThan(2)
    expect(await policiesRound(roundOf(secondary))).toMatchObject({ ok: true })
    const names = (world: AclWorld) => [...views.allPolicies(world.server.read())].map(({ name }) => name)
    expect(names(secondary)).toEqual(names(primary))
    expect(names(secondary)).toContain('later')
  })

  it('legacy tokens are copied page by page, whatever text their IDs are', async () => {
    const primary = new AclWorld()
    const secondary = new AclWorld('dc-two', 'dc1', '')
    secondary.server.peers.set('dc1', primary.server)
    const rules = `# ${'x'.repeat(100)}`
    const ids = ['root', 'ü', 'z', '日本', '\u{1f600}', ...Array.from({ length: 100 }, (_, at) => `id-${at}`)]
    for (const id of ids) {
      const type = id === 'root' ? 'management' : 'client'
      await primary.server.context.propose(legacySet, { id, name: id, type, rules, unlessThere: false })
    }
    primary.server.answerBytesMax = answerBytesMax
    expect(await legacyRound(roundOf(secondary))).toMatchObject({ ok: true })
    const secrets = (world: AclWorld) => [...views.allTokens(world.server.read())].map(({ secret }) => secret)
    expect(secrets(secondary)).toEqual(secrets(primary))
    expect(secrets(secondary)).toHaveLength(ids.length)
  })

  it('copies of tokens without accessors stay while the primary has one of them, on whichever page it would be', async () => {
    const both = await two()
    const { primary, secondary } = both
    await withTokens(primary)
    await primary.root('PUT /v1/acl/create', { ID: 'old' })
    const copy = { id: 'copy', name: '', type: 'client', rules: '', unlessThere: false } as const
    await secondary.server.context.propose(legacySet, copy)
    await copied(both)
    expect(secondary.token('copy')).toBeDefined()
    await primary.clock.advance(2_000)
    expect(primary.token('old')?.accessor).toHaveLength(36)
    await copied(both)
    expect([secondary.token('copy'), secondary.token('old')?.accessor]).toEqual([
      undefined,
      primary.token('old')?.accessor,
    ])
  })
})

describe('a primary datacenter whose servers are of an earlier build', () => {
  const pages = [policyPageEndpoint, tokenPageEndpoint, legacyPageEndpoint].map(({ method }) => method)

  it('is asked for whole lists', async () => {
    const both = await two()
    const { primary, secondary } = both
    for (const method of pages) primary.server.unknownMethods.add(method)
    await withTokens(primary, 20)
    expect(await copied(both)).toEqual(['done', 'done'])
    expect(shown(secondary)).toEqual(shown(primary))
    expect(shown(secondary)).toHaveLength(22)
  })

  it('may answer the rest of a list when the first page came from a newer server', async () => {
    const both = await two()
    const { primary, secondary } = both
    await withTokens(primary)
    await policiesRound(roundOf(secondary))
    const { readElsewhere } = secondary.server.context
    const older: typeof readElsewhere = async (...asked) => {
      const answer = await readElsewhere(...asked)
      for (const method of pages) primary.server.unknownMethods.add(method)
      primary.server.answerBytesMax = undefined
      return answer
    }
    Object.assign(secondary.server.context, { readElsewhere: older })
    expect(await tokensRound(roundOf(secondary))).toMatchObject({ ok: true })
    expect(shown(secondary)).toEqual(shown(primary))
  })
})

describe('a page that brings a list no further', () => {
  it('ends the round, and nothing is removed here', async () => {
    const both = await two()
    const { primary, secondary } = both
    await withTokens(primary, 20)
    await copied(both)
    const before = shown(secondary)
    const { readElsewhere } = secondary.server.context
    let asked = 0
    const standing: typeof readElsewhere = async (endpoint, args, ...more) => {
      if (endpoint.method !== tokenPageEndpoint.method) return readElsewhere(endpoint, args, ...more)
      asked++
      return readElsewhere(endpoint, { after: '', bytesMax: 1 } as typeof args, ...more)
    }
    Object.assign(secondary.server.context, { readElsewhere: standing })
    const done = await tokensRound(roundOf(secondary))
    expect(done).toEqual({ ok: false, error: { kind: 'malformed-answer', method: tokenPageEndpoint.method } })
    expect([asked, shown(secondary)]).toEqual([2, before])
  })

  it('is not read to its end when leadership is lost, and nothing is written', async () => {
    const both = await two()
    const { primary, secondary } = both
    await withTokens(primary, 20)
    await copied(both)
    const { index } = secondary.server
    expect(await tokensRound(roundOf(secondary, { over: () => true, pageBytes: 1 }))).toEqual({ ok: true, value: 0 })
    expect(secondary.server.index).toBe(index)
  })
})

describe('what pages show', () => {
  it('no secret, no rules, no local token', async () => {
    const { primary } = await two()
    await withTokens(primary, 3)
    const { value } = tokenPageEndpoint.query(primary.server.read(), { after: '', bytesMax: 1 << 20 })
    if (value.mode !== 'new') throw new Error('it is in the legacy mode')
    expect(value.found.isLast).toBe(true)
    expect(value.found.entries.map(({ secret, rules, local }) => [secret, rules, local])).toEqual(
      Array.from({ length: 5 }, () => ['', '', false]),
    )
  })

  it('policies without their rules, and legacy tokens only to callers that may write tokens', async () => {
    const { primary } = await two()
    const { secret } = await primary.tokenOf('acl = "read"')
    const read = { consistency: 'default', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' } as const
    const args = { after: '', bytesMax: 1 << 20 }
    const { agent } = primary.server
    const policies = await agent.query(policyPageEndpoint, args, read, { token: secret })
    expect(policies).toMatchObject({ ok: true, value: { value: { found: { isLast: true } } } })
    expect(JSON.stringify(policies)).not.toContain('acl = ')
    const refused = await agent.query(legacyPageEndpoint, args, read, { token: secret })
    expect(refused).toMatchObject({ ok: false, error: { kind: 'permission-denied' } })
    const anonymous = await agent.query(tokenPageEndpoint, args, read, {})
    expect(anonymous).toMatchObject({ ok: false, error: { kind: 'permission-denied' } })
  })
})
