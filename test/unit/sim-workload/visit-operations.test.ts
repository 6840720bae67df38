import { describe, expect, it } from 'vitest'
import type { Need } from '../../../sim/checkers/access/access-facts.ts'
import { statementsOf } from '../../../sim/checkers/access/access-judge.ts'
import { VisitEffects } from '../../../sim/checkers/access/visit-effects.ts'
import { allRules, drawnRules } from '../../../sim/workload/drawn-rules.ts'
import { VisitMemory } from '../../../sim/workload/visit-memory.ts'
import { visitOperations, visitRequest } from '../../../sim/workload/visit-operations.ts'
import { isPrepared } from '../../../sim/workload/visit-registrations.ts'
import { toldBy } from '../../../sim/workload/visit-verdict.ts'
import type { Draws } from '../../../sim/world/decisions/draws.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { recorder } from '../sim-checkers/reports.ts'

/** Draws these numbers in turn, and then the last one. */
function drawing(...numbers: readonly number[]): Draws {
  let at = 0
  const next = (): number => numbers[Math.min(at++, numbers.length - 1)] ?? 0
  return { below: (limit: number) => next() % limit } as unknown as Draws
}

let nowUs = 0
const given = { name: 'ab', other: 'b', node: 's1', mark: 'guests-1', memory: new VisitMemory(() => nowUs) }

function requestOf(operation: (typeof visitOperations)[number], ...numbers: readonly number[]) {
  return visitRequest(operation, given, drawing(...numbers, 0))
}

function neededTo(operation: (typeof visitOperations)[number], body: unknown, ...numbers: readonly number[]) {
  const { needs, shown } = requestOf(operation, ...numbers)
  return [...needs, ...(shown?.(JSON.stringify(body)) ?? [])].map(
    ({ resource, name, right }) => `${resource} ${name} ${right}`,
  )
}

