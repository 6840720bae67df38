import { describe, expect, it } from 'vitest'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { Entry, Recovered } from '../../../src/raft/core/types.ts'
import { forceConfiguration, isForced } from '../../../src/raft/opening/forced-configuration.ts'
import { entryAt } from '../raft-log/log-model.ts'
import { configurationOf } from './small-cluster.ts'

const wanted = configurationOf(['a', 'b'])

function logOf(entries: readonly Entry[], term: number): Recovered {
  return { hardState: { term: termOf(term), votedFor: 'c' }, snapshot: undefined, snapshotSizeBytes: 0, entries }
}

function force(before: Recovered): Recovered {
  const forced = forceConfiguration(before, wanted)
  if (!forced.ok) throw new Error(forced.error)
  const { hardState, entry } = forced.value
  return { ...before, hardState, entries: [...before.entries, entry] }
}

function last(log: Recovered): Entry {
  const entry = log.entries.at(-1)
  if (entry === undefined) throw new Error('no entry')
  return entry
}

/** Elections of one cluster: no two have the same term. */
class Elections {
  readonly #newest = new Map<number, number>()

  /** The log of the leader that won the next one of its block of terms, with one entry of its own. */
  led(log: Recovered): Recovered {
    const block = Math.floor(log.hardState.term / 2 ** 32)
    const term = Math.max(log.hardState.term, this.#newest.get(block) ?? 0) + 1
    this.#newest.set(block, term)
    return {
      ...log,
      hardState: { term: termOf(term), votedFor: 'a' },
      entries: [...log.entries, entryAt(last(log).index + 1, term)],
    }
  }
}

describe('a forced configuration', () => {
  it('stands behind all entries, in a term beyond all, and no vote is remembered', () => {
    const after = force(logOf([entryAt(1, 1), entryAt(2, 3)], 7))
    expect(last(after).index).toBe(3)
    expect(last(after).kind).toBe('configuration')
    expect(last(after).term).toBeGreaterThan(7)
    expect(after.hardState.term).toBeGreaterThan(last(after).term)
    expect(after.hardState.votedFor).toBeUndefined()
  })

  it('has the same term on equal logs, whatever terms their servers had heard of', () => {
    const entries = [entryAt(1, 1), entryAt(2, 3)]
    expect(force(logOf(entries, 3)).entries).toEqual(force(logOf(entries, 9)).entries)
  })

  it('never has index and term in common with one on another log, nor with what a leader writes after either', () => {
    let logs = [1, 2, 3, 4].map((term) => logOf([entryAt(1, 1), entryAt(2, term)], 4))
    const elections = new Elections()
    for (let recovery = 0; recovery < 5; recovery++) {
      // Some are recovered again before any server leads, some after one leader, some after two.
      logs = logs.map(force).flatMap((log) => [log, elections.led(log), elections.led(elections.led(log))])
    }
    const standsOn = new Map<string, string>()
    for (const { entries } of logs) {
      entries.forEach((entry, i) => {
        const place = `${entry.index}/${entry.term}`
        const upTo = entries
          .slice(0, i + 1)
          .map(({ index, term, kind }) => `${index}/${term}/${kind}`)
          .join(' ')
        expect(standsOn.get(place) ?? upTo, place).toBe(upTo)
        standsOn.set(place, upTo)
      })
    }
    expect(logs).toHaveLength(4 * 3 ** 5)
  })

  it('keeps the newer of two logs the newer', () => {
    const older = force(logOf([entryAt(1, 1), entryAt(2, 2), entryAt(3, 2)], 9))
    const newer = force(logOf([entryAt(1, 1), entryAt(2, 3)], 3))
    expect(last(newer).term).toBeGreaterThan(last(older).term)
  })

  it('is refused where there is no entry to stand on', () => {
    expect(forceConfiguration(logOf([], 0), wanted)).toEqual({
      ok: false,
      error: 'this server has no Raft state, so there is nothing to recover',
    })
  })

  it('stands on a snapshot when the log holds nothing else', () => {
    const meta = { index: logIndexOf(40), term: termOf(6), configuration: wanted, configurationIndex: logIndexOf(1) }
    const forced = forceConfiguration({ ...logOf([], 8), snapshot: meta }, wanted)
    expect(forced.ok && forced.value.entry.index).toBe(41)
  })

  it('is refused on a server that heard of an earlier recovery and took no part in it', () => {
    const heardOf = force(logOf([entryAt(1, 1)], 1)).hardState.term
    const refused = forceConfiguration(logOf([entryAt(1, 1)], heardOf), wanted)
    expect(refused).toEqual({
      ok: false,
      error: 'this server was left out of an earlier recovery, and its log ends before it',
    })
  })

  it('is refused when no terms are left to keep it apart', () => {
    expect(forceConfiguration(logOf([entryAt(1, 1)], 1 << 24), wanted).ok).toBe(false)
    let log = logOf([entryAt(1, 1)], 1)
    for (let recovery = 0; recovery < 254; recovery++) log = force(log)
    expect(forceConfiguration(log, wanted).ok).toBe(false)
    expect(log.hardState.term).toBeLessThan(2 ** 48)
  })

  it('is known again only as the last entry, and only with the same servers', () => {
    const after = force(logOf([entryAt(1, 1)], 1))
    expect(isForced(after, wanted)).toBe(true)
    expect(isForced(after, configurationOf(['a']))).toBe(false)
    expect(isForced(new Elections().led(after), wanted)).toBe(false)
    const { payload, index } = last(after)
    for (const term of [1, after.hardState.term + 1]) {
      const byLeader = logOf([{ index, term: termOf(term), kind: 'configuration', payload }], term)
      expect(isForced(byLeader, wanted)).toBe(false)
    }
  })
})
