import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filledTracePage, traceTables } from '../../tools/trace-page.ts'

const path = join(new URL('../../..', import.meta.url).pathname, 'docs/trace.md')
const page = readFileSync(path, 'utf8')

describe('the page of traces', () => {
  it('has the tables that the schema gives (SVC_WRITE_DOCS=1 writes them)', () => {
    const filled = filledTracePage(page)
    if (process.env['SVC_WRITE_DOCS'] === '1') writeFileSync(path, filled)
    else expect(page).toBe(filled)
  })

  it('has a place for every table, and rows in it', () => {
    for (const [name, text] of traceTables()) {
      expect(page).toContain(`<!-- table: ${name} -->`)
      expect(text.split('\n').length).toBeGreaterThan(3)
    }
  })
})
