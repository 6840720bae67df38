import { describe, expect, it } from 'vitest'
import type { ServerSeen, TokenState, Visit } from '../../../sim/checkers/access/access-facts.ts'
import { AccessHistory } from '../../../sim/checkers/access/access-history.ts'
import { AccessMode } from '../../../sim/checkers/access/access-mode.ts'
import { TokenMigration } from '../../../sim/checkers/access/token-migration.ts'
import { recorder } from './reports.ts'

const second = 1_000_000

function legacy(rules: string, accessor = ''): TokenState {
  return { accessor, management: false, legacyRules: rules, policies: [], isLocal: false }
}

function rule(policy: string): string {
  return `key "k" { policy = "${policy}" }`
}

function linked(...policies: readonly string[]): TokenState {
  return { accessor: 'a', management: false, legacyRules: undefined, policies, isLocal: false }
}

function historyOf(reaching: { readonly sinceUs: number | undefined } = { sinceUs: 0 }) {
  const { judge, lines: told } = recorder()
  const history = new AccessHistory(judge, {
    reachingSinceUs: () => reaching.sinceUs,
    reachingFirstSinceUs: () => undefined,
  })
  history.settings({ ttlUs: 30 * second, defaultPolicy: 'deny' })
  const state = (
    atS: number,
    tokens: Readonly<Record<string, TokenState>>,
    policies: Readonly<Record<string, string>> = {},
  ): void => {
    history.changed({
      atUs: atS * second,
      tokens: new Map(Object.entries(tokens)),
      policies: new Map(Object.entries(policies)),
    })
  }
  const visit = (said: Visit['said'], atS: number, given: Partial<Visit> = {}): void => {
    const [callUs, returnUs] = [atS * second, atS * second + 1000]
    history.visited({
      agent: 'c1',
      datacenter: 'dc1',
      secret: 's',
      what: 'write k',
      needs: [{ resource: 'key', name: 'k', right: 'write' }],
      said,
      callUs,
      returnUs,
      ...given,
    })
  }
  return { state, visit, told }
}

describe('A1, no escalation', () => {
  it('accepts what a state of that time allows', () => {
    const { state, visit, told } = historyOf()
    state(1, { s: legacy(rule('write')) })
    visit('allowed', 20)
    visit('denied', 20, { needs: [{ resource: 'key', name: 'other', right: 'write' }] })
    expect(told).toEqual([])
  })

  it('reports what no state allows', () => {
    const { state, visit, told } = historyOf()
    state(1, { s: legacy(rule('read')) })
    visit('allowed', 20)
    expect(told.join()).toMatch(/^A1: .*'allowed'.*no state of that time/)
  })

  it('lets a revoked token work for its time to live, and no longer', () => {
    const { state, visit, told } = historyOf()
    state(1, { s: legacy(rule('write')) })
    state(40, {})
    visit('allowed', 69)
    expect(told).toEqual([])
    visit('allowed', 71)
    expect(told.join()).toMatch(/^A1: /)
  })

  it('lets an agent that reached no server continue with what it knew', () => {
    const { state, visit, told } = historyOf({ sinceUs: 100 * second })
    state(1, { s: legacy(rule('write')) })
    state(40, {})
    visit('allowed', 101)
    expect(told).toEqual([])
    visit('allowed', 120)
    expect(told.join()).toMatch(/^A1: /)
  })

  it('looks at policies as they were at any time of the span', () => {
    const { state, visit, told } = historyOf()
    state(1, { s: linked('p', 'q') }, { p: rule('read'), q: '' })
    state(50, { s: linked('p', 'q') }, { p: rule('read'), q: rule('write') })
    visit('denied', 60)
    visit('allowed', 60)
    expect(told).toEqual([])
    visit('denied', 90)
    expect(told.join()).toMatch(/^A4: .*'denied'.*every state/)
  })

  it('names a token by its accessor and never by its secret', () => {
    const { state, visit, told } = historyOf()
    state(1, { 'the-secret': legacy('', 'the-accessor') })
    visit('allowed', 20, { secret: 'the-secret' })
    expect(told.join()).toContain('the-accessor')
    expect(told.join()).not.toContain('the-secret')
  })
})

