import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../tools/planted.ts'
import { requirementsPage } from '../../tools/requirements-page.ts'
import { areas } from '../../tools/statements.ts'

const path = join(projectRoot, 'docs/requirements.md')

describe('the page of requirements', () => {
  it('is what the statements and the tests give (SVC_WRITE_DOCS=1 writes it)', () => {
    if (process.env['SVC_WRITE_DOCS'] === '1') writeFileSync(path, requirementsPage())
    expect(readFileSync(path, 'utf8')).toBe(requirementsPage())
  })

  it('has every statement once, each with a test', () => {
    const ids = areas().flatMap(({ statements }) => statements.map(({ id }) => id))
    expect([ids.length, new Set(ids).size]).toEqual([539, 539])
    const untested = requirementsPage()
      .split('\n')
      .filter((line) => line.startsWith('| [') && line.endsWith('|  |'))
    expect(untested).toEqual([])
  })
})
