import { describe, expect, it } from 'vitest'
import { exposed } from '../../../sim/checkers/telemetry/exposition-text.ts'
import { SentLog } from '../../../sim/checkers/telemetry/sent-log.ts'
import { SentMetrics } from '../../../sim/checkers/telemetry/sent-metrics.ts'
import type { MetricProtocol } from '../../../sim/checkers/telemetry/telemetry-facts.ts'
import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { recorder } from './reports.ts'

/** A run in its first second, of which time passes by `later`. */
function timed(loss = 0) {
  const { judge, lines, counts } = recorder()
  let nowUs = 1_000_000
  const run = { ...judge, nowUs: () => nowUs, network: { rttMs: 6, rttMaxMs: 10, loss } }
  return {
    run,
    lines,
    counts,
    nowUs: () => nowUs,
    later: (seconds: number) => {
      nowUs += seconds * 1e6
    },
  }
}

function metrics(loss = 0) {
  const { run, lines, counts, later, nowUs } = timed(loss)
  const law = new SentMetrics(run)
  const to = { host: '10.0.0.9', port: 1 }
  const telemetry = { statsd: to, statsite: to, dogstatsd: to } as unknown as AgentConfig['telemetry']
  law.began({ nodeName: 'c1', telemetry })
  return {
    law,
    lines,
    counts,
    arrived: (protocol: MetricProtocol, text: string) => law.arrived({ node: 'c1', protocol, text }),
    shown: (text: string) => {
      later(2)
      law.shown({ node: 'c1', text, calledUs: nowUs() })
    },
  }
}

const counter = (name: string, ...series: readonly string[]): string =>
  `# HELP ${name} ${name}\n# TYPE ${name} counter\n${series.map((each) => `${name}${each}\n`).join('')}`
const summary = (count: number): string => `# TYPE s summary\ns{quantile="0.5"} NaN\ns_sum 12.5\ns_count ${count}\n`

