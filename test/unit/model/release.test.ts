import { describe, expect, it } from 'vitest'
import {
  type Behaviour,
  changes,
  hasBehaviour,
  internalProtocolsOf,
  isAtLeast,
  newestRelease,
  oldLogsOf,
  parseRelease,
  type Release,
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

/** The releases that the notes speak of. */
const notes = '0.5.0 0.5.1 0.6.0 0.6.4 0.7.0 0.7.1 0.8.0 0.9.0 1.0.0 1.0.1 1.0.7 1.1.0 1.3.0 1.4.0'.split(' ')

/**
 * What came with numbers between them, and lasts; `last`: but for that, which had an end.
 * Reference: releases.md#071-to-074, releases.md#080-to-085, releases.md#090-to-093, releases.md#101-to-106,
 * releases.md#120-to-123.
 */
const between: readonly { readonly came: string; readonly last?: string; readonly names: readonly Behaviour[] }[] = [
  { came: '0.7.2', names: ['control-over-http', 'pretty-in-development'] },
  { came: '0.7.4', names: ['dns-node-ids'] },
  { came: '0.8.1', names: ['commands-wait'] },
  { came: '0.8.5', names: ['dns-edns-sizes', 'passing-has-a-value'] },
  { came: '0.9.1', names: ['dns-name-servers', 'metrics-over-http', 'metric-labels'] },
  { came: '0.9.1', last: '0.9.1', names: ['denied-key-is-told-once'] },
  { came: '1.0.3', names: ['unprintable-refused'] },
  { came: '1.0.5', names: ['grpc-checks'] },
  { came: '1.2.0', names: ['dns-service-pointers', 'mesh'] },
  { came: '1.2.1', names: ['dns-one-alias'] },
  { came: '1.2.2', names: ['alias-checks'] },
  { came: '1.2.3', names: ['recursors-in-turn', 'service-weights'] },
  { came: '1.3.1', names: ['catalog-reads-one-tag'] },
]

const numbers = Array.from({ length: 10 }, (_, at) => at + 5).flatMap((minor) =>
  Array.from({ length: 10 }, (_, patch): Release => {
    return minor < 10 ? { major: 0, minor, patch } : { major: 1, minor: minor - 10, patch }
  }),
)

describe('[UPG-061] a number between two notes', () => {
  const had = (number: Release): readonly string[] =>
    Object.keys(changes).filter((name) => hasBehaviour(number, name as Behaviour))

  it('behaves as the last one at or below it, but for what is known to have come in between', () => {
    for (const number of numbers.filter((each) => isAtLeast(newestRelease, each))) {
      const note = release(notes.findLast((text) => isAtLeast(number, release(text))) as string)
      const since = between.filter(
        ({ came, last = '1.4.0' }) => isAtLeast(number, release(came)) && isAtLeast(release(last), number),
      )
      const expected = new Set([...had(note), ...since.flatMap(({ names }) => names)])
      expect(new Set(had(number)), releaseText(number)).toEqual(expected)
    }
  })
})
