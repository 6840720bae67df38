import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogPlaces } from '../../../src/env/terminal.ts'
import { HostLog } from '../../../src/host/log.ts'
import { LogFile } from '../../../src/host/log-file.ts'
import { logJson } from '../../../src/host/log-line.ts'
import { openLogSinks } from '../../../src/host/log-sinks.ts'
import { holdPidFile } from '../../../src/host/pid-file.ts'

const dayMs = 86_400_000
let directory: string
let nowMs: number
let told: string[]
const clock = { wallMs: () => nowMs, monoMs: () => nowMs }
const troubles = {
  failed: (reason: string) => void told.push(reason),
  recovered: (lines: number) => void told.push(`${lines} lost`),
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-log-'))
  nowMs = 1_700_000_000_000
  told = []
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function places(more: Partial<LogPlaces> = {}): LogPlaces {
  const file = join(directory, 'a.txt')
  return { product: 'svc', json: false, file, rotateBytes: 0, rotateMs: dayMs, oldFilesMax: 0, ...more }
}

function opened(more: Partial<LogPlaces> = {}, write?: typeof writeSync): LogFile {
  const file = LogFile.open(places(more), clock, troubles, write)
  if (!file.ok) throw new Error(file.error)
  return file.value
}

/** Name and content of each file, the oldest first. */
function files(): readonly (readonly [name: string, content: string])[] {
  const names = readdirSync(directory).sort((one, other) => (one < other ? -1 : 1))
  return names.map((name) => [name, readFileSync(join(directory, name), 'utf8')])
}

describe('a log file', () => {
  it('is named after the time it began at, in nanoseconds, is its owner’s alone, and takes lines at once', () => {
    const file = opened()
    file.append('one')
    file.append('two')
    expect(files()).toEqual([['a-1700000000000000000.txt', 'one\ntwo\n']])
    expect(statSync(join(directory, 'a-1700000000000000000.txt')).mode & 0o777).toBe(0o600)
  })

  it('has the product’s name in a directory, and .log where no ending is given', () => {
    opened({ file: directory })
    opened({ file: `${directory}/` }).append('x')
    opened({ file: join(directory, 'plain') })
    expect(files().map(([name]) => name)).toEqual([
      'plain-1700000000000000000.log',
      'svc-1700000000000000000.log',
      'svc-1700000000000000001.log',
    ])
  })

  it('is followed by another once it has the bytes, in the same instant, too', () => {
    const file = opened({ rotateBytes: 8 })
    for (const line of ['one', 'two', 'three is longer', 'four']) file.append(line)
    expect(files()).toEqual([
      ['a-1700000000000000000.txt', 'one\ntwo\n'],
      ['a-1700000000000000001.txt', 'three is longer\n'],
      ['a-1700000000000000002.txt', 'four\n'],
    ])
  })

  it('is followed by another once it has the age, and not before', () => {
    const file = opened({ rotateMs: 1_000 })
    nowMs += 999
    file.append('one')
    nowMs += 1
    file.append('two')
    expect(files().map(([, content]) => content)).toEqual(['one\n', 'two\n'])
  })

  it.each([
    [0, ['1\n', '2\n', '3\n', '4\n']],
    [2, ['2\n', '3\n', '4\n']],
    [-1, ['4\n']],
  ])('of which %s old ones are kept, and no other file is touched', (oldFilesMax, kept) => {
    mkdirSync(join(directory, 'a-of-others.txt'))
    const file = opened({ rotateBytes: 1, oldFilesMax })
    for (const line of ['1', '2', '3', '4']) file.append(line)
    const names = readdirSync(directory)
    expect(names).toContain('a-of-others.txt')
    rmSync(join(directory, 'a-of-others.txt'), { recursive: true })
    expect(files().map(([, content]) => content)).toEqual(kept)
    expect(told).toEqual([])
  })

  it('of earlier processes are old ones as well, however soon each was restarted', () => {
    for (const line of ['1', '2', '3', '4']) {
      nowMs += 1_000
      opened({ oldFilesMax: 2 }).append(line)
    }
    expect(files().map(([, content]) => content)).toEqual(['2\n', '3\n', '4\n'])
    expect(told).toEqual([])
  })

  it('goes on to remove old ones behind one that cannot be removed', () => {
    const stuck = join(directory, 'a-1699999999999999999.txt')
    mkdirSync(stuck)
    const file = opened({ rotateBytes: 1, oldFilesMax: 1 })
    for (const line of ['1', '2', '3', '4']) file.append(line)
    rmSync(stuck, { recursive: true })
    expect(files().map(([, content]) => content)).toEqual(['3\n', '4\n'])
    expect(new Set(told)).toEqual(new Set([expect.stringMatching(/^has a rotated file that cannot be removed: /)]))
  })

  it('begins anew when it is told to, if it was moved away, and only then', () => {
    const file = opened()
    file.append('one')
    file.reopen()
    expect(files()).toHaveLength(1)
    renameSync(join(directory, 'a-1700000000000000000.txt'), join(directory, 'moved'))
    file.append('two')
    file.reopen()
    file.append('three')
    expect(files()).toEqual([
      ['a-1700000000000000001.txt', 'three\n'],
      ['moved', 'one\ntwo\n'],
    ])
  })

  it('that cannot be written is reported once, stops no agent, and says afterwards how many lines are missing', () => {
    let full = false
    const write = ((descriptor: number, bytes: Uint8Array, from: number) => {
      if (!full) return writeSync(descriptor, bytes, from)
      if (from === 0) return writeSync(descriptor, bytes, 0, 2)
      throw Object.assign(new Error('full'), { errno: -28 })
    }) as typeof writeSync
    const file = opened({}, write)
    file.append('one')
    full = true
    for (const line of ['two', 'three', 'four']) file.append(line)
    expect(told).toEqual(['cannot be written: no space left on device'])
    full = false
    file.append('five')
    file.append('six')
    expect(told.slice(1)).toEqual(['3 lost'])
    expect(files()[0]?.[1]).toMatch(/^one\ntw\nt\nf\nfive\nsix\n$/)
  })

  it('goes on in the old one where no new one can be made, and asks again later', () => {
    const file = opened({ rotateBytes: 1 })
    file.append('one')
    const away = `${directory}-away`
    renameSync(directory, away)
    for (const line of ['two', 'three']) file.append(line)
    expect(told).toEqual(['cannot be rotated: no such file or directory'])
    renameSync(away, directory)
    file.append('four')
    nowMs += 1_000
    file.append('five')
    expect(files().map(([, content]) => content)).toEqual(['one\ntwo\nthree\nfour\n', 'five\n'])
  })

  it('that cannot be made at all is an error', () => {
    expect(LogFile.open(places({ file: '/proc/none/a' }), clock, troubles)).toEqual({
      ok: false,
      error: 'no such file or directory',
    })
  })
})

describe('one record', () => {
  it('is shown in both forms, on the terminal and in the file, with what was held back', () => {
    const shown: string[] = []
    const streams = { out: (text: string) => void shown.push(text), error: (text: string) => void told.push(text) }
    for (const json of [false, true]) {
      const log = new HostLog(
        { clock, timers: { after: () => ({ close: () => undefined }) } },
        () => told.push('the sink from before'),
        'info',
        true,
      )
      log.write('info', 'raft', 'election won', { term: 7n, name: 'a b' })
      const file = json ? 'b.txt' : 'a.txt'
      expect(openLogSinks(log, places({ json, file: join(directory, file) }), clock, streams).ok).toBe(true)
      log.release()
      log.write('debug', 'raft', 'not of the level')
    }
    const [text = '', object = ''] = files().map(([, content]) => content)
    expect(text).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[INFO\] raft: election won term=7 name="a b"\n$/)
    expect(JSON.parse(object)).toEqual({
      ...{ '@level': 'info', '@message': 'election won', '@module': 'raft', '@timestamp': '2023-11-14T22:13:20.000Z' },
      ...{ term: 7, name: 'a b' },
    })
    expect(shown).toEqual([`    ${text}`, object])
    expect(told).toEqual([])
  })

  it('is one line of JSON whatever it carries, with whole numbers as they are', () => {
    const fields = { large: 2n ** 63n, none: undefined, no: Number.NaN, on: true, forged: 'x\n\u2028\u007f' }
    const line = logJson({ wallMs: 0, level: 'error', topic: 'a', text: 'b', fields })
    expect(line).toMatch(/^[\x20-\x7e]+$/)
    const read = { large: '9223372036854775808', no: 'NaN', on: true, forged: fields.forged }
    expect(JSON.parse(line)).toMatchObject(read)
  })
})

describe('a file with the number of the process', () => {
  const complain = (text: string) => void told.push(text)

  it('takes the place of a stale one, for all to read, and goes with the process', () => {
    const path = join(directory, 'pid')
    const stale = holdPidFile(path, complain)
    const held = holdPidFile(path, complain)
    if (!stale.ok || !held.ok) throw new Error('it could not be written')
    expect(files()).toEqual([['pid', String(process.pid)]])
    expect(statSync(path).mode & 0o777).toBe(0o644)
    held.value.close()
    expect(files()).toEqual([])
    stale.value.close()
    expect(told).toEqual([])
  })

  it('that cannot be written is an error, and leaves nothing behind', () => {
    const path = join(directory, 'is-a-directory')
    mkdirSync(path)
    expect(holdPidFile(path, complain).ok).toBe(false)
    expect(readdirSync(directory)).toEqual(['is-a-directory'])
  })
})
