import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseHistory } from '../../../sim/checkers/keys/history-file.ts'
import { judgeHistory } from '../../../sim/report/history-report.ts'

const folder = join(import.meta.dirname, 'histories')
const histories = (verdict: string) =>
  readdirSync(join(folder, verdict)).map((name) => {
    const read = parseHistory(name, readFileSync(join(folder, verdict, name), 'utf8'))
    if (!read.ok) throw new Error(read.error.join('\n'))
    return [read.value.about ?? name, read.value] as const
  })

describe('a history whose verdict is known', () => {
  it.each(histories('linearizable'))('is linearizable: %s', (_, history) => {
    expect(judgeHistory(history, 10_000).verdict).toBe('linearizable')
  })

  it.each(histories('not-linearizable'))('is not: %s', (_, history) => {
    expect(judgeHistory(history, 10_000).verdict).toBe('NOT linearizable')
  })
})
