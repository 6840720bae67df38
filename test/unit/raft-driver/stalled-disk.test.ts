import { describe, expect, it } from 'vitest'
import { SmallCluster } from './small-cluster.ts'

const three = ['a', 'b', 'c']

/** From now on the disk of `id` answers nothing, until what is returned is called. */
function stall(cluster: SmallCluster, id: string): () => void {
  const disk = cluster.diskOf(id)
  let goOn = (): void => {}
  const stalled = new Promise<void>((resolve) => {
    goOn = resolve
  })
  disk.stall = () => stalled
  return () => {
    disk.stall = async () => {}
    goOn()
  }
}

describe('a leader whose disk answers nothing any more', () => {
  it('goes on serving writes by the disks of others, and hands leadership to one of them', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    const goOn = stall(cluster, leader)
    expect((await cluster.settled(cluster.propose(leader, 'by others'))).ok).toBe(true)
    await cluster.time.advance(3500)
    expect(cluster.of(leader).raft.status().role).toBe('leader')
    const next = await cluster.until(() =>
      three.find((id) => id !== leader && cluster.of(id).raft.status().role === 'leader'),
    )
    expect(cluster.of(leader).env.lines.some((line) => line.includes('the disk does not answer'))).toBe(true)
    expect((await cluster.settled(cluster.propose(next, 'after'))).ok).toBe(true)
    await cluster.time.advance(20_000)
    expect(cluster.of(next).raft.status().role).toBe('leader')
    goOn()
    await cluster.until(() => cluster.of(leader).machine.commands.includes('after') || undefined)
    expect(cluster.of(leader).fatal).toEqual([])
  })

  it('stays in office while none can be elected without its vote, which it cannot write', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    const [down] = three.filter((id) => id !== leader) as [string]
    cluster.crash(down)
    await cluster.time.advance(1000)
    stall(cluster, leader)
    const write = cluster.propose(leader, 'waits')
    await cluster.time.advance(20_000)
    const { raft } = cluster.of(leader)
    expect(raft.status().role).toBe('leader')
    expect((await cluster.settled(raft.readIndex())).ok).toBe(true)
    await cluster.start(down)
    await cluster.until(() => three.find((id) => id !== leader && cluster.of(id).raft.status().role === 'leader'))
    await cluster.settled(write)
  })

  it('stays in office while nothing waits for the disk', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    await cluster.settled(cluster.propose(leader, 'before'))
    await cluster.time.advance(1000)
    stall(cluster, leader)
    await cluster.time.advance(20_000)
    expect(cluster.of(leader).raft.status().role).toBe('leader')
  })

  it('stays in office when it is alone, and says that no server took over', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(['a'])
    const goOn = stall(cluster, leader)
    const write = cluster.propose(leader, 'waits')
    await cluster.time.advance(10_000)
    expect(cluster.of(leader).env.lines.some((line) => line.includes('no server took over'))).toBe(true)
    goOn()
    expect((await cluster.settled(write)).ok).toBe(true)
  })
})