describe('O4', () => {
  it('takes lines that receivers can read, also those that come in pieces of a stream', () => {
    const { arrived, lines, counts } = metrics()
    arrived('statsd', 'svc.kv:1.000000|c\nsvc.c1.g:-0.500000|g\n')
    arrived('dogstatsd', 'svc.kv:1|c|#fleet:one,op:set\nsvc.t:2.000000|ms\n')
    arrived('statsite', 'svc.kv:1.00')
    arrived('statsite', '0000|c\n')
    expect([lines, counts()]).toEqual([[], ['O4 4']])
  })

  it.each([
    ['statsd', 'svc.kv:1|c|#tag\n', 'c1 sends to statsd what it cannot read: "svc.kv:1|c|#tag"'],
    ['statsd', 'svc:kv:1|c\n', 'c1 sends to statsd what it cannot read: "svc:kv:1|c"'],
    ['dogstatsd', 'svc.kv:NaN|g\n', 'c1 sends to dogstatsd what it cannot read: "svc.kv:NaN|g"'],
    ['statsite', 'svc kv:1|c\n', 'c1 sends to statsite what it cannot read: "svc kv:1|c"'],
    ['statsd', 'svc.kv:1|c', 'c1 sends a datagram that ends within a line: "svc.kv:1|c"'],
  ] as const)('refuses for %s %j', (protocol, text, message) => {
    const { arrived, lines } = metrics()
    arrived(protocol, text)
    expect(lines).toEqual([`O4: ${message}`])
  })

  it('refuses a datagram that needs two packets, and begins a new stream with a new line', () => {
    const { arrived, law, lines } = metrics()
    arrived('statsd', 'svc.kv:1.000000|c\n'.repeat(82))
    expect(lines).toEqual(['O4: c1 sends a datagram of 1476 bytes'])
    arrived('statsite', 'svc.kv:1.00')
    law.streamEnded('c1')
    arrived('statsite', 'svc.kv:1.000000|c\n')
    expect(lines).toHaveLength(1)
  })

  it('compares what was shown some answers ago with what has arrived, by name or in all', () => {
    const { arrived, shown, lines } = metrics()
    const text = counter('svc_kv', '{op="get"} 2', '{op="set"} 1') + summary(2)
    const sent = 'svc.kv:2|c|#op:get\nsvc.kv:1|c|#op:set\ns:1|ms\ns:1|ms\n'
    arrived('dogstatsd', sent)
    arrived('statsd', 'svc.kv.get:2.000000|c\nsvc.kv.set:1.000000|c\ns:1|ms\n')
    arrived('statsite', 'svc.kv.get:2.000000|c\nsvc.kv.set:1.000000|c\ns:1|ms\ns:1|ms\n')
    for (let answer = 0; answer < 3; answer++) shown(text)
    expect(lines).toEqual([])
    shown(text)
    expect(lines).toEqual(['O4: statsd did not get what c1 showed to Prometheus: all has samples of 1 instead of 2'])
  })

  it('names a metric of which a receiver with tags lacks something', () => {
    const { arrived, shown, lines } = metrics()
    arrived('statsd', 'svc.kv:3.000000|c\n')
    arrived('statsite', 'svc.kv:3.000000|c\n')
    arrived('dogstatsd', 'svc.kv:2|c\n')
    for (let answer = 0; answer < 4; answer++) shown(counter('svc_kv', ' 3'))
    expect(lines).toEqual([
      'O4: dogstatsd did not get what c1 showed to Prometheus: svc_kv has counts of 2 instead of 3',
    ])
  })

  it('compares what came by streams, too, until one of them has ended', () => {
    const { law, shown, lines, counts } = metrics()
    law.began({ nodeName: 'c1', telemetry: { statsite: { host: '10.0.0.9', port: 1 } } as AgentConfig['telemetry'] })
    for (let answer = 0; answer < 4; answer++) shown(counter('svc_kv', ' 3'))
    expect(lines).toEqual(['O4: statsite did not get what c1 showed to Prometheus: all has counts of 0 instead of 3'])
    law.streamEnded('c1')
    shown(counter('svc_kv', ' 3'))
    expect(lines).toHaveLength(1)
    expect(counts()).toContain('O4 excused: lost on the way 1')
  })

  it('compares nothing where a network may lose datagrams, and nothing with a former process', () => {
    const lossy = metrics(0.01)
    for (let answer = 0; answer < 4; answer++) lossy.shown(counter('svc_kv', ' 3'))
    expect([lossy.lines, lossy.counts()]).toEqual([[], ['O4 4', 'O4 excused: lost on the way 3']])
    const { law, shown, lines } = metrics()
    for (let answer = 0; answer < 3; answer++) shown(counter('svc_kv', ' 3'))
    law.began({ nodeName: 'c1', telemetry: {} as AgentConfig['telemetry'] })
    for (let answer = 0; answer < 4; answer++) shown(counter('svc_kv', ' 3'))
    expect(lines).toEqual([])
  })

  it.each([
    [counter('a', ' 1', ' 2'), '"a 2" is there twice'],
    [counter('a', ' 1') + counter('a', ' 1'), '"# TYPE a counter" gives its metric a type for the second time'],
    [counter('a', '{l="x"y"} 1'), '"a{l=\\"x\\"y\\"} 1" is no series'],
    [counter('a', ' one'), '"a one" has no number'],
    [`${counter('a', ' 1')}b 2\n`, '"b 2" has another name than its type'],
    [`${counter('a', ' 1')}a_sum 2\n`, '"a_sum 2" has another name than its type'],
    ['a 1', 'its last line has no end'],
  ])('refuses the text %j', (text, problem) => {
    expect(exposed(text)).toEqual({ problem })
    const { shown, lines } = metrics()
    shown(text)
    expect(lines).toEqual([`O4: Prometheus cannot read the metrics of c1: ${problem}`])
  })
})

