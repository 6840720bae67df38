import { describe, expect, it } from 'vitest'
import { noTls } from '../../../src/rpc/tls.ts'
import { TlsReports } from '../../../src/rpc/tls-reports.ts'
import { HandClock } from '../features/hand-clock.ts'

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
    reports.connected('10.0.0.1:8300')
    await clock.advance(60_000)
    closes()
    expect(clock.logged).toHaveLength(1)
    await clock.advance(3_000)
    closes()
    expect(clock.logged).toHaveLength(2)
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
