import { describe, expect, it } from 'vitest'
import { HostLog, keptLinesMax, terminalSink } from '../../../src/host/log.ts'
import { logLine } from '../../../src/host/log-line.ts'

/** Local time, as the line shows it. */
const at = new Date(2026, 10, 21, 3, 1, 9).getTime()
const clock = { wallMs: () => at, monoMs: () => 0 }

describe('a line of the log', () => {
  it('has the form of the field', () => {
    expect(logLine(at, 'info', 'raft', 'election won', { tally: 2, term: 7n })).toBe(
      '2026/11/21 03:01:09 [INFO] raft: election won tally=2 term=7',
    )
    expect(logLine(at, 'error', 'http', 'no', undefined)).toBe('2026/11/21 03:01:09 [ERR] http: no')
    expect(['trace', 'debug', 'warn'].map((level) => logLine(at, level as 'warn', 'a', 'b').split(' ')[2])).toEqual([
      '[TRACE]',
      '[DEBUG]',
      '[WARN]',
    ])
  })

  it('shows no more of a number than three decimals', () => {
    const fields = { tookMs: 0.5050000000001091, silentMs: 503.48099999999977, whole: 7, none: 0.00001, no: Number.NaN }
    expect(logLine(at, 'info', 'a', 'b', fields)).toBe(
      '2026/11/21 03:01:09 [INFO] a: b tookMs=0.505 silentMs=503.481 whole=7 none=0 no=NaN',
    )
  })

  it('leaves out what is undefined and quotes what could be taken for something else', () => {
    const fields = {
      none: undefined,
      on: true,
      empty: '',
      words: 'a b',
      quote: 'a"b',
      forged: 'x\n2026/11/21',
      is: 'a=b',
    }
    expect(logLine(at, 'info', 'a', 'b', fields)).toBe(
      '2026/11/21 03:01:09 [INFO] a: b on=true empty="" words="a b" quote="a\\"b" forged="x\\n2026/11/21" is="a=b"',
    )
    const quoted = ['\u0007', '\u001b[31m', '\u2028', '\u0085', '\u00a0']
    for (const value of quoted) expect(logLine(at, 'info', 'a', 'b', { value })).toMatch(/value="[\x20-\x7e\u00a0]+"$/)
    const plain = ['127.0.0.1:8300', '[::1]:8300', 'a/b?c', '/v1/kv/\u00e4', '-1.5', '<hidden>']
    for (const value of plain) expect(logLine(at, 'info', 'a', 'b', { value })).toContain(` value=${value}`)
  })

  it('is indented on the terminal', () => {
    const out: string[] = []
    terminalSink((text) => out.push(text))('line')
    expect(out).toEqual(['    line\n'])
  })
})

describe('the log', () => {
  it('passes the chosen level and above, which may change', () => {
    const lines: string[] = []
    const log = new HostLog(clock, (line) => lines.push(line), 'warn')
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) log.write(level, 'a', level)
    expect(lines.map((line) => line.split(': ')[1])).toEqual(['warn', 'error'])
    expect([log.enabled('info'), log.enabled('warn')]).toEqual([false, true])
    log.setLevel('trace')
    log.write('trace', 'a', 'now too')
    expect(lines).toHaveLength(3)
  })

  it('holds lines back until they are released, the last of them if there are too many', () => {
    const lines: string[] = []
    const log = new HostLog(clock, (line) => lines.push(line), 'info', true)
    for (let i = 0; i < keptLinesMax + 3; i++) log.write('info', 'a', `line ${i}`)
    expect(lines).toEqual([])
    log.release()
    expect(lines).toHaveLength(keptLinesMax)
    expect(lines[0]).toMatch(/line 3$/)
    log.write('info', 'a', 'straight through')
    expect(lines.at(-1)).toMatch(/straight through$/)
    log.release()
    expect(lines).toHaveLength(keptLinesMax + 1)
  })
})
