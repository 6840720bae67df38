import { describe, expect, it } from 'vitest'
import type { Comparing, Difference } from '../../../../src/access/rehearsal.ts'
import { Authorizers } from '../../../../src/agent/access/authorizers.ts'
import { DifferenceReport, RefusalReport } from '../../../../src/agent/access/report.ts'
import type { RuleText } from '../../../../src/agent/access/rights.ts'
import { Migrating } from '../../../../src/agent/access/server-access.ts'
import type { Env } from '../../../../src/env/env.ts'
import type { Fields } from '../../../../src/env/observe.ts'
import { legacySet } from '../../../../src/features/acl/legacy/legacy-commands.ts'
import { enterNewMode, migrateTokens } from '../../../../src/features/acl/system/mode-commands.ts'
import { HandClock } from '../../features/hand-clock.ts'
import { LoneServer } from '../../features/lone-server.ts'

/** An agent's log and metrics. */
class Heard {
  readonly clock = new HandClock()
  readonly lines: unknown[] = []
  readonly counted: string[] = []
  readonly env = {
    ...this.clock.env,
    log: {
      enabled: () => true,
      write: (_level: string, _topic: string, text: string, fields?: Fields) => this.lines.push([text, fields]),
    },
    metrics: { count: (name: string) => this.counted.push(name), gauge: () => {}, sample: () => {} },
  } as unknown as Env
}

function authorizerOf(env: Env, text: string, comparing: Comparing, grammar: RuleText['grammar'] = 'legacy') {
  const parts = { env, keyListPolicy: false, enforces: undefined, defaultPolicy: 'deny' as const, comparing }
  return new Authorizers(parts).of({ accessor: 'a', management: false, rules: [{ policy: 'own', grammar, text }] })
}

const accessor = '22222222-2222-2222-2222-222222222222'

/** As long as rules may be: in the new grammar they are longer. */
const tooLongInNew = [
  'key "a"{policy="write"}',
  ...Array.from({ length: 255 }, (_, at) => `key "${String(at).padStart(2_000, '0')}"{policy="read"}`),
]
  .join('\n')
  .padEnd(524_200, '#')

describe('rules of the former grammar, while a datacenter leaves it', () => {
  it('are followed, and decide the same as their translation', () => {
    const { env } = new Heard()
    const told: Difference[] = []
    const authorizer = authorizerOf(env, 'key "a" { policy = "write" } acl = "write"', {
      differs: (difference) => told.push(difference),
      isOn: () => true,
    })
    expect([authorizer.allows('key', 'ab', 'write'), authorizer.allows('acl', '', 'read')]).toEqual([true, false])
    expect([authorizer.readsAll('key'), authorizer.writesTree('a'), told]).toEqual([false, true, []])
  })

  it('are reported where the new system could not read their translation, and would grant nothing', () => {
    const { env, counted, lines } = new Heard()
    const report = new DifferenceReport(env, () => true)
    const authorizer = authorizerOf(env, tooLongInNew, report)
    expect(authorizer.allows('key', 'ab', 'write')).toBe(true)
    expect(authorizer.allows('key', 'ac', 'write')).toBe(true)
    report.stop()
    expect(counted).toEqual(['acl.would-differ', 'acl.would-differ'])
    expect(lines.at(-1)).toEqual([
      'translated rules would decide otherwise',
      {
        accessor: 'a',
        resource: 'key',
        right: 'write',
        name: 'ab',
        why: 'allowed by key "a" write, own, would be refused by default policy deny',
        times: 2,
      },
    ])
  })

  it('are compared no longer when all is over, and rules of the new grammar never are', () => {
    const { env, counted } = new Heard()
    let isOn = true
    const report = new DifferenceReport(env, () => isOn)
    const authorizer = authorizerOf(env, tooLongInNew, report)
    isOn = false
    expect(authorizer.allows('key', 'ab', 'write')).toBe(true)
    expect(authorizerOf(env, tooLongInNew, report).allows('key', 'ab', 'write')).toBe(true)
    isOn = true
    expect(authorizerOf(env, 'key_prefix "a" { policy = "write" }', report, 'new').allows('key', 'ab', 'write')).toBe(
      true,
    )
    expect(counted).toEqual([])
  })
})

describe('what would happen and does not', () => {
  it('is written down a while after the first of it, each kind of it once', async () => {
    const { env, clock, counted, lines } = new Heard()
    const report = new RefusalReport(env)
    const lenient = report.dress(
      authorizerOf(env, 'key "a" { policy = "read" }', { differs: () => {}, isOn: () => false }),
    )
    for (const name of ['a1', 'a2']) expect(lenient.allows('key', name, 'write')).toBe(true)
    expect(lenient.allows('acl', '', 'write')).toBe(false)
    expect([counted, lines]).toEqual([['acl.would-deny', 'acl.would-deny'], []])
    await clock.advance(10_000)
    expect(lines).toMatchObject([['would be refused', { name: 'a1', times: 2 }]])
  })
})

describe('the way to the new system', () => {
  it('is over when the datacenter is in the new mode, and the primary one has migrated all; for good', async () => {
    const server = new LoneServer(new HandClock().env)
    const state = { read: () => server.read(), watch: server.context.watch }
    const [primary, secondary] = [new Migrating(state, true), new Migrating(state, false)]
    const seen = (): unknown => [primary.isOver, secondary.isOver]
    await server.context.propose(legacySet, { id: 't', name: '', type: 'client', rules: '', unlessThere: false })
    expect(seen()).toEqual([false, false])
    await server.context.propose(enterNewMode, {})
    expect(seen()).toEqual([false, true])
    await server.context.propose(migrateTokens, { tokens: [{ secret: 't', accessor, at: 99 }] })
    expect(seen()).toEqual([false, true])
    await server.context.propose(migrateTokens, { tokens: [{ secret: 't', accessor, at: 1 }] })
    expect(seen()).toEqual([true, true])
    await server.context.propose(legacySet, { id: 'u', name: '', type: 'client', rules: '', unlessThere: false })
    expect(seen()).toEqual([true, true])
  })
})
