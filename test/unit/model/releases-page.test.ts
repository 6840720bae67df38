import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { accessChanges } from '../../../src/model/access-changes.ts'
import { dnsChanges } from '../../../src/model/dns-changes.ts'
import { interfaceChanges } from '../../../src/model/interface-changes.ts'
import { optionChanges } from '../../../src/model/option-changes.ts'
import {
  type Behaviour,
  changes,
  hasBehaviour,
  isAtLeast,
  isWithin,
  newestRelease,
  oldestRelease,
  type ReleaseChange,
} from '../../../src/model/release.ts'
import { releasesPage } from '../../tools/releases-page.ts'

const root = new URL('../../..', import.meta.url).pathname
const path = join(root, 'docs/releases.md')
const rows = Object.entries<ReleaseChange>(changes)

describe('the page of releases', () => {
  it('is what the table gives (SVC_WRITE_DOCS=1 writes it)', () => {
    if (process.env['SVC_WRITE_DOCS'] === '1') writeFileSync(path, releasesPage())
    expect(readFileSync(path, 'utf8')).toBe(releasesPage())
  })
})

describe('the table of changes', () => {
  const tables = [dnsChanges, interfaceChanges, optionChanges, accessChanges]
  const within = (table: object): typeof rows => rows.filter(([name]) => name in table)
  it.each([
    ['of DNS', within(dnsChanges)],
    ['of the interface', within(interfaceChanges)],
    ['of options', within(optionChanges)],
    ['of access control', within(accessChanges)],
    ['of all else', rows.filter(([name]) => !tables.some((table) => name in table))],
  ])('%s goes from the oldest release to the newest', (_, some) => {
    for (const [at, [name, { since }]] of some.entries()) {
      const before = some[at - 1]?.[1].since ?? oldestRelease
      expect(isAtLeast(since, before) && isAtLeast(newestRelease, since), name).toBe(true)
    }
  })

  it('names scenarios that are there', () => {
    const missing = rows.flatMap(([name, { see }]) =>
      'scenario' in see && !existsSync(join(root, 'scenarios', `${see.scenario}.yaml`)) ? [name] : [],
    )
    expect(missing).toEqual([])
  })

  it('gives the newest release everything that no release has taken back', () => {
    const lacking = rows.filter(
      ([name, { until }]) => !hasBehaviour(newestRelease, name as Behaviour) && until === undefined,
    )
    expect(lacking).toEqual([])
  })
})

describe('a change', () => {
  const since = { major: 0, minor: 9, patch: 1 }

  it('is available from its release on', () => {
    expect(isWithin({ major: 0, minor: 9, patch: 0 }, { since })).toBe(false)
    expect([isWithin(since, { since }), isWithin(newestRelease, { since })]).toEqual([true, true])
  })

  it('and up to the one that took it back', () => {
    const until = { major: 0, minor: 9, patch: 2 }
    expect([isWithin(since, { since, until }), isWithin(until, { since, until })]).toEqual([true, false])
    expect(isWithin(newestRelease, { since, until })).toBe(false)
  })
})
