import { afterEach, expect, it } from 'vitest'
import { addresses } from './dns-client.ts'
import { eventually, type RealCluster, startThree } from './real-agent.ts'

let cluster: RealCluster | undefined
afterEach(() => cluster?.stopAll())

interface Metrics {
  readonly Counters: readonly { readonly Name: string; readonly Count: number }[]
}

it('[DNS-013 DNS-017 TEL-007] the one of three servers that is left answers DNS, and counts answers that are more than five seconds old', async () => {
  const three = await startThree(1, { dns: true })
  cluster = three
  const leader = await three.leaderAt()
  const body = JSON.stringify({ Node: 'd1', Address: '10.5.0.1', Service: { Service: 'web', Port: 80 } })
  expect((await three.agents[leader]?.request('PUT', '/v1/catalog/register', body))?.status).toBe(200)
  const left = [0, 1, 2].find((at) => at !== leader) as number
  const at = { host: `127.0.0.${left + 1}`, port: three.dnsPort }
  const ask = () => addresses(at, 'web.service.svc').catch(() => undefined)
  await eventually('the service at the server that is to be left', async () =>
    (await ask())?.includes('10.5.0.1') === true ? true : undefined,
  )
  const counted = async (): Promise<boolean> => {
    const metrics = await three.agents[left]?.json<Metrics>('/v1/agent/metrics')
    return metrics?.Counters.some(({ Name, Count }) => Name === 'svc.dns.stale_queries' && Count > 0) === true
  }
  expect(await counted()).toBe(false)
  await Promise.all([0, 1, 2].filter((other) => other !== left).map((other) => three.agents[other]?.stop('SIGKILL')))
  // An interval of metrics lasts ten seconds, and is shown when it is over.
  await eventually(
    'stale answers in its metrics',
    async () => {
      expect(await ask()).toEqual(['10.5.0.1'])
      return (await counted()) ? true : undefined
    },
    60_000,
  )
}, 120_000)
