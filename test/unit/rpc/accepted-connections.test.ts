import { describe, expect, it } from 'vitest'
import { ok } from '../../../src/base/result.ts'
import type { StreamEnd, TcpStream } from '../../../src/env/net.ts'
import type { Log } from '../../../src/env/observe.ts'
import { AcceptedConnections, acceptedPerSourceMax } from '../../../src/rpc/accepted-connections.ts'
import type { ConnectionEvents } from '../../../src/rpc/connection.ts'
import { rpcProtocol } from '../../../src/rpc/frame.ts'
import { noTls } from '../../../src/rpc/tls.ts'
import { HandClock } from '../features/hand-clock.ts'

const hello = { protocol: rpcProtocol, nodeId: 'a', nodeName: 'a', datacenter: 'dc1', address: '' }
const quiet = (): undefined => undefined
const events: ConnectionEvents = {
  ...{ onRequest: async () => ok(null), isWrite: () => false, onNotice: quiet },
  ...{ onHeld: quiet, onReady: quiet, onClose: quiet },
}

/** Streams that agents of this host have dialled; the test counts those that stay open, and can end one. */
function accepting() {
  const clock = new HandClock()
  const counted = new Map<string, number>()
  const count = (name: string): void => void counted.set(name, (counted.get(name) ?? 0) + 1)
  const logged: string[] = []
  const write: Log['write'] = (_level, _topic, text, fields) => void logged.push(`${text}: ${fields?.['why']}`)
  const env = { ...clock.env, metrics: { count } as never, log: { ...clock.env.log, write } }
  const accepted = new AcceptedConnections(env)
  const open = new Set<(why: StreamEnd) => void>()
  const dial = (host: string): void => {
    let end: (why: StreamEnd) => void = quiet
    const stream: TcpStream = {
      ...{ local: { host: '10.0.0.1', port: 8300 }, remote: { host, port: 1 }, peer: undefined },
      ...{ onData: quiet, onEnd: quiet, onDrain: quiet, queuedBytes: () => 0, pause: quiet, resume: quiet, end: quiet },
      write: () => true,
      onClose: (use) => {
        end = use
        open.add(end)
      },
      close: () => void open.delete(end),
    }
    accepted.accept(stream, hello, noTls, events)
  }
  return { logged, counted, open, dial }
}

describe('connections that others have dialled', () => {
  it('are refused beyond the share of their source, and the log tells why', () => {
    const { logged, counted, open, dial } = accepting()
    for (let at = 0; at < acceptedPerSourceMax + 3; at++) dial('10.0.0.2')
    dial('10.0.0.3')
    expect([open.size, counted.get('rpc.refused_connections')]).toEqual([acceptedPerSourceMax + 1, 3])
    expect(logged).toEqual(
      Array.from({ length: 3 }, () => 'refused a connection: its address has 256 connections already'),
    )
    for (const end of [...open]) end('ended')
    dial('10.0.0.2')
    expect(counted.get('rpc.refused_connections')).toBe(3)
  })

  it('are refused beyond the limit of all of them, which is counted and told, too', () => {
    const { logged, counted, open, dial } = accepting()
    for (let at = 0; at < 4_097; at++) dial(`10.0.${at >> 8}.${at & 255}`)
    expect([open.size, counted.get('rpc.refused_connections')]).toEqual([4_096, 1])
    expect(logged).toEqual(['refused a connection: there are 4096 connections already'])
  })
})
