import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAskedFor } from '../../tools/breakages/breakage.ts'
import { breakages, sample } from '../../tools/breakages/breakages.ts'
import { brokenText } from '../../tools/breakages/broken-copy.ts'
import { filesClaiming, titlesClaiming } from '../../tools/breakages/claims.ts'
import { projectRoot } from '../../tools/planted.ts'

const breakage = { id: 'ABC-002', file: 'src/a.ts', find: 'count > 1', replace: 'count > 2' }

describe('a breakage', () => {
  it('changes the one place that holds its text', () => {
    expect(brokenText('if (count > 1) stop()', breakage)).toBe('if (count > 2) stop()')
  })

  it.each([
    ['is gone', 'if (count >= 1) stop()', 'holds this 0 times instead of once:\ncount > 1'],
    ['stands there twice', 'count > 1 || count > 1', 'holds this 2 times instead of once'],
  ])('whose text %s fails and names the file', (_, source, message) => {
    expect(() => brokenText(source, breakage)).toThrow(`the breakage of ABC-002 is stale: src/a.ts ${message}`)
  })

  it('that changes nothing is refused', () => {
    expect(() => brokenText('count > 1', { ...breakage, replace: 'count > 1' })).toThrow('changes nothing')
  })

  it('is asked for by its area or its statement', () => {
    expect(['ABC', 'ACL,ABC-002', 'ABC-00', 'CFG'].map((asked) => isAskedFor(breakage, asked))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('the tests that claim a statement', () => {
  it('are found where they stand, and through the lists that they import', () => {
    expect(filesClaiming('KV-003')).toContain('test/conformance/keys.test.ts')
    expect(filesClaiming('RFT-018')).toContain('test/scenario/scenarios.test.ts')
    expect(filesClaiming('XYZ-999')).toEqual([])
  })

  it.each([
    ['[ABC-002] is refused', true],
    ['a [ABC-001, ABC-002 ABC-003] of many', true],
    ['of ABC-002 without brackets', false],
    ['[ABC-001] before [ABC-003]', false],
  ])('have a title such as "%s": %s', (title, claims) => {
    expect(new RegExp(titlesClaiming('ABC-002')).test(title)).toBe(claims)
  })
})

describe('the list of breakages', () => {
  it('has no statement twice', () => {
    const ids = breakages.map(({ id }) => id)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })

  it('has texts that stand in the program once', () => {
    const sources = new Map<string, string>()
    for (const { file } of breakages) sources.set(file, readFileSync(join(projectRoot, file), 'utf8'))
    const stale = breakages.flatMap((breakage) => {
      try {
        brokenText(sources.get(breakage.file) as string, breakage)
        return []
      } catch (cause) {
        return [String(cause)]
      }
    })
    expect(stale).toEqual([])
  })

  it('has what every run of the tests tries', () => {
    expect(sample.filter((id) => !breakages.some((known) => known.id === id))).toEqual([])
  })
})
