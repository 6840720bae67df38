import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadDivergences } from '../../conformance/golden/verdict.ts'

interface Row {
  readonly number: number
  readonly what: string
  readonly shownBy: string
}

const root = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/divergences.md', root), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line): Row => {
    const [, number = '', what = '', shownBy = ''] = line.split(' | ').length === 3 ? ['', ...line.split(' | ')] : []
    return { number: Number(number.replace('|', '')), what: what.trim(), shownBy: shownBy.replace(/\|$/, '').trim() }
  })

describe('docs/divergences.md', () => {
  it('numbers every divergence, from 1 on and without a gap', () => {
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, at) => at + 1))
    for (const { what } of rows) expect(what).toMatch(/^[A-Z`].*\.$/)
  })

  it('has those that are granted in recorded exchanges, with the same reason, and says of no other that it is', () => {
    const granted = loadDivergences()
    for (const { number, reason } of granted) {
      const row = rows.find((each) => String(each.number) === number)
      expect(row?.what.startsWith(reason.replace(/\.$/, '')), `${number}: ${reason}`).toBe(true)
    }
    const recorded = rows.filter(({ shownBy }) => shownBy.startsWith('recorded exchange')).map((row) => row.number)
    expect(recorded).toEqual([...new Set(granted.map(({ number }) => Number(number)))].sort((a, b) => a - b))
  })

  it('names tests that exist', () => {
    for (const { number, shownBy } of rows) {
      const files = [...shownBy.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file)
      expect(files.length > 0 || shownBy === 'recorded exchange', `${number} is shown by something`).toBe(true)
      for (const file of files) expect(existsSync(new URL(file, root)), `${number}: ${file}`).toBe(true)
      const sources = files.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n')
      for (const [, title = ''] of shownBy.matchAll(/"([^"]+)"/g)) {
        expect(sources.includes(title), `${number}: ${title}`).toBe(true)
      }
    }
  })
})