describe('A4, a valid token is not refused', () => {
  it('reports a refusal where the agent reaches a server', () => {
    const { state, visit, told } = historyOf()
    state(1, { s: legacy(rule('write')) })
    visit('not found', 40)
    expect(told.join()).toMatch(/^A4: /)
  })

  it('reports one in other words, and names them', () => {
    const { state, visit, told } = historyOf()
    state(1, { s: legacy(rule('write')) })
    visit('denied', 40, { words: '400 Cannot modify' })
    expect(told.join()).toMatch(/^A4: .*'400 Cannot modify'/)
  })

  it('accepts one where it does not, or has only just begun to', () => {
    for (const reaching of [undefined, 39 * second]) {
      const { state, visit, told } = historyOf({ sinceUs: reaching })
      state(1, { s: legacy(rule('write')) })
      visit('denied', 40)
      expect(told).toEqual([])
    }
  })

  it('accepts that a token is unknown for a while after it was made', () => {
    const { state, visit, told } = historyOf()
    state(30, { s: legacy(rule('write')) })
    visit('not found', 40)
    expect(told).toEqual([])
  })
})

describe('A2 and A3, the mode', () => {
  const server = (name: string, acls: string | undefined, given: Partial<ServerSeen> = {}): ServerSeen => ({
    id: undefined,
    name,
    datacenter: 'dc1',
    status: 'alive',
    acls,
    ...given,
  })

  it('changes only when every server of the datacenter and of the primary one can follow', () => {
    const { judge, lines: told } = recorder()
    const mode = new AccessMode(judge)
    mode.proposed('s1', [server('s1', '2'), server('s2', '1'), server('x', undefined, { datacenter: 'dc3' })], ['dc1'])
    mode.proposed('s1', [server('s1', '2'), server('s2', undefined, { status: 'left' })], ['dc1'])
    expect(told).toEqual([])
    mode.proposed('s1', [server('s1', '2'), server('s2', undefined, { status: 'failed' })], ['dc1'])
    mode.proposed('s1', [server('s1', '2'), server('p1', '0', { datacenter: 'dc2' })], ['dc1', 'dc2'])
    expect(told).toHaveLength(2)
    expect(told[0]).toMatch(/^A2: .*s2 \(failed, acls absent\)/)
  })

  it('never goes back', () => {
    const { judge, lines: told } = recorder()
    const mode = new AccessMode(judge)
    for (const isNew of [false, true, true]) mode.recorded('s1', isNew)
    expect(told).toEqual([])
    mode.recorded('s2', false)
    expect(told.join()).toMatch(/^A3: /)
  })
})

describe('A4, the migration', () => {
  const tokens = (from: number, to: number, accessor: (number: number) => string) =>
    Array.from({ length: to - from }, (_, at): [string, TokenState] => [
      `t${from + at}`,
      legacy('', accessor(from + at)),
    ])

  it('gives batches of 128 at most, a second apart', () => {
    const { judge, lines: told } = recorder()
    const migration = new TokenMigration(judge)
    const state = (atS: number, done: number) => ({
      atUs: atS * second,
      policies: new Map<string, string>(),
      tokens: new Map(tokens(0, 300, (number) => (number < done ? `a${number}` : ''))),
    })
    migration.changed(state(1, 0), false)
    migration.changed(state(2, 128), true)
    migration.changed(state(3, 256), true)
    expect(told).toEqual([])
    migration.changed(state(3.5, 300), true)
    expect(told.join()).toMatch(/^A4: two batches .* 0\.500 s apart/)
  })

  it('reports a batch that is too large, and an accessor that changes', () => {
    const { judge, lines: told } = recorder()
    const migration = new TokenMigration(judge)
    const policies = new Map<string, string>()
    migration.changed({ atUs: 1, policies, tokens: new Map(tokens(0, 129, (number) => `a${number}`)) }, true)
    expect(told.join()).toMatch(/^A4: one batch .* 129/)
    migration.changed({ atUs: 2, policies, tokens: new Map([['t0', legacy('', 'b')]]) }, false)
    expect(told.at(-1)).toMatch(/^A4: a token had the accessor a0 and has b now/)
  })
})
