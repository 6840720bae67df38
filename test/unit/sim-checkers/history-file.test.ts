import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type History, historyText, parseHistory } from '../../../sim/checkers/keys/history-file.ts'
import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { fc } from '../../fast-check.ts'

const header = '{"format":"svc-history","version":1}'
const write = '{"client":"1","key":"k","op":"write","value":"a","outcome":"ok","call":0,"return":5}'

function problems(...lines: readonly string[]): readonly string[] {
  const read = parseHistory('h.jsonl', lines.join('\n'))
  return read.ok ? [] : read.error
}

const times = fc.tuple(fc.nat(1e9), fc.nat(1e9)).map(([callUs, length]) => ({ callUs, returnUs: callUs + length }))
const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const seen = fc.option(text, { nil: undefined })
const name = fc.string({ minLength: 1, maxLength: 12 })

const operation: fc.Arbitrary<KeyOperation> = fc
  .record({
    client: name,
    key: text,
    kind: fc.constantFrom('read', 'write', 'cas', 'delete'),
    value: text,
    seen,
    consistency: fc.constantFrom('default', 'consistent', 'stale'),
    times,
    end: fc.constantFrom('ok', 'refused', 'unknown'),
  })
  .map(({ kind, value, seen: state, consistency, times: interval, end, ...rest }) => {
    const outcome = end === 'refused' && kind !== 'cas' ? 'ok' : end
    return {
      ...rest,
      kind,
      value: kind === 'write' || kind === 'cas' ? value : undefined,
      expected: kind === 'cas' ? state : undefined,
      consistency: kind === 'read' ? consistency : 'default',
      callUs: interval.callUs,
      returnUs: outcome === 'unknown' ? Number.POSITIVE_INFINITY : interval.returnUs,
      outcome,
      found: kind === 'read' && outcome === 'ok' ? state : undefined,
    }
  })

describe('a history in a file', () => {
  it('is read back as it was written', () => {
    const history: fc.Arbitrary<History> = fc.record({
      about: fc.option(text, { nil: undefined }),
      staleDefaultUs: fc.nat(),
      operations: fc.array(operation, { maxLength: 20 }),
    })
    fc.assert(
      fc.property(history, (written) => {
        expect(parseHistory('h.jsonl', historyText(written))).toEqual({ ok: true, value: written })
      }),
      { numRuns: 300 },
    )
  })

  it('needs no more than what matters: a read without a consistency is consistent, nothing is excused', () => {
    const read = parseHistory(
      'h',
      `${header}\n{"client":"1","key":"k","op":"read","outcome":"ok","found":null,"call":1,"return":1}`,
    )
    expect(read).toMatchObject({ ok: true, value: { staleDefaultUs: 0, operations: [{ consistency: 'consistent' }] } })
  })

  it('is what the page of the language shows', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/scenarios.md'), 'utf8')
    const shown = /```\n(\{"format"[\s\S]*?)```/.exec(page)?.[1] ?? ''
    const read = parseHistory('scenarios.md', shown)
    expect(read).toMatchObject({ ok: true, value: { about: 'three clients, by hand' } })
    expect(read.ok ? historyText(read.value) : '').toBe(shown)
  })

  it('may be empty', () => {
    expect(parseHistory('h', `${header}\n`)).toMatchObject({ ok: true, value: { operations: [] } })
  })

  const wrong: readonly (readonly [string, string, string])[] = [
    ['no JSON', '{"client":', 'this is no JSON'],
    ['an empty line', '', 'this is no JSON'],
    ['an unknown key', write.replace('"call"', '"colour":1,"call"'), "unknown key 'colour'"],
    ['a misspelt key', write.replace('"value"', '"valeu"'), "'value': Invalid input"],
    ['an unknown operation', write.replace('"write"', '"append"'), "'op': Invalid"],
    ['a fraction of a microsecond', write.replace('5}', '5.5}'), "'return': Invalid input"],
    ['an answer before the call', write.replace('"call":0', '"call":9'), "'return' (5) is before 'call' (9)"],
    ['an answer without a time', write.replace(',"return":5', ''), "'return' is missing: when was it answered?"],
    ['a time without an answer', write.replace('"ok"', '"unknown"'), "'return' goes with an answer"],
    ['a write that was refused', write.replace('"ok"', '"refused"'), "'outcome': Invalid option"],
    [
      'a read that found what?',
      '{"client":"1","key":"k","op":"read","outcome":"ok","call":0,"return":5}',
      "'found' is missing",
    ],
    ['a value far too long', write.replace('"a"', `"${'a'.repeat(70_000)}"`), 'a line of more than 65536 characters'],
  ]
  it.each(wrong)('is refused for %s, with the line', (_, line, message) => {
    const [problem = '', ...more] = problems(header, write, line, write)
    expect(more).toEqual([])
    expect(problem.startsWith(`h.jsonl:3: `)).toBe(true)
    expect(problem).toContain(message)
  })

  it.each([
    ['nothing', ''],
    ['an operation', write],
    ['another format', '{"format":"jepsen","version":1}'],
    ['a version of later', '{"format":"svc-history","version":2}'],
  ])('is refused when its first line is %s, and told what it should be', (_, first) => {
    const [problem = ''] = problems(first, write)
    expect(problem).toMatch(
      /^h\.jsonl:1: .*; the first line is \{"format":"svc-history","version":1,"staleDefaultUs":0\}$/,
    )
  })

  it('has each bad line told, up to twenty', () => {
    expect(problems(header, 'x', write, 'y')).toHaveLength(2)
    expect(problems(header, ...Array.from({ length: 50 }, () => 'x'))).toHaveLength(20)
  })

  it('has at most 500000 operations', () => {
    expect(problems(header + '\n'.repeat(500_000), write)).toEqual([
      'h.jsonl: 500001 operations, and at most 500000 are read: cut it into parts',
    ])
  })
})
