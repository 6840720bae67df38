import { describe, expect, it } from 'vitest'
import { changes, isAtLeast, newestRelease, oldestRelease, releaseText } from '../../../src/model/release.ts'
import { adviceAt, moments } from '../../../src/model/upgrade-note.ts'
import { adviceOnChanges, furtherNotes } from '../../../src/model/upgrade-notes.ts'
import { insteadOf, order, upgradeNotes } from '../../../src/model/upgrade-way.ts'

describe('what is known about upgrades', () => {
  it('is of releases that are known, oldest first', () => {
    const since = upgradeNotes().map((note) => note.since)
    expect(since).toEqual([...since].sort(order))
    for (const release of since)
      expect(isAtLeast(release, oldestRelease) && isAtLeast(newestRelease, release)).toBe(true)
  })

  it('says something to do, each of it', () => {
    const silent = upgradeNotes().filter((note) => moments.every((moment) => adviceAt(note, moment).length === 0))
    expect(silent.map(({ name }) => name)).toEqual([])
  })

  it('is of rows of the table of changes, or has a name of its own', () => {
    for (const name of Object.keys(adviceOnChanges)) expect(Object.keys(changes)).toContain(name)
    for (const name of Object.keys(furtherNotes)) expect(Object.keys(changes)).not.toContain(name)
  })

  it('leads forward: through an earlier release, and to a later one instead', () => {
    for (const { since, through, instead } of upgradeNotes()) {
      if (through !== undefined) expect(order(through, since)).toBe(-1)
      if (instead !== undefined) expect(order(instead, since)).toBe(1)
    }
    expect(releaseText(insteadOf({ major: 1, minor: 3, patch: 0 })?.instead ?? oldestRelease)).toBe('1.3.1')
    expect(insteadOf({ major: 1, minor: 3, patch: 1 })).toBeUndefined()
  })
})
