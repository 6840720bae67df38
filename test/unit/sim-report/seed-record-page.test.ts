import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { seedRecordSchema, withoutRun } from '../../../sim/report/seed-record.ts'

const path = new URL('../../../docs/seed-records.md', import.meta.url)
/** Between these lines stands what is generated. */
const place = /(<!-- keys -->\n)[\s\S]*?(<!-- end of keys -->\n)/

/** The keys of a record, each with its type and meaning. */
function table(): string {
  const { properties = {}, required = [] } = z.toJSONSchema(seedRecordSchema) as {
    readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly required?: readonly string[]
  }
  const rows = Object.entries(properties).map(([key, property]) => {
    const optional = required.includes(key) ? '' : ', may be absent'
    return `| \`${key}\` | ${typeText(property)}${optional} | ${String(property['description'])} |`
  })
  return `\n| key | type | meaning |\n|---|---|---|\n${rows.join('\n')}\n\n`
}

function typeText({ type, anyOf }: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(anyOf)) return anyOf.map((each) => typeText(each)).join(' or ')
  return type === 'integer' ? 'number' : String(type)
}

describe('the page of seed records', () => {
  it('has every key with its meaning (SVC_WRITE_DOCS=1 writes it)', () => {
    const page = readFileSync(path, 'utf8')
    const now = page.replace(place, (_, before: string, after: string) => before + table() + after)
    expect(now).not.toContain('undefined')
    if (process.env['SVC_WRITE_DOCS'] === '1') writeFileSync(path, now)
    else expect(page).toBe(now)
  })
})

describe('a seed record', () => {
  const of = { scenario: 'A', file: 'a.yaml', page: 'ab'.repeat(32), seed: 1 }

  it('is bounded, whatever a run or a dying process has said', () => {
    const notes = Array.from({ length: 1000 }, () => 'x'.repeat(100_000))
    const named = { ...of, scenario: 'title '.repeat(1_000) }
    const record = withoutRun(named, 'died', notes, { wallMs: 1.5, cpuMs: 2.5 })
    expect(seedRecordSchema.safeParse(record).success).toBe(true)
    expect(JSON.stringify(record).length).toBeLessThan(200_000)
  })

  it('is refused where a key is missing, unknown or of another type', () => {
    const record = withoutRun(of, 'passed', [], { wallMs: 1, cpuMs: 2 })
    const { seed: _, ...missing } = record
    for (const wrong of [missing, { ...record, more: 1 }, { ...record, seed: '1' }, { ...record, verdict: 'fine' }]) {
      expect(seedRecordSchema.safeParse(wrong).success).toBe(false)
    }
  })
})
