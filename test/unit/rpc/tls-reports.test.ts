import { describe, expect, it } from 'vitest'
import { TlsReports } from '../../../src/rpc/tls-reports.ts'
import { HandClock } from '../features/hand-clock.ts'

describe('an agent that acts as a server', () => {
  it('is told of once in a minute for each host, whatever names it takes', async () => {
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
