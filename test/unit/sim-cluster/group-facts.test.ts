import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../sim/cluster/cluster.ts'
import { calledName, hasReplacedVoter, isMissed, knowsOf } from '../../../sim/cluster/group-facts.ts'
import { type NodeIdentity, replacement, serverIdentity } from '../../../sim/cluster/node-identity.ts'

/** What servers go by: by name, the names of the voters that each knows; undefined: it does not run. */
function cluster(
  known: Readonly<Record<string, readonly string[] | undefined>>,
  left: readonly string[] = [],
): Cluster {
  const names = Object.keys(known)
  const ids = new Map(names.map((name, at) => [name, serverIdentity(at + 1, 'dc1', 1).id]))
  const configurationOf = (name: string) => ({
    servers: (known[name] ?? []).map((voter) => ({
      id: ids.get(voter) ?? replacement(serverIdentity(9, 'dc1', 1), 1).id,
      suffrage: 'voter',
    })),
  })
  const parts = {
    serverNames: names,
    hasLeft: (name: string) => left.includes(name),
    isRunning: (name: string) => known[name] !== undefined,
    identityOf: (name: string) => ({ id: ids.get(name) }),
    leader: () => names[0],
    agentOf: (name: string) => ({ raft: { status: () => ({ configuration: configurationOf(name) }) } }),
  }
  return parts as unknown as Cluster
}

describe('a server that has left', () => {
  it('is missed where no majority runs without it of what another one goes by', () => {
    expect(isMissed(cluster({ s1: ['s1', 's2'], s2: undefined }, ['s2']), 's2')).toBe(true)
  })

  it('is not missed by those that are enough without it, nor where it was taken out', () => {
    const three = ['s1', 's2', 's3']
    expect(isMissed(cluster({ s1: three, s2: undefined, s3: three }, ['s2']), 's2')).toBe(false)
    expect(isMissed(cluster({ s1: ['s1'], s2: undefined }, ['s2']), 's2')).toBe(false)
  })

  it('is not one that only stopped', () => {
    expect(isMissed(cluster({ s1: ['s1', 's2'], s2: undefined }), 's2')).toBe(false)
  })
})

describe('a machine that was replaced', () => {
  it('is told by its ID once it votes', () => {
    expect(hasReplacedVoter(cluster({ s1: ['s1', 'other'] }))).toBe(true)
    expect(hasReplacedVoter(cluster({ s1: ['s1'] }))).toBe(false)
  })
})

describe('a datacenter', () => {
  const identities = new Map<string, NodeIdentity>([
    ['s1', serverIdentity(1, 'dc1', 1)],
    ['s2', serverIdentity(2, 'dc2', 2)],
    ['s3', { ...serverIdentity(3, 'new', 3), called: 'dc1', apart: true }],
  ])
  const parts = {
    serverNames: [...identities.keys()],
    identityOf: (name: string) => identities.get(name),
    datacenterOf: (name: string) => identities.get(name)?.datacenter,
  }
  const world = parts as unknown as Cluster

  it('is known to its own agents and to those of others, unless one of the two is apart', () => {
    const known = [...identities.keys()].map((node) => ['dc1', 'dc2', 'new'].filter((dc) => knowsOf(world, node, dc)))
    expect(known).toEqual([['dc1', 'dc2'], ['dc1', 'dc2'], ['new']])
    expect(knowsOf(world, 's1', 'dc9')).toBe(false)
  })

  it('may be called otherwise by its agents', () => {
    expect([calledName(world, 'dc2'), calledName(world, 'new')]).toEqual(['dc2', 'dc1'])
  })
})
