import { describe, expect, it } from 'vitest'
import { printDecisions } from '../../../sim/cli/decisions-as-text.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'

const rule = JSON.stringify({ when: 'vote given', do: [{ crash: 'it' }] })
const head = { format: 'svc-decisions', version: 1, scenario: 'Crash', page: 'a'.repeat(64), seed: 17 }
const lines = [
  { ...head, program: '1.4.0', build: '3c9e' },
  { kind: 'chance', id: '210b4b0922b0b241', n: 0, value: 1, what: 'link s3 s4 piece 8300 23 B #1c457c92' },
  { kind: 'event', id: '310b4b0922b0b241', n: 0, value: 1, what: `fault ${rule} 0 when s1 21` },
  { kind: 'range', id: '310b4b0922b0b242', n: 0, value: 0.25, what: `fault ${rule} 0 when s1 21 delay` },
  { kind: 'choice', id: '310b4b0922b0b243', n: 0, value: 2, among: 5, what: 'life s1 order' },
  { kind: 'raw', id: '310b4b0922b0b244', n: 0, value: 255 },
].map((line) => JSON.stringify(line))

async function print(texts: readonly string[], flags: Parameters<typeof printDecisions>[1] = {}) {
  let out = ''
  let error = ''
  const bytes = utf8(texts.map((line) => `${line}\n`).join(''))
  const exit = await printDecisions('a.decisions', flags, {
    out: (text) => {
      out += text
    },
    error: (text) => {
      error += text
    },
    outLeft: async () => {},
    // Pieces that cut lines in two.
    readPieces: async (_, take) => {
      for (let at = 0; at < bytes.length; at += 100) if (!(await take(bytes.subarray(at, at + 100)))) break
      return ok(undefined)
    },
  })
  return { exit, out, error }
}

describe('svc-sim decisions', () => {
  it('says of each decision what it was and about what, and names a rule once', async () => {
    const { exit, out } = await print(lines)
    expect(exit).toBe(0)
    expect(out.trimEnd().split('\n')).toEqual([
      'Crash, seed 17, by svc-sim 1.4.0 (3c9e): what was not decided as usual',
      'chance is taken         link s3 s4 piece 8300 23 B #1c457c92',
      `fault 1: ${rule}`,
      'event  happens          fault 1 0 when s1 21',
      'range  at 25.0 %        fault 1 0 when s1 21 delay',
      'choice number 3 of 5    life s1 order',
      'raw    0x000000ff       310b4b0922b0b244',
      '5 decisions: chance 1, choice 1, event 1, range 1, raw 1',
    ])
  })

  it('shows only the kinds and the things that were asked for', async () => {
    const { out } = await print(lines, { kind: ['event,range'], about: ['s1', 'delay'] })
    expect(out).toMatch(/fault 1: .*\nrange {2}at 25.0 % {8}fault 1 0 when s1 21 delay\n1 decisions: range 1\n$/)
  })

  it.each([
    ['no list', ['{"v":1}'], {}, /^a.decisions: line 1: .*the first line is that of a list of decisions\n$/],
    ['an empty file', [], {}, /^a.decisions: empty: it is no list of decisions\n$/],
    ['a line of another kind', [...lines, '{"kind":"luck"}'], {}, /^a.decisions: line 7: kind: /],
    ['an unknown kind', lines, { kind: ['luck'] }, /^--kind luck: the kinds are event, chance, choice, range, raw\n$/],
  ])('refuses %s with exit code 2', async (_, texts, flags, message) => {
    const { exit, error } = await print(texts, flags)
    expect(error).toMatch(message)
    expect(exit).toBe(2)
  })
})
