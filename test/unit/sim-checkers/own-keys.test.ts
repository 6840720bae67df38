import { describe, expect, it } from 'vitest'
import { OwnKeys } from '../../../sim/checkers/keys/own-keys.ts'
import { type OwnVerb, ownTransaction } from '../../../sim/checkers/keys/own-transactions.ts'
import { OwnTree } from '../../../sim/checkers/keys/own-tree.ts'
import { expectedText, learnAll, type ToldRow, toldText } from '../../../sim/checkers/keys/own-words.ts'
import { recorder } from './reports.ts'

const written = { value: 'v', flags: '0' }
const verb = (name: string, key: string, more: Partial<OwnVerb> = {}): OwnVerb => ({
  ...{ verb: name, key, ...written, index: 0, session: '' },
  ...more,
})

/** One key `k`, which was written at index 7. */
function oneKey(): OwnTree {
  const tree = new OwnTree()
  tree.begin()
  const row = tree.put('k', written)
  tree.learn('k', row, { createIndex: 7, modifyIndex: 7 })
  return tree
}

function told(key: string, at: number, more: Partial<ToldRow> = {}): ToldRow {
  return { key, ...written, session: '', lockIndex: 0, createIndex: 7, modifyIndex: at, ...more }
}

/** In the words of K4, what an answer about a tree must say, and what one with these rows says. */
function wordsOf(tree: OwnTree, ...rows: readonly ToldRow[]): readonly [must: string, told: string] {
  const expected = { said: 'rows', rows: tree.under('').map(([key, row]) => ({ key, row, isBare: false })) }
  return [expectedText(expected), toldText({ said: 'rows', rows }, expected)]
}

describe('what a client knows of its own keys', () => {
  it('has an index that no answer told as any that is later, and then as that one', () => {
    const tree = oneKey()
    tree.begin()
    const row = tree.put('k', { value: 'w', flags: '42' })
    const later = told('k', 9, { value: 'w', flags: '42' })
    const [must, said] = wordsOf(tree, later)
    expect(said).toBe(must)
    learnAll(tree, { said: '', rows: [{ key: 'k', row, isBare: false }] }, { said: '', rows: [later] })
    expect(wordsOf(tree, { ...later, modifyIndex: 10 })[1]).toContain('at 10')
    expect(wordsOf(tree, { ...later, modifyIndex: 10 })[0]).toContain('at 9')
  })

  it.each([
    ['an index that is not later', told('k', 7)],
    ['another time of creation', told('k', 9, { createIndex: 9 })],
    ['other flags', told('k', 9, { flags: '1' })],
    ['a lock', told('k', 9, { session: 's', lockIndex: 1 })],
  ])('is not %s', (_, row) => {
    const tree = oneKey()
    tree.begin()
    tree.put('k', written)
    const [must, said] = wordsOf(tree, row)
    expect(said).not.toBe(must)
  })

  it('has one index for all that one request wrote', () => {
    const { tree } = ownTransaction(new OwnTree(), [verb('set', 'a'), verb('set', 'b')])
    const rows = (a: number, b: number) => [told('a', a, { createIndex: a }), told('b', b, { createIndex: b })]
    expect(wordsOf(tree, ...rows(5, 5))[1]).toBe(wordsOf(tree)[0])
    expect(wordsOf(tree, ...rows(5, 6))[1]).not.toBe(wordsOf(tree)[0])
  })

  it('loses or keeps what a session held, as the session was to do, and counts holders', () => {
    const tree = oneKey()
    for (const behaviour of ['release', 'delete'] as const) {
      tree.sessionBegan({ id: behaviour, behaviour, hasDelay: true, ttl: '', node: 's1' })
      expect(tree.lock('k', written, behaviour)).toBe('held')
      expect(tree.lock('k', written, 'nobody')).toBe('no session')
      tree.sessionEnded(behaviour)
      expect([tree.isDelayed('k'), tree.row('k')?.lockIndex]).toEqual([true, behaviour === 'release' ? 1 : undefined])
    }
  })
})

describe('a transaction of its own', () => {
  it('is refused for every operation that fails, and leaves everything as it was', () => {
    const before = oneKey()
    const operations = [
      verb('set', 'new'),
      verb('check-not-exists', 'k'),
      verb('cas', 'k', { index: 6 }),
      verb('delete-cas', 'k', { index: 6 }),
      verb('check-index', 'k', { index: 7 }),
      verb('get', 'nothing'),
      verb('unlock', 'k', { session: 's' }),
      verb('lock', 'k', { session: 's' }),
      verb('check-session', 'k', { session: 's' }),
    ]
    const { expected, tree } = ownTransaction(before, operations)
    expect(expected).toEqual({ said: 'refused for 1, 2, 3, 5, 6, 7, 8', rows: [] })
    expect(tree).toBe(before)
  })

  it('shows each operation what those before it did', () => {
    const operations = [
      verb('get', 'k'),
      verb('delete-tree', ''),
      verb('delete-cas', 'k', { index: 3 }),
      verb('set', 'k', { value: 'w' }),
      verb('get-tree', ''),
    ]
    const { expected, tree } = ownTransaction(oneKey(), operations)
    expect(expected.rows.map(({ row, isBare }) => [row.value, isBare])).toEqual([
      ['v', false],
      ['w', true],
      ['w', false],
    ])
    expect(tree.row('k')).toMatchObject({ isNew: true, createIndex: undefined })
  })
})

describe('K4', () => {
  const answer = { who: 'c at s1', what: 'GET k', must: 'a', told: 'b', beganUs: 5, sessions: ['s'], calledIn: 3 }

  function checker() {
    const reports = recorder()
    return { reports, it: new OwnKeys({ ...reports.judge, nowUs: () => 9 }) }
  }

  it('is broken by an answer that says something else', () => {
    const { reports, it } = checker()
    it.answered({ ...answer, isAsExpected: true })
    it.answered({ ...answer, isAsExpected: false })
    expect([reports.lines, reports.counts()]).toEqual([
      ["K4: c at s1: GET k was answered 'b' instead of 'a'"],
      ['K4 2'],
    ])
  })

  it.each([
    ['restored', (it: OwnKeys) => it.restored()],
    ['majority lost', (it: OwnKeys) => it.lost()],
    [
      'session ended',
      (it: OwnKeys) => {
        it.sessionsAre({ sessions: new Map([['s', { ttlMs: 0, lockDelayMs: 0 }]]) })
        it.sessionsAre({ sessions: new Map() })
      },
    ],
  ])('lets go what was taken away: %s; until the client has begun anew', (excuse, happens) => {
    const { reports, it } = checker()
    happens(it)
    expect(it.isOver(answer)).toBe(true)
    it.answered({ ...answer, isAsExpected: false })
    expect(it.isOver({ beganUs: 10, sessions: ['other'] })).toBe(false)
    expect([reports.lines, reports.counts()]).toEqual([[], [`K4 excused: ${excuse} 1`]])
  })
})
