import { createServer, type Server, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import type { TelemetryConfig } from '../../../src/agent/settings/telemetry-settings.ts'
import { openTelemetry } from '../../../src/agent/telemetry/telemetry.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { labelsOf } from '../../../src/model/metric-labels.ts'
import { quietEnv } from './quiet-env.ts'

/** On a machine with other work. */
const patient = { timeout: 20_000 }

const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** What comes each second of itself is left out. */
const withoutRuntime = { allowed: [], blocked: ['svc.runtime', `svc.${hostname()}.runtime`], otherwise: true }

function telling(changes: Partial<TelemetryConfig>) {
  const env = quietEnv()
  const { telemetry: defaults } = defaultAgentConfig('n', '127.0.0.1')
  const telemetry = openTelemetry(env, { ...defaults, filter: withoutRuntime, ...changes }, 'n')
  closing.push(() => telemetry.close())
  return telemetry.metrics
}

/** A receiver of datagrams: what has arrived so far. */
async function udpListener(): Promise<{ readonly at: Endpoint; readonly heard: string[] }> {
  const heard: string[] = []
  const bound = await quietEnv().udp.bind({ host: '127.0.0.1', port: 0 }, (_from, bytes) => heard.push(textOf(bytes)))
  if (!bound.ok) throw new Error(bound.error.kind)
  return { at: bound.value.local, heard }
}

function listening(server: Server, port = 0): Promise<Endpoint> {
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      resolve({ host: '127.0.0.1', port: (server.address() as { port: number }).port })
    })
  })
}

describe('metrics sent to others', () => {
  it('[TEL-009] come to statsd and DogStatsD as datagrams of whole lines, many in each', async () => {
    const statsd = await udpListener()
    const dog = await udpListener()
    const metrics = telling({
      statsd: statsd.at,
      dogstatsd: dog.at,
      dogstatsdTags: ['env:test'],
      disableHostname: true,
    })
    for (let at = 0; at < 100; at++) metrics.count(`some.counter.of.a.long.name.${at}`)
    metrics.count('asked', 2, labelsOf(['service', 'web'], ['tag', 'a,b'], ['tag', 'c.d']))
    metrics.gauge('last', 2)
    await expect.poll(() => statsd.heard.join(''), patient).toContain('svc.last:2.000000|g\n')
    await expect.poll(() => dog.heard.join(''), patient).toContain('svc.last:2.000000|g|#env:test\n')
    expect(dog.heard.join('')).toContain('\nsvc.asked:2|c|#env:test,service:web,tag:a_b,tag:c.d\n')
    const lines = statsd.heard.join('').split('\n')
    expect(lines).toHaveLength(103)
    expect(lines).toContain('svc.asked.web.a,b.c.d:2.000000|c')
    expect(statsd.heard.every((datagram) => datagram.length <= 1_400 && datagram.endsWith('\n'))).toBe(true)
    expect(statsd.heard.length).toBeLessThan(10)
  })

  it('[TEL-009] come to statsite over one connection', async () => {
    const heard: string[] = []
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.on('data', (bytes) => heard.push(bytes.toString()))
    })
    closing.push(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const metrics = telling({ statsite: await listening(server) })
    metrics.count('a', 1)
    metrics.sample('b', 3)
    await expect.poll(() => heard.join(''), patient).toBe('svc.a:1.000000|c\nsvc.b:3.000000|ms\n')
    metrics.count('a', 2)
    await expect.poll(() => heard.join(''), patient).toContain('svc.a:2.000000|c\n')
    expect(sockets).toHaveLength(1)
  })
})