describe('what a visit is made for', () => {
  it.each([
    ['list', [{ Key: 'ab' }, { Key: 'abc' }], [], ['key ab read', 'key abc read']],
    ['names', ['ab', 'ab-'], [], ['key ab read', 'key ab- read']],
    ['delete tree', true, [], ['key ab tree']],
    ['session', { ID: 'x' }, [], ['session s1 write']],
    ['sessions', [{ Node: 'c1' }], [], ['session c1 read']],
    ['health', [{ Node: { Node: 'c1' }, Service: { Service: 'a' } }], [0], ['node c1 read', 'service a read']],
    ['health', [{ Node: 'c1', ServiceName: '' }], [4], ['node c1 read']],
    [
      'health',
      [{ Node: { Node: 'c1' }, Service: { Service: 'p' } }],
      [5],
      ['node c1 read', 'service p read', 'service ab read'],
    ],
    ['catalog', [], [4], []],
    ['catalog', { a: [], b: [] }, [0], ['service a read', 'service b read']],
    ['catalog', { Node: { Node: 's1' }, Services: { x: { Service: 'a' } } }, [1], ['node s1 read', 'service a read']],
    ['catalog', null, [1], []],
    ['agent', [{ Name: 's1' }], [0], ['node s1 read']],
    ['agent', { x: { Service: 'a' } }, [1], ['service a read']],
    ['authorize', { Authorized: true }, [], ['service ab write']],
    ['intentions', {}, [0], ['intention ab read']],
    ['intentions', { Allowed: true }, [1], ['service ab read']],
    ['intentions', [{ DestinationName: 'b' }], [2], ['intention b read']],
    ['intend', { ID: 'x' }, [], ['intention ab write']],
    ['change intention', { ID: 'x' }, [0, 1], ['intention a write']],
    ['change intention', true, [0, 0], ['intention a write']],
    ['explain', { Allowed: true }, [0, 1], ['key ab write']],
    ['explain', { Allowed: false }, [0, 1], []],
    ['event', {}, [], ['event ab write']],
    ['events', [{ Name: 'b' }], [], ['event b read']],
    ['query', {}, [], ['query ab write']],
    ['queries', [{ Name: 'b' }], [], ['query b read']],
    [
      'queries',
      { Nodes: [{ Node: { Node: 'n' }, Service: { Service: 'b' } }] },
      [2],
      ['node n read', 'service b read'],
    ],
    ['queries', { Nodes: null }, [3], []],
    ['transaction', { Results: [{ KV: { Key: 'b' } }] }, [0, 0], ['key ab write', 'key b read']],
    ['transaction', { Results: null }, [2, 1], ['key b write']],
  ] as const)('%s, answered with %j, says that all this is allowed', (operation, body, numbers, needs) => {
    expect(neededTo(operation, body, ...numbers)).toEqual(needs)
  })

  it('names each request by words of its own, and those that show by a mark', () => {
    const all = visitOperations.map((operation) => requestOf(operation))
    expect(new Set(all.map(({ what }) => what)).size).toBeGreaterThan(visitOperations.length - 4)
    expect(
      all.flatMap(({ mark, body }) => (mark === undefined ? [] : [body?.length ?? 0])).every((size) => size > 0),
    ).toBe(true)
  })

  it('says of a refused transaction what was refused of it, and no more', () => {
    const { refused } = requestOf('transaction', 3, 0)
    const answer = (What: string) => JSON.stringify({ Results: null, Errors: [{ OpIndex: 1, What }] })
    expect(refused?.(answer('Permission denied'))).toEqual([{ resource: 'key', name: 'ab', right: 'write' }])
    expect(refused?.(answer('index is stale'))).toEqual([])
  })

  it('changes the intentions that other visits made, without changing their ends', () => {
    requestOf('intend').done?.(JSON.stringify({ ID: 'the-intention' }))
    const { target, body, mark } = requestOf('change intention', 0, 1)
    expect([target, mark]).toEqual(['/v1/connect/intentions/the-intention', given.mark])
    expect(JSON.parse(body ?? '')).toMatchObject({ SourceName: 'b', DestinationName: 'ab' })
  })

  it('knows that an intention is surely there until a visit deletes it', () => {
    const memory = new VisitMemory(() => nowUs)
    const change = (...numbers: readonly number[]) =>
      visitRequest('change intention', { ...given, memory }, drawing(...numbers, 0))
    expect(change(0, 1).explained?.()).toBe(true)
    memory.keepIntention({ id: 'x', source: 'b', destination: 'ab' })
    const changed = change(0, 1)
    expect(changed.explained?.()).toBe(false)
    const deleted = change(0, 0)
    expect([deleted.method, deleted.explained?.(), changed.explained?.()]).toEqual(['DELETE', true, true])
  })

  it.each([
    ['write', 400, 'Missing value', { said: 'denied', words: '400 Missing value' }],
    ['explain', 400, 'unknown resource', { said: 'denied', words: '400 unknown resource' }],
    ['intend', 400, 'duplicate intention found', undefined],
    ['session', 400, "Missing node registration for 's1'", undefined],
    ['query', 400, "name 'ab' aliases an existing query name", undefined],
    ['change intention', 400, 'Cannot modify non-existent intention', undefined],
    ['change intention', 500, 'the destination has changed meanwhile: try again', { said: 'denied' }],
    ['write', 500, 'no leader', undefined],
    ['write', 404, '', undefined],
  ] as const)(
    'takes the answer to %s of %i "%s" for a refusal unless the state explains it',
    (operation, status, body, told) => {
      // No intention is known.
      const request = visitRequest(operation, { ...given, memory: new VisitMemory(() => nowUs) }, drawing(1, 1, 0))
      const said = toldBy({ status, headers: new Map(), body: utf8(`${body}\n`) }, request)
      if (told === undefined) expect(said).toBeUndefined()
      else expect(said).toMatchObject({ ...told, needs: request.needs })
    },
  )

  it('says what an explanation denies', () => {
    const { denied } = requestOf('explain', 1, 0)
    expect(denied?.('{"Allowed":false}')).toEqual([{ resource: 'service', name: 'ab', right: 'read' }])
    expect(denied?.('{"Allowed":true}')).toEqual([])
  })

  it('renews and ends sessions that another visit was given, and knows while they are surely there', () => {
    requestOf('session').done?.(JSON.stringify({ ID: 'the-session' }))
    const renewal = requestOf('renew session')
    expect(renewal.target).toBe('/v1/session/renew/the-session')
    const needs = [{ resource: 'session', name: 's1', right: 'write' }]
    expect(renewal.hidden?.()).toEqual(needs)
    nowUs = 6_000_000
    expect(renewal.hidden?.()).toBeUndefined()
    nowUs = 4_000_000
    expect(requestOf('end session').hidden?.()).toEqual(needs)
    // It was asked to end.
    expect([renewal.hidden?.(), requestOf('end session').hidden?.()]).toEqual([undefined, undefined])
  })

  it.each([
    ['register', [1, 0], ['service ab']],
    ['register', [1, 1], ['service ab', 'service b']],
    ['register', [1, 2], ['service ab', 'service b']],
    ['register', [0, 3], ['node AB-GUESTS-1', 'service b']],
    ['register', [0, 4], ['service b', 'node ab-guests-1']],
    ['register', [0, 5], ['service b']],
    ['register', [0, 6], ['node AB-GUESTS-1', 'node ab-guests-1']],
    ['deregister', [0, 0], ['node AB-GUESTS-1', 'node ab-guests-1']],
    ['deregister', [1, 3], ['service b or node ab-guests-1']],
    ['deregister', [0, 1], ['service b or node AB-GUESTS-1 and node ab-guests-1']],
    ['deregister', [1, 5], ['node ab-guests-1']],
  ] as const)(
    'of %s, drawn as %o, needs %o, after an operator has registered the node',
    (operation, numbers, needs) => {
      const request = requestOf(operation, ...numbers)
      const text = ({ resource, name }: Need): string => `${resource} ${name}`
      expect(
        request.needs.map((need) => [text(need), need.or?.map(text).join(' and ')].filter(Boolean).join(' or ')),
      ).toEqual(needs)
      expect([request.needs.every(({ right }) => right === 'write'), isPrepared(operation)]).toEqual([true, true])
      expect([request.first?.target, request.target]).toEqual(['/v1/catalog/register', `/v1/catalog/${operation}`])
      expect(request.first?.body).toContain('"Node":"ab-guests-1"')
      expect(request.body).toContain(`"Node":"${request.mark}"`)
    },
  )

  it('waits for the index that it was told', () => {
    requestOf('wait').indexed?.(17)
    expect(requestOf('wait').target).toContain('index=17&')
  })
})

