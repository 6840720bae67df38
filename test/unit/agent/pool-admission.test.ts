import { describe, expect, it } from 'vitest'
import { poolAdmission, wanAdmission } from '../../../src/agent/pool-admission.ts'

const refuse = poolAdmission({ nodeName: 'n1', nodeId: 'id-1', datacenter: 'dc1' })

describe('who may not be in the pool of a datacenter', () => {
  it('an agent of another datacenter', () => {
    expect(refuse([{ name: 'n2', tags: { dc: 'dc2', id: 'id-2' } }])).toBe("Member 'n2' part of wrong datacenter 'dc2'")
  })

  it('an agent with our node ID under another name', () => {
    expect(refuse([{ name: 'n2', tags: { dc: 'dc1', id: 'id-1' } }])).toBe(
      "Member 'n2' has conflicting node ID 'id-1' with this agent's ID",
    )
  })

  it('two agents that have one node ID', () => {
    const both = ['n2', 'n3'].map((name) => ({ name, tags: { dc: 'dc1', id: 'id-2' } }))
    expect(refuse(both)).toBe("Member 'n3' has conflicting node ID 'id-2' with member 'n2'")
  })

  it('an agent of a segment', () => {
    expect(refuse([{ name: 'n2', tags: { dc: 'dc1', segment: 'alpha' } }])).toBe(
      "Member 'n2' part of wrong segment 'alpha'",
    )
  })

  it('but ourselves, others of the datacenter, and members that are none of our agents, may be', () => {
    expect(
      refuse([
        { name: 'n1', tags: { dc: 'dc1', id: 'id-1', segment: '' } },
        { name: 'n2', tags: { dc: 'dc1', id: 'id-2' } },
        { name: 'theirs', tags: { role: 'web' } },
      ]),
    ).toBeUndefined()
  })
})

describe('who may not be in the pool of all datacenters', () => {
  const refuseWan = wanAdmission({ name: 'n1.dc1', nodeId: 'id-1' })
  const server = (name: string, dc: string, id: string) => ({ name, tags: { role: 'svc', dc, id } })

  it('whoever is no server', () => {
    expect(refuseWan([server('n2.dc2', 'dc2', 'id-2'), { name: 'c1', tags: { role: 'node', dc: 'dc2' } }])).toBe(
      "Member 'c1' is not a server",
    )
    expect(refuseWan([{ name: 'theirs', tags: {} }])).toBe("Member 'theirs' is not a server")
  })

  it('a second server with a node ID', () => {
    expect(refuseWan([server('n2.dc2', 'dc2', 'id-1')])).toBe(
      "Member 'n2.dc2' has conflicting node ID 'id-1' with this agent's ID",
    )
  })

  it('but servers of any datacenter, ourselves among them, may be', () => {
    expect(refuseWan([server('n1.dc1', 'dc1', 'id-1'), server('n1.dc2', 'dc2', 'id-2')])).toBeUndefined()
  })
})
