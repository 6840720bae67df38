import { describe, expect, it } from 'vitest'
import { HostLog, keptLinesMax, terminalSink } from '../../../src/host/log.ts'
import { logLine, saidText } from '../../../src/host/log-line.ts'

/** Local time, as the line shows it. */
const at = new Date(2026, 10, 21, 3, 1, 9).getTime()
const clock = { wallMs: () => at, monoMs: () => 0 }
const timers = { after: () => ({ close: () => undefined }) }

describe('a line of the log', () => {
  it('has the form of the field', () => {
    expect(logLine(at, 'info', saidText('raft', 'election won', { tally: 2, term: 7n }))).toBe(
      '2026/11/21 03:01:09 [INFO] raft: election won tally=2 term=7',
    )
    expect(logLine(at, 'error', saidText('http', 'no', undefined))).toBe('2026/11/21 03:01:09 [ERR] http: no')
    expect(
      ['trace', 'debug', 'warn'].map((level) => logLine(at, level as 'warn', saidText('a', 'b')).split(' ')[2]),
    ).toEqual(['[TRACE]', '[DEBUG]', '[WARN]'])
  })

  it('shows no more of a number than three decimals', () => {
    const fields = { tookMs: 0.5050000000001091, silentMs: 503.48099999999977, whole: 7, none: 0.00001, no: Number.NaN }
    expect(logLine(at, 'info', saidText('a', 'b', fields))).toBe(
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
    expect(logLine(at, 'info', saidText('a', 'b', fields))).toBe(
      '2026/11/21 03:01:09 [INFO] a: b on=true empty="" words="a b" quote="a\\"b" forged="x\\n2026/11/21" is="a=b"',
    )
    const quoted = ['\u0007', '\u001b[31m', '\u2028', '\u0085', '\u00a0']
    for (const value of quoted)
      expect(logLine(at, 'info', saidText('a', 'b', { value }))).toMatch(/value="[\x20-\x7e\u00a0]+"$/)
    const plain = ['127.0.0.1:8300', '[::1]:8300', 'a/b?c', '/v1/kv/\u00e4', '-1.5', '<hidden>']
    for (const value of plain) expect(logLine(at, 'info', saidText('a', 'b', { value }))).toContain(` value=${value}`)
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
    const log = new HostLog({ clock, timers }, (line) => lines.push(line), 'warn')
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) log.write(level, 'a', level)
    expect(lines.map((line) => line.split(': ')[1])).toEqual(['warn', 'error'])
    expect([log.enabled('info'), log.enabled('warn')]).toEqual([false, true])
    log.setLevel('trace')
    log.write('trace', 'a', 'now too')
    expect(lines).toHaveLength(3)
  })

  it('holds lines back until they are released, the last of them if there are too many', () => {
    const lines: string[] = []
    const log = new HostLog({ clock, timers }, (line) => lines.push(line), 'info', true)
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

describe('a follower of the log', () => {
  it('gets the lines of its level that were, and those that come, also of levels that the log itself does not show', () => {
    const shown: string[] = []
    const log = new HostLog({ clock, timers }, (line) => shown.push(line), 'info')
    log.write('info', 'a', 'one')
    log.write('warn', 'a', 'two')
    const heard: string[] = []
    const texts = (lines: readonly string[]) => lines.map((line) => line.split(' ').at(-1))
    const warnings = log.follow('warn', () => {})
    expect(texts(warnings.recent)).toEqual(['two'])
    const all = log.follow('debug', (line) => heard.push(line))
    expect([texts(all.recent), log.enabled('debug'), log.enabled('trace')]).toEqual([['one', 'two'], true, false])
    log.write('debug', 'a', 'three')
    log.write('error', 'a', 'four')
    all.close()
    warnings.close()
    expect(log.enabled('debug')).toBe(false)
    log.write('error', 'a', 'five')
    expect([texts(heard), texts(shown)]).toEqual([
      ['three', 'four'],
      ['one', 'two', 'four', 'five'],
    ])
  })

  it('is given no more than a bounded number of lines that were, the last ones', () => {
    const log = new HostLog({ clock, timers }, () => {}, 'info')
    for (let i = 0; i < keptLinesMax + 3; i++) log.write('info', 'a', `line-${i}`)
    const { recent } = log.follow('info', () => {})
    expect([recent.length, recent[0]?.endsWith('line-3'), recent.at(-1)?.endsWith(`line-${keptLinesMax + 2}`)]).toEqual(
      [keptLinesMax, true, true],
    )
  })
})
