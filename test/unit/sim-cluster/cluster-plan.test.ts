import { describe, expect, it } from 'vitest'
import { plannedNodes } from '../../../sim/cluster/cluster-plan.ts'
import { nodeConfig } from '../../../sim/cluster/settings.ts'
import { newestRelease } from '../../../src/model/release.ts'

const machine = {
  hostName: 'm',
  architecture: 'x64',
  operatingSystem: 'linux',
  cpuCount: 1,
  interfaces: () => [],
} as const

const nodes = plannedNodes({
  dc1: { servers: { count: 2, spare: 1 }, clients: { count: 1, config: { log_level: 'WARN' } } },
  dc2: { servers: { count: 1 }, config: { log_level: 'ERR' } },
  new: { datacenter: 'dc1', apart: true, servers: { count: 2 } },
})

function configOf(name: string) {
  const planned = nodes.find(({ identity }) => identity.name === name)
  if (planned === undefined) throw new Error(`there is no ${name}`)
  const identities = nodes.map(({ identity }) => identity)
  const config = nodeConfig(planned.identity, identities, planned.settings, machine, newestRelease)
  if (!config.ok) throw new Error(config.error)
  return config.value
}

describe('the nodes of a plan', () => {
  it('are the servers of all datacenters, numbered through, then the clients', () => {
    expect(nodes.map(({ identity }) => identity.name)).toEqual(['s1', 's2', 's3', 's4', 's5', 's6', 'c1'])
    expect(nodes.map(({ identity }) => identity.host)[3]).toBe('10.0.2.4')
  })

  it('have addresses of their own, however many datacenters are full of clients', () => {
    const full = { servers: { count: 1 }, clients: { count: 99 } }
    const hosts = plannedNodes({ dc1: full, dc2: full, dc3: full, dc4: full }).map(({ identity }) => identity.host)
    expect(new Set(hosts).size).toBe(400)
    expect(hosts.filter((host) => host.split('.').some((part) => Number(part) > 255))).toEqual([])
  })

  it('have the settings of their datacenter, and their own over them', () => {
    expect(nodes.map(({ settings }) => settings.log_level)).toEqual([
      ...Array.from({ length: 3 }, () => undefined),
      'ERR',
      ...Array.from({ length: 2 }, () => undefined),
      'WARN',
    ])
  })

  it('do not wait for machines that come later to form a group', () => {
    expect(configOf('s1').bootstrapExpect).toBe(2)
    expect(configOf('s3').bootstrapExpect).toBe(2)
    expect(nodes.filter(({ identity }) => identity.spare).map(({ identity }) => identity.name)).toEqual(['s3'])
  })

  it('get the addresses of servers in other datacenters, except for separate ones', () => {
    expect(configOf('s1').wan.retryJoin.length).toBe(1)
    expect(configOf('s5').wan.retryJoin).toEqual([])
    expect([configOf('s5').datacenter, configOf('s4').datacenter]).toEqual(['dc1', 'dc2'])
  })
})
