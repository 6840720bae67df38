import { describe, expect, it } from 'vitest'
import { WatchSequences } from '../../../sim/checkers/clients/watch-sequences.ts'
import { recorder } from './reports.ts'

const row = (key: string, modifyIndex: number) => ({ key, value: 'v', modifyIndex })

function followed() {
  const { judge, lines } = recorder()
  const checker = new WatchSequences(judge)
  checker.follows('watcher 1', 'a/')
  checker.follows('watcher 2', 'a/')
  checker.follows('watcher 3', 'b/')
  return { checker, lines }
}

describe('W3', () => {
  it('is broken when a watcher does not have the result of a fresh read', () => {
    const { checker, lines } = followed()
    checker.answered('watcher 1', [row('a/1', 5)])
    checker.answered('watcher 2', [row('a/1', 5), row('a/2', 7)])
    const fresh = [row('a/1', 5), row('a/2', 7)]
    expect(checker.behind('a/', fresh)).toEqual(['watcher 1'])
    checker.overdue('W3', 'a/', fresh, '15s')
    expect(lines).toEqual(["W3: watcher 1 follows 'a/' and has a/1@5 15s after a read found a/1@5 a/2@7"])
  })

  it('is broken when a deletion, or a new version of the same key, was not heard of', () => {
    const { checker } = followed()
    checker.answered('watcher 1', [row('a/1', 5)])
    expect(checker.behind('a/', [])).toContain('watcher 1')
    expect(checker.behind('a/', [row('a/1', 6)])).toContain('watcher 1')
  })

  it('is broken by a caller that was never answered, and says so', () => {
    const { checker, lines } = followed()
    checker.overdue('W3', 'b/', [], '15s')
    expect(lines).toEqual(["W3: watcher 3 follows 'b/' and was never answered 15s after a read found no key"])
  })

  it('holds when the last answer of each is what is there, and asks nothing of other prefixes', () => {
    const { checker, lines } = followed()
    for (const watcher of ['watcher 1', 'watcher 2']) {
      checker.answered(watcher, [row('a/1', 5)])
      checker.answered(watcher, [row('a/1', 9)])
    }
    expect(checker.behind('a/', [row('a/1', 9)])).toEqual([])
    checker.overdue('W3', 'a/', [row('a/1', 9)], '15s')
    expect(lines).toEqual([])
    expect(checker.prefixes()).toEqual(['a/', 'b/'])
  })
})
