import { describe, expect, it } from 'vitest'
import type { Env } from '../../../src/env/env.ts'
import type { DialFailure, StreamEnd, TcpStream } from '../../../src/env/net.ts'
import { Rpc } from '../../../src/rpc/rpc.ts'
import { noTls } from '../../../src/rpc/tls.ts'
import { TlsReports } from '../../../src/rpc/tls-reports.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

describe('an agent that acts as a server', () => {
  it('is reported once a minute for each host, whatever names it takes', async () => {
    const clock = new HandClock()
    const reports = new TlsReports({ ...clock.env, metrics: { count: () => undefined } as never })
    for (let name = 0; name < 1_000; name++) {
      reports.pretended({ host: '10.0.0.1', port: 1 }, `n${name}`, 'server.dc1.svc')
    }
    reports.pretended({ host: '10.0.0.2', port: 1 }, 'n1', 'server.dc1.svc')
    expect(clock.logged).toHaveLength(2)
    await clock.advance(60_000)
    reports.pretended({ host: '10.0.0.1', port: 1 }, 'n1', 'server.dc1.svc')
    expect(clock.logged).toHaveLength(3)
  })
})

describe('a server that closes connections without a word', () => {
  const server = { name: 's1', datacenter: 'dc1', offersTls: false }
  const pem = { certificateChainPem: 'a', privateKeyPem: 'b' }

  it('is reported with possible reasons once it lasts, once a minute, and anew after the host spoke', async () => {
    const clock = new HandClock()
    const reports = new TlsReports({ ...clock.env, metrics: { count: () => undefined } as never })
    const closes = (): string => reports.closedSilently('10.0.0.1:8300', noTls, server)
    expect(closes()).toBe('it closed the connection before it said hello, as servers do that accept only TLS')
    await clock.advance(2_000)
    closes()
    expect(clock.logged).toEqual([])
    await clock.advance(1_000)
    for (let time = 0; time < 100; time++) closes()
    expect(clock.logged).toHaveLength(1)
    expect(clock.logged[0]).toContain('a server refuses connections over TLS')
    reports.silenceOver('10.0.0.1:8300')
    await clock.advance(60_000)
    closes()
    expect(clock.logged).toHaveLength(1)
    await clock.advance(3_000)
    closes()
    expect(clock.logged).toHaveLength(2)
  })

  it('is no news where it was down or was not dialled in between, as a server that was restarted', async () => {
    const clock = new HandClock()
    const reports = new TlsReports({ ...clock.env, metrics: { count: () => undefined } as never })
    const closes = (): string => reports.closedSilently('10.0.0.1:8300', noTls, server)
    closes()
    await clock.advance(2_000)
    reports.silenceOver('10.0.0.1:8300')
    await clock.advance(2_000)
    closes()
    await clock.advance(600_000)
    closes()
    expect(clock.logged).toEqual([])
    await clock.advance(3_000)
    closes()
    expect(clock.logged).toHaveLength(1)
  })

  it.each([
    [{ ...noTls, verifyOutgoing: true }, /and this agent shows no certificate$/],
    [{ ...noTls, verifyOutgoing: true, identity: pem }, /that do not trust the certificate which this agent shows$/],
    [{ ...noTls, identity: pem }, /that accept only TLS$/],
  ])('may do so for what this agent shows (%#)', (tls, why) => {
    const clock = new HandClock()
    const reports = new TlsReports({ ...clock.env, metrics: { count: () => undefined } as never })
    expect(reports.closedSilently('10.0.0.1:8300', tls, server)).toMatch(why)
  })
})

describe('a server that is dialled while it is restarted', () => {
  it('is not reported to refuse TLS because it closed connections as it ended and as it began', async () => {
    const clock = new HandClock()
    const place = { host: '10.0.0.1', port: 8300 }
    /** What the next dial finds: a server that closes the connection, or no process. */
    let isThere = true
    const closing = (): TcpStream => {
      let end: (why: StreamEnd) => void = () => undefined
      const quiet = () => undefined
      return {
        ...{ local: place, remote: place, peer: undefined, onData: quiet, onDrain: quiet, onEnd: quiet },
        ...{ queuedBytes: () => 0, pause: quiet, resume: quiet, end: quiet, close: quiet },
        onClose: (use) => {
          end = use
        },
        write: () => {
          clock.env.timers.after(1, () => end('reset'))
          return true
        },
      }
    }
    const refused: DialFailure = { kind: 'refused', to: place }
    const tcp = {
      dial: async () => (isThere ? { ok: true, value: closing() } : { ok: false, error: refused }),
    } as unknown as Env['tcp']
    const opened = await Rpc.open({ ...clock.env, tcp, metrics: { count: () => undefined } as never }, undefined)
    if (!opened.ok) throw new Error(opened.error.kind)
    const rpc = opened.value
    const hello = { nodeId: 'a', nodeName: 'a', datacenter: 'dc1', address: '' }
    const handlers = { onRequest: async () => ({ ok: true, value: null }) as const, onNotice() {}, onPeer() {} }
    rpc.start(hello, handlers)
    const ask = async (): Promise<void> => {
      const asked = rpc.request('10.0.0.1:8300', { method: 'Test', body: null, deadlineMs: 1_000 })
      await settled()
      await clock.advance(10)
      expect(await asked).toMatchObject({ ok: false, error: { kind: 'unreachable' } })
    }
    await ask()
    isThere = false
    for (let second = 0; second < 5; second++) {
      await clock.advance(1_000)
      await ask()
    }
    isThere = true
    await ask()
    expect(clock.logged.filter((line) => line.includes('refuses connections over TLS'))).toEqual([])
  })
})