function log(loss = 0) {
  const { run, lines, counts, later } = timed(loss)
  const law = new SentLog(run)
  const syslog = { tag: 'svc', facility: 16, to: { kind: 'local', path: undefined } } as const
  const begins = (): void => law.began({ nodeName: 'c1', syslog })
  begins()
  const packet = (said: string, priority = 133, host = 'c1'): string =>
    `<${priority}>Nov  3 04:05:06 ${host} svc: ${said}`
  return {
    law,
    lines,
    counts,
    begins,
    logged: (said: string, level = 'INFO') =>
      law.logged({ node: 'c1', where: 'log', text: () => `[${level}] ${said}` }),
    sent: (...parts: Parameters<typeof packet>) => {
      const text = packet(...parts)
      law.arrived({ node: 'c1', text, bytes: utf8(text).length })
    },
    raw: (text: string) => law.arrived({ node: 'c1', text, bytes: utf8(text).length }),
    handed: (said: readonly string[], isFailure = false) =>
      law.handedOver({ node: 'c1', lines: said.map((each) => `<133>${each}`), isFailure }),
    later: (seconds: number) => {
      for (let look = 0; look < 2 * seconds; look++) {
        later(0.5)
        law.lookAround()
      }
    },
  }
}

describe('O5', () => {
  it('takes each line of the level info and above once, in any order', () => {
    const { logged, sent, later, lines, counts } = log()
    logged('agent: one')
    logged('agent: two', 'WARN')
    logged('agent: none', 'DEBUG')
    sent('agent: two', 132)
    sent('agent: one')
    later(3)
    expect([lines, counts()]).toEqual([[], ['O5 2']])
  })

  it('misses a line after a second, not while its process sleeps', () => {
    const { law, logged, later, lines } = log()
    logged('agent: one')
    law.paused('c1')
    later(5)
    law.resumed('c1')
    later(1)
    expect(lines).toEqual([])
    later(1)
    expect(lines).toEqual(['O5: a line that c1 logged has not arrived within a second: "agent: one"'])
  })

  it('excuses lines of a process that is killed, and those that a network may lose', () => {
    const { law, logged, later, lines, counts } = log()
    logged('agent: one')
    law.ended('c1')
    later(3)
    expect([lines, counts()]).toEqual([[], ['O5 excused: process ended 1']])
    const lossy = log(0.1)
    lossy.logged('agent: one')
    lossy.later(3)
    expect([lossy.lines, lossy.counts()]).toEqual([[], ['O5 excused: lost on the way 1']])
  })

  it('waits for the last lines of a process that stopped in order, beside those of the next', () => {
    const { law, begins, logged, sent, later, lines } = log()
    logged('agent: one')
    logged('agent: two')
    law.stopped('c1')
    law.ended('c1')
    begins()
    logged('agent: one')
    sent('agent: one')
    sent('agent: one')
    expect(lines).toEqual([])
    later(2)
    expect(lines).toEqual(['O5: a line that c1 logged has not arrived within a second: "agent: two"'])
  })

  it('lets lines of a run of logger that failed come again, within its pause', () => {
    const { logged, handed, later, lines } = log()
    logged('agent: one')
    logged('agent: two')
    handed(['agent: one'], true)
    later(5)
    handed(['agent: one', 'agent: two'])
    expect(lines).toEqual([])
    handed(['agent: one'])
    expect(lines).toEqual(['O5: c1 sends a line that it did not log, or twice: "agent: one"'])
  })

  it.each([
    ['agent: one\u001b[0m', 133, 'c1', 'a line of c1 has control characters: "agent: one\\u001b[0m"'],
    ['agent: one', 192, 'c1', 'a line of c1 has the priority 192'],
    ['agent: one', 133, 'c2', 'a packet of c1 names the host c2'],
    ['agent: one', 134, 'c1', 'c1 sends a line of severity 5 as 6: agent: one'],
    ['agent: two', 133, 'c1', 'c1 sends a line that it did not log, or twice: "agent: two"'],
  ])('refuses %j with %i from %s', (said, priority, host, message) => {
    const { logged, sent, lines } = log()
    logged('agent: one')
    sent(said, priority, host)
    expect(lines).toEqual([`O5: ${message}`])
  })

  it('refuses what is no packet, and one that is too long; escapes and a cut are no difference', () => {
    const { logged, raw, sent, lines } = log()
    raw('agent: one')
    sent('x'.repeat(1_000))
    expect(lines).toEqual(['O5: a line of c1 cannot be read: "agent: one"', 'O5: a line of c1 has 1029 bytes'])
    logged(`agent: a\nb\\c ${'y'.repeat(2_000)}`)
    sent(`agent: a\\nb\\c ${'y'.repeat(900)}…`)
    expect(lines).toHaveLength(2)
  })
})
