import { describe, expect, it } from 'vitest'
import {
  type Behaviour,
  changes,
  hasBehaviour,
  internalProtocolsOf,
  isAtLeast,
  newestRelease,
  oldestRelease,
  oldLogsOf,
  parseRelease,
  type Release,
  type ReleaseChange,
  raftProtocolsOf,
  releaseText,
  snapshotDefaultsOf,
} from '../../../src/model/release.ts'

function release(text: string): Release {
  const parsed = parseRelease(text)
  if (parsed === undefined) throw new Error(`${text} is no release`)
  return parsed
}

describe('Raft protocols by release', () => {
  const table: readonly (readonly [id: string, releases: string, min: number, max: number, spoken: number])[] = [
    ['[RFT-004] ', '0.5.0 0.5.1 0.6.0 0.6.4', 0, 0, 0],
    ['[RFT-005] ', '0.7.0 0.7.5', 1, 1, 1],
    ['[RFT-006] ', '0.8.0 0.8.5', 1, 3, 2],
    ['[RFT-032] ', '0.9.0 0.9.3', 1, 3, 2],
    ['[RFT-032] ', '1.0.0 1.0.7 1.1.0 1.2.3 1.3.1 1.4.0', 1, 3, 3],
  ]

  it.each(table)('%sof %s are %i to %i, and %i by default', (_, releases, min, max, spoken) => {
    for (const text of releases.split(' ')) expect(raftProtocolsOf(release(text)), text).toEqual({ min, max, spoken })
  })
})

describe('protocols between agents by release', () => {
  it.each([
    ['0.2.0 0.2.9', 1, 1, 1],
    ['0.3.0 0.4.1 0.5.2', 1, 2, 2],
    ['0.6.0 0.6.4', 1, 3, 2],
    ['0.7.0 0.8.5 1.0.0 1.4.0', 2, 3, 2],
  ])('of %s are %i to %i, and %i by default', (releases, min, max, spoken) => {
    for (const text of releases.split(' '))
      expect(internalProtocolsOf(release(text)), text).toEqual({ min, max, spoken })
  })
})

describe('a log in mdb', () => {
  it.each([
    ['0.2.0 0.4.1 0.5.0', 'kept'],
    ['0.5.1 0.5.2', 'migrated'],
    ['0.6.0 0.7.0 1.4.0', 'refused'],
  ])('is by releases %s %s', (releases, what) => {
    for (const text of releases.split(' ')) expect(oldLogsOf(release(text)), text).toBe(what)
  })
})

describe('Raft snapshots by release', () => {
  it.each([
    ['0.6.4 0.7.0 0.7.1 0.7.2 0.9.0 1.0.1 1.0.7', 8_192, 5_000],
    ['1.1.0 1.4.0', 16_384, 30_000],
  ])('of %s are taken every %i entries, looked at every %i ms', (releases, threshold, intervalMs) => {
    for (const text of releases.split(' ')) {
      expect(snapshotDefaultsOf(release(text)), text).toEqual({ threshold, intervalMs })
    }
  })
})

describe('a release', () => {
  it('is written and read with three numbers', () => {
    expect(releaseText(release('0.9.12'))).toBe('0.9.12')
    for (const text of ['1.0', '1', 'v1.0.0', '1.0.0-rc1', '1.0.0.0', '', '1.0.9999']) {
      expect(parseRelease(text)).toBeUndefined()
    }
  })

  it('has what came with it or before', () => {
    expect(hasBehaviour(release('0.8.9'), 'raft-protocol-chosen')).toBe(true)
    expect(hasBehaviour(release('0.7.9'), 'raft-protocol-chosen')).toBe(false)
  })
})

describe('[UPG-061] a number between two rows', () => {
  const rows = Object.entries<ReleaseChange>(changes)
  const had = (text: string): readonly string[] =>
    rows.flatMap(([name]) => (hasBehaviour(release(text), name as Behaviour) ? [name] : []))

  it.each([
    ['0.9.3', '0.9.2'],
    ['1.0.2', '1.0.1'],
    ['1.0.6', '1.0.5'],
    ['1.1.9', '1.1.0'],
    ['1.2.9', '1.2.3'],
    ['1.3.9', '1.3.1'],
  ])('%s behaves as %s', (between, before) => {
    expect(had(between)).toEqual(had(before))
  })

  it('behaves as the last row at or below it, whatever the number', () => {
    const since = rows.flatMap(([, row]) => (row.until === undefined ? [row.since] : [row.since, row.until]))
    for (let minor = 2; minor <= 14; minor++) {
      for (let patch = 0; patch <= 9; patch++) {
        const number: Release = minor < 10 ? { major: 0, minor, patch } : { major: 1, minor: minor - 10, patch }
        if (!isAtLeast(newestRelease, number)) continue
        const last = since.reduce(
          (best, row) => (isAtLeast(number, row) && isAtLeast(row, best) ? row : best),
          oldestRelease,
        )
        expect(had(releaseText(number)), releaseText(number)).toEqual(had(releaseText(last)))
      }
    }
  })
})