describe('the marks of visits', () => {
  const seen = (kind: string, body: object, outcome: unknown): readonly string[] => {
    const told: string[] = []
    const effects = new VisitEffects(recorder().judge)
    effects.began({ mark: 'm', tookEffect: () => void told.push('m') })
    for (let nth = 0; nth < 2; nth++) effects.tookEffect({ command: { kind, body, identity: undefined }, outcome })
    return told
  }

  it('show that it took effect, once', () => {
    expect(seen('kv.put', { value: utf8('m') }, true)).toEqual(['m'])
    expect(seen('txn', { operations: [{ value: utf8('x') }, { value: utf8('m') }] }, { kind: 'done' })).toEqual(['m'])
    expect(seen('session.create', { name: 'm' }, { id: 'x' })).toEqual(['m'])
    expect(seen('intention.create', { description: 'm' }, { id: 'x' })).toEqual(['m'])
    expect(seen('catalog.register', { node: { node: 'm' } }, { refusal: null })).toEqual(['m'])
    expect(seen('catalog.deregister', { node: 'm' }, true)).toEqual(['m'])
  })

  it('show nothing of what the state itself refused, or of others', () => {
    expect(seen('kv.put-cas', { value: utf8('m') }, false)).toEqual([])
    expect(seen('txn', { operations: [{ value: utf8('m') }] }, { kind: 'failed' })).toEqual([])
    expect(seen('session.create', { name: 'm' }, { refusal: 'no node' })).toEqual([])
    expect(seen('kv.put', { value: utf8('other') }, true)).toEqual([])
  })

  it('show that what was acknowledged had no effect, or only a later one', () => {
    const { judge, lines, counts } = recorder()
    const effects = new VisitEffects(judge)
    const put = (mark: string) => ({
      command: { kind: 'kv.put', body: { value: utf8(mark) }, identity: undefined },
      outcome: true,
    })
    const told = (mark: string) => effects.acknowledged({ mark, what: `write ${mark}`, agent: 'c1', calledIn: 7 })
    for (const mark of ['a', 'b', 'c']) effects.began({ mark, tookEffect: () => undefined })
    effects.tookEffect(put('a'))
    told('a')
    expect(lines).toEqual([])
    told('b')
    effects.tookEffect(put('b'))
    expect(lines).toEqual(['A6: c1 acknowledges to write b, and no command with its mark has taken effect'])
    expect(counts()).toEqual(['A6 2'])
  })
})

describe('rules that are drawn', () => {
  it('are such as the judge reads, in both grammars', () => {
    expect(statementsOf(allRules)).toHaveLength(7)
    for (const grammar of ['legacy', 'new'] as const) {
      const read = statementsOf(drawnRules(drawing(3, 5, 1, 2, 0, 4, 6), ['a', 's1'], grammar))
      expect(read.length).toBeGreaterThan(4)
      expect(read.every(({ block }) => grammar === 'new' || !block.endsWith('_prefix'))).toBe(true)
    }
  })
})
