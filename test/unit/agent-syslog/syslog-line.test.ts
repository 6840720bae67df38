import { describe, expect, it } from 'vitest'
import { packetBytesMax, syslogLine, syslogPacket } from '../../../src/agent/syslog/syslog-line.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { LogLevel } from '../../../src/env/observe.ts'

const local0 = 16
const wallMs = Date.UTC(2026, 1, 3, 4, 5, 6)

function packet(said: string, level: LogLevel = 'info', host = 'n1', offsetMs = 0): string {
  return textOf(syslogPacket(syslogLine(local0, { level, said, wallMs }), 'svc', host, offsetMs))
}

describe('a line for syslog', () => {
  it('has the form of RFC 3164, and the severities of the field', () => {
    expect(packet('raft: election won tally=2')).toBe('<133>Feb  3 04:05:06 n1 svc: raft: election won tally=2')
    const levels = ['error', 'warn', 'info', 'debug', 'trace'] as const
    expect(levels.map((level) => packet('a: b', level).slice(0, 5))).toEqual([
      ...['<131>', '<132>', '<133>', '<134>', '<135>'],
    ])
  })

  it('shows local time, and the host without its domain', () => {
    const west = -5 * 3_600_000
    expect(packet('a: b', 'info', 'web 1.example.org', west)).toBe('<133>Feb  2 23:05:06 web-1 svc: a: b')
    expect(packet('a: b', 'info', '')).toBe('<133>Feb  3 04:05:06 - svc: a: b')
  })

  it('is one line, and no character of it acts on a terminal', () => {
    expect(packet('a: b\nc\td\u001b[31m\u0000\u0085\u2028e é')).toBe(
      '<133>Feb  3 04:05:06 n1 svc: a: b\\nc\\td\\u001b[31m\\u0000\\u0085\\u2028e é',
    )
  })

  it.each([
    ['plain text', 'x'],
    ['characters of three bytes', '漢'],
    ['characters of two units', '😀'],
    ['characters that grow when they are escaped', '\u0001'],
  ])('has no more bytes than a packet may, whatever its host: %s', (_, character) => {
    for (const length of [950, 1_024, 2_000, 1_000_000]) {
      const bytes = syslogPacket(
        syslogLine(23, { level: 'trace', said: character.repeat(length), wallMs }),
        'svc',
        'h'.repeat(300),
        0,
      )
      expect(bytes.length).toBeLessThanOrEqual(packetBytesMax)
      expect(bytes.length).toBeGreaterThan(packetBytesMax - 10)
      expect(textOf(bytes).endsWith('…')).toBe(true)
      expect(textOf(bytes)).not.toContain('\ufffd')
    }
  })

  it('that fits stays whole', () => {
    const said = `a: ${'x'.repeat(900)}`
    expect(packet(said, 'info', 'h'.repeat(63)).endsWith(said)).toBe(true)
  })
})
