import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import type { TraceRecord } from '../../../sim/report/trace-record.ts'
import { events, header, numbers, textOf, trace } from './small-trace.ts'

describe('svc-sim trace', () => {
  it('prints each event in words, with its causes', async () => {
    const said = await trace(textOf(events))
    expect(said).toMatchObject({ exit: 0, error: '' })
    expect(said.out).toMatchInlineSnapshot(`
      "Small, seed 3, build 1.4.0, machines s1, s2, c1
         0.000500  s1           #1  boots, life 1
         0.000900  s1           #2  gets from s2 on 4: hello of s2 in dc1  ← 1
         1.000000  s1           #3  timer fires: raft.election  ← 1
         1.000000  s1           #4  writes to file 2 at 512: hard-state term 4, vote for s2  ← 3
         1.500000  s1           #5  sends to s2 on 4: append-entries term 4: 90..91 after 89 of term 3, commit 88 [90/4 no-op, 91/4 kv.put key=a/b]  ← 4, 2
         1.502250  s2           #6  gets from s1 on 4: append-entries term 4: 90..91 after 89 of term 3, commit 88 [90/4 no-op, 91/4 kv.put key=a/b]  ← 5
         1.502250  s2           #7  log: [INFO] raft: follows a leader term=4 leader=s1  ← 6
         1.503000  s2           #8  sends to s1 on 4: append accepted term 4 up to 91  ← 6
         2.000000  s2           #9  sends to c1 (lost): ping c1 no. 5 + suspect c1 incarnation 2 says s2
         2.500000  world       #10  VIOLATION of R1: two leaders in term 4  ← 8, 9
      "
    `)
  })

  it('shows causes that were not printed in words, where they are in the window', async () => {
    const said = await trace(textOf(events), '--node', 's2', '--from', '1s')
    expect(said.out).toMatchInlineSnapshot(`
      "Small, seed 3, build 1.4.0, machines s1, s2, c1
         1.502250  s2           #6  gets from s1 on 4: append-entries term 4: 90..91 after 89 of term 3, commit 88 [90/4 no-op, 91/4 kv.put key=a/b]
                                    ← 5 at 1.500000 s1 sends it
         1.502250  s2           #7  log: [INFO] raft: follows a leader term=4 leader=s1  ← 6
         1.503000  s2           #8  sends to s1 on 4: append accepted term 4 up to 91  ← 6
         2.000000  s2           #9  sends to c1 (lost): ping c1 no. 5 + suspect c1 incarnation 2 says s2
      "
    `)
  })

  it('shows as many causes in words as are asked for, and each once', async () => {
    const about = ['--kind', 'violation', '--arrows']
    expect((await trace(textOf(events), ...about, '0')).out).toMatch(/in term 4 {2}← 8, 9\n$/)
    expect((await trace(textOf(events), ...about, '1')).out).toMatch(
      /in term 4 {2}← 9\n +← 8 at 1\.503000 s2 sends to s1 .*\n$/,
    )
    const twice = [...events, { ...events[9], n: 11, t: 2_600_000 } as TraceRecord]
    expect((await trace(textOf(twice), '--kind', 'violation')).out.match(/← 8 at/g)).toHaveLength(1)
  })

  it.each([
    [
      ['--from', '1s', '--to', '1502ms'],
      [3, 4, 5],
    ],
    [
      ['--node', 's2'],
      [6, 7, 8, 9],
    ],
    [
      ['--node', 's2,world', '--node', 'c1'],
      [6, 7, 8, 9, 10],
    ],
    [
      ['--kind', 'boot,violation'],
      [1, 10],
    ],
    [
      ['--kind', 'raft'],
      [3, 4, 5, 6, 7, 8],
    ],
    [['--kind', 'kind:log'], [7]],
    [['--kind', 'layer:log'], [4]],
    [
      ['--events', '5..7'],
      [5, 6, 7],
    ],
    [
      ['--events', '..2'],
      [1, 2],
    ],
    [
      ['--events', '9..'],
      [9, 10],
    ],
    [['--events', '4'], [4]],
    [['--events', '3..8', '--from', '1s', '--kind', 'kind:log'], [7]],
    [
      ['--kind', 'gossip', '--kind', 'log'],
      [4, 7, 9],
    ],
    [
      ['--about', 'entry=90', '--no-faults'],
      [5, 6],
    ],
    [
      ['--about', 'entry=91', '--no-faults'],
      [5, 6, 8],
    ],
    [
      ['--about', 'term=4', '--no-faults'],
      [4, 5, 6, 7, 8],
    ],
    [
      ['--about', 'term=4'],
      [1, 4, 5, 6, 7, 8, 10],
    ],
    [
      ['--about', 'term=4', '--node', 's2'],
      [6, 7, 8, 10],
    ],
    [
      ['--about', 'term=4', '--about', 'entry=90', '--from', '1s'],
      [5, 6, 10],
    ],
    [['--about', 'term=4', '--about', 'term=9', '--kind', 'diskWrite'], [4]],
    [['--about', 'key=a/b', '--node', 's1', '--no-faults'], [5]],
    [['--about', 'member=c1', '--no-faults'], [9]],
    [
      ['--about', 'stream=4', '--no-faults'],
      [2, 5, 6, 8],
    ],
    [
      ['--causes-of', '8'],
      [1, 2, 3, 4, 5, 6, 8],
    ],
    [
      ['--causes-of', '8', '--steps', '2'],
      [5, 6, 8],
    ],
    [
      ['--causes-of', '8', '--kind', 'raft'],
      [3, 4, 5, 6, 8],
    ],
  ])('with %j shows events %j', async (args, shown) => {
    expect(numbers(await trace(textOf(events), ...args))).toEqual(shown)
  })

  it('says that nothing receives what comes to a machine whose process is dead', async () => {
    const [, , , , , arrival] = events
    const lives = [
      { n: 1, t: 1, node: 's2', kind: 'crash', causes: [], boot: 1, text: '' },
      { ...arrival, n: 2, t: 2, causes: [] },
      { n: 3, t: 3, node: 's2', kind: 'boot', causes: [], boot: 2 },
      { ...arrival, n: 4, t: 4, causes: [] },
    ] as readonly TraceRecord[]
    const { out } = await trace(textOf(lives), '--kind', 'segment')
    expect(out).toMatch(
      /#2 {2}reaches s2, where nothing runs, from s1 on 4: append-entries .*\n.*#4 {2}gets from s1 on 4/,
    )
  })

  it('shows no control characters of a file, whichever text they stand in', async () => {
    const red = '\u001b[31m'
    const [boot] = events
    const strange = { ...header, scenario: `a${red}`, build: `b${red}`, nodes: [`s1${red}`] }
    const record = { ...boot, node: `s1${red}` } as TraceRecord
    const lives = [
      record,
      { ...record, n: 2, kind: 'crash', text: red, causes: [1] },
      { ...events[5], n: 3, t: 500, node: record.node, from: record.node, causes: [2] },
      { n: 4, t: 500, node: record.node, kind: 'violation', code: red, text: red, causes: [1, 3] },
    ] as readonly TraceRecord[]
    const said = await trace(textOf(lives, strange))
    const causes = await trace(textOf(lives, strange), '--kind', 'violation')
    const unknown = await trace(textOf(lives, strange), '--node', 's9')
    const wrong = await trace(textOf([{ ...record, [red]: 1 } as object as TraceRecord], strange))
    expect([said.exit, causes.exit, unknown.exit, wrong.exit]).toEqual([0, 0, 2, 2])
    expect(causes.out).toContain('← 3 at')
    for (const { out, error } of [said, causes, unknown, wrong]) expect(out + error).not.toContain('\u001b')
  })

  it('shows a trace of very many machines, with names of any length', async () => {
    const nodes = Array.from({ length: 300_000 }, (_, at) => `n${at}`)
    const said = await trace(
      textOf(events, { ...header, nodes: ['s1-with-a-very-long-name', ...nodes] }),
      '--events',
      '1',
    )
    expect(said.exit).toBe(0)
    expect(said.out.split('\n')[0]).toMatch(/, n98 and 299901 more$/)
    expect(said.out.split('\n')[1]).toMatch(/^ {3}0\.000500 {2}s1 {14} {8}#1 {2}boots/)
  })

  it('names every kind and layer once where it knows of no such name', async () => {
    const { error } = await trace(textOf(events), '--kind', 'rafts')
    const names = error.replace(/^.*layer: |;.*\n$/g, '').split(', ')
    expect(new Set(names).size).toBe(names.length)
  })

  it('gives lines of JSON that are a trace again', async () => {
    const said = await trace(textOf(events), '--json', '--kind', 'gossip')
    expect(said.out).toBe(textOf(events.filter(({ n }) => n === 9)))
    expect(numbers(await trace(said.out, '-'))).toEqual([9])
  })

  it('says so when nothing is of what was asked for', async () => {
    const missed = await trace(textOf(events), '--about', 'term=99')
    expect(numbers(missed)).toEqual([1, 10])
    expect(missed.error).toBe('none of 10 events matches the options\n')
    expect(await trace(textOf(events), '--about', 'term=99', '--no-faults')).toEqual({
      exit: 0,
      out: '',
      error: 'none of 10 events matches the options\n',
    })
  })

  it.each([
    [['--from', '9'], '--from 9: write a unit behind it: 9s\n'],
    [['--to', 'later'], '--to later: not a duration such as 10s, 1h30m or 300ms\n'],
    [['--from=-1s'], '--from -1s: no run has a time before 0\n'],
    [['--from', '9s', '--to', '8s'], '--to 8s is before --from 9s\n'],
    [
      ['--kind', 'raft,rafts'],
      /^--kind rafts: there is no such kind or layer: timer, .*, gossip, raft, .*unknown; kind:log is .* Raft log\n$/,
    ],
    [['--kind', 'layer:note'], /^--kind layer:note: there is no such kind or layer: /],
    [['--events', '0'], '--events 0: the first event is number 1\n'],
    [['--events', '0..4'], '--events 0..4: the first event is number 1\n'],
    [['--events', '..0'], '--events ..0: the first event is number 1\n'],
    [['--node', ''], "--node '': write the name of a machine, such as s3\n"],
    [['--node', 's1,,s2'], "--node 's1,,s2': write the name of a machine, such as s3\n"],
    [['--kind', ''], "--kind '': write the name of a kind or a layer, such as raft\n"],
    [['--events', '9..5'], '--events 9..5: 5 is before 9\n'],
    [['--events', '5-9'], '--events 5-9: write numbers of events: 17..40, 17.., ..40 or 17\n'],
    [['--node', 's9'], '--node s9: this trace has no such machine: s1, s2, c1, world\n'],
    [['--about', 'term'], '--about term: write name=value, such as term=4 or key=a/b\n'],
    [['--about', 'term=x'], '--about term=x: write a whole number\n'],
    [['--about', 'colour=red'], /^--about colour=red: events can be about entry, term, member, stream, key, .*\n$/],
    [['--causes-of', '11'], '--causes-of 11: the trace has no such event\n'],
    [['-', '--causes-of', '2'], '--causes-of reads the trace twice: name a file, not -\n'],
    [['--steps', '0'], /Write a number from 1 to 1000\./],
  ])('refuses %j', async (args, message) => {
    const said = await trace(textOf(events), ...args)
    expect(said).toMatchObject({ exit: 2, out: '' })
    expect(said.error).toMatch(message)
  })

  const aTrace = 'svc-sim run SCENARIO --seed N --trace FILE writes one\n'
  const [first] = events
  it.each([
    ['nothing', '', `a.trace: it is empty: it is not a trace: ${aTrace}`],
    ['a text', 'hello\nyou', `a.trace:1: it is not a trace: ${aTrace}`],
    ['a line without end', 'hello', `a.trace: it is not a trace: ${aTrace}`],
    ['other JSON', '{"format":"svc-decisions","version":1}\n', `a.trace:1: it is not a trace: ${aTrace}`],
    [
      'a later version',
      textOf([], { ...header, v: 2 }),
      'a.trace:1: a trace of version 2: this release reads version 1\n',
    ],
    ['a header without nodes', textOf([], { v: 1 }), `a.trace:1: it is not a trace: ${aTrace}`],
    ['another line', `${textOf([])}{"hello":1}\n`, 'a.trace:2: it is not an event: {"n":…,"t":… begins one\n'],
    [
      'an event twice',
      textOf([...events.slice(0, 1), ...events.slice(0, 1)]),
      'a.trace:3: event 1 does not follow event 1\n',
    ],
    [
      'an unknown kind',
      textOf([{ ...first, kind: 'miracle' } as never]),
      /^a\.trace:2: it is not an event: kind: Invalid/,
    ],
    ['a field too many', textOf([{ ...first, colour: 1 } as never]), /^a\.trace:2: it is not an event: .*colour/],
    ['a cut line', textOf(events).slice(0, -30), /^a\.trace:11: the last line is cut short: the run that wrote/],
  ])('says what is wrong with %s', async (_what, text, message) => {
    const said = await trace(text)
    expect(said.exit).toBe(2)
    expect(said.error).toMatch(message)
  })

  describe('of files', () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-trace-'))
    afterAll(() => rmSync(directory, { recursive: true }))

    it('reads them plain or compressed, whatever they are called', async () => {
      const plain = join(directory, 'plain.gz')
      const packed = join(directory, 'packed.trace')
      writeFileSync(plain, textOf(events))
      writeFileSync(packed, gzipSync(textOf(events)))
      expect(numbers(await trace('', plain))).toHaveLength(10)
      expect(numbers(await trace('', packed))).toHaveLength(10)
    })

    it('says what is wrong with them', async () => {
      const damaged = join(directory, 'damaged.gz')
      const bytes = gzipSync(textOf(events))
      writeFileSync(damaged, bytes.subarray(0, bytes.length - 12))
      expect((await trace('', damaged)).error).toMatch(
        /damaged\.gz: the compressed file is damaged or cut short \(.*\): only what is before that can be read\n$/,
      )
      expect((await trace('', join(directory, 'none.trace'))).error).toMatch(
        /: there is no such file: check the path\n$/,
      )
      writeFileSync(join(directory, 'x'), '')
      expect((await trace('', `${directory}/x/y.trace`)).error).toMatch(/: there is no such file/)
    })

    it('reads lines of all lengths as one', async () => {
      const long = { ...events[6], n: 11, text: 'ü'.repeat(300_000) } as TraceRecord
      const file = join(directory, 'long.trace')
      writeFileSync(file, textOf([...events, long]))
      expect(numbers(await trace('', file))).toHaveLength(11)
      const endless = join(directory, 'endless.trace')
      writeFileSync(endless, textOf(events) + 'x'.repeat(5 << 20))
      expect((await trace('', endless)).error).toMatch(/:12: a line of more than 4194304 bytes is no event\n$/)
    })
  })
})
