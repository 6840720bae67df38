import { describe, expect, it } from 'vitest'
import { FailedLogs } from '../../../sim/checkers/raft/failed-logs.ts'
import { recorder } from './reports.ts'

const segment = '/data/raft/log/0000000002.log'

/** A checker of one server, which is running. */
function checker() {
  const { judge, lines, counts, now, causes } = recorder()
  const clock = { ms: 0 }
  const logs = new FailedLogs(judge, () => clock.ms * 1000)
  logs.began('s1')
  logs.opened('s1')
  return { logs, lines, counts, clock, now, causes }
}

describe('D4 failed logs', () => {
  it('accepts a server that stops at once, and one whose other files failed', () => {
    const { logs, lines, counts, clock } = checker()
    for (const path of ['/data/raft/snapshots/1.snapshot', `${segment}.tmp`, '/data/raft/log.lost-1/0000000001.log'])
      logs.failed('s1', 'sync', path)
    logs.failed('s1', 'open', segment)
    logs.acted('s1', 'sends a message')
    clock.ms = 5000
    logs.failed('s1', 'write', segment)
    clock.ms = 5001
    logs.died('s1')
    logs.ended()
    expect([lines, counts()]).toEqual([[], ['D4 1']])
  })

  it.each([segment, '/data/raft/log', '/data/raft/log/watermark', '/data/mdb/0000000001.log'])(
    'reports a server that goes on after the sync of %s failed',
    (path) => {
      const { logs, lines, causes, now } = checker()
      now.event = 7
      logs.failed('s1', 'sync', path)
      logs.acted('s1', 'sends a message')
      logs.acted('s2', 'sends a message')
      expect(lines).toEqual([`D4: s1 sends a message, though a sync of ${path} failed`])
      expect(causes).toEqual([[7]])
    },
  )

  it('reports a server that does nothing and does not end', () => {
    const { logs, lines, clock } = checker()
    logs.failed('s1', 'write', segment)
    clock.ms = 200
    logs.ended()
    logs.died('s1')
    expect(lines).toEqual([
      `D4: s1 still runs 0.2s after a write of ${segment} failed`,
      `D4: s1 ends 0.2s after a write of ${segment} failed`,
    ])
  })

  it('does not count the time for which the process was paused, nor hurry one that ends', () => {
    const { logs, lines, counts, clock } = checker()
    logs.failed('s1', 'write', segment)
    logs.paused('s1')
    clock.ms = 2000
    logs.resumed('s1')
    clock.ms = 2050
    logs.died('s1')
    logs.began('s1')
    logs.opened('s1')
    logs.toldToEnd('s1')
    logs.failed('s1', 'sync', segment)
    clock.ms = 9000
    logs.died('s1')
    expect([lines, counts()]).toEqual([[], ['D4 1', 'D4 excused: ending 1']])
  })

  it('reports a server that went on after its log failed, and is told to end for another reason', () => {
    const { logs, lines, clock } = checker()
    logs.failed('s1', 'write', segment)
    clock.ms = 30_000
    logs.toldToEnd('s1')
    clock.ms = 31_000
    logs.died('s1')
    expect(lines).toEqual([`D4: s1 is told to end, and still runs, 30s after a write of ${segment} failed`])
  })

  it('judges no server that is still reading its log', () => {
    const { logs, counts } = checker()
    logs.began('s1')
    logs.failed('s1', 'sync', segment)
    logs.ended()
    expect(counts()).toEqual([])
  })
})
