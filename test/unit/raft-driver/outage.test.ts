import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { CrashDisk } from '../raft-log/crash-disk.ts'
import { Draws } from '../raft-log/fake-env.ts'
import { SmallCluster } from './small-cluster.ts'

const raftDirectory = '/data/raft'
const peersPath = `${raftDirectory}/peers.json`

function peersOf(ids: readonly string[]): Uint8Array {
  return utf8(JSON.stringify(ids.map((id) => ({ id, address: `${id}:8300` }))))
}

/** Three servers with ten commands applied on each, all stopped. */
async function stoppedCluster(ids: readonly string[] = ['a', 'b', 'c']): Promise<SmallCluster> {
  const cluster = new SmallCluster()
  const leader = await cluster.form(ids)
  for (let i = 0; i < 10; i++) expect((await cluster.settled(cluster.propose(leader, `c${i}`))).ok).toBe(true)
  await cluster.until(() => (ids.every((id) => cluster.of(id).machine.commands.length === 10) ? true : undefined))
  for (const id of ids) cluster.crash(id)
  return cluster
}

const commands = Array.from({ length: 10 }, (_, i) => `c${i}`)

function filesOf(disk: CrashDisk): string {
  const paths = [raftDirectory, `${raftDirectory}/log`, `${raftDirectory}/snapshots`].flatMap((directory) =>
    disk.namesIn(directory).map((name) => `${directory}/${name}`),
  )
  return paths.map((path) => `${path} ${disk.bytesOf(path).join()}`).join('\n')
}

async function refusal(
  cluster: SmallCluster,
  id: string,
): Promise<{ readonly message: string; readonly remedy: string }> {
  const before = filesOf(cluster.diskOf(id))
  const opened = await cluster.open(id)
  if (opened.ok) throw new Error('it opened')
  expect(filesOf(cluster.diskOf(id))).toBe(before)
  return opened.error
}

describe('peers.json at the start of a server', () => {
  it('is not followed a second time after a power cut, if the directory could not be synced without it', async () => {
    const cluster = await stoppedCluster()
    cluster.diskOf('a').plant(peersPath, peersOf(['a']))
    let isRemoved = false
    cluster.diskOf('a').fault = (operation, path) => {
      isRemoved ||= operation === 'remove' && path === peersPath
      return isRemoved && operation === 'syncDirectory' ? 'io' : undefined
    }
    expect(await cluster.open('a')).toMatchObject({ ok: false, error: { kind: 'io' } })
    cluster.crash('a')
    await cluster.start('a')
    await cluster.leader()
    expect((await cluster.settled(cluster.propose('a', 'after'))).ok).toBe(true)
    const { term } = cluster.of('a').raft.status()
    cluster.crash('a', { below: () => 0 })
    const { raft, env, machine } = await cluster.start('a')
    await cluster.leader()
    await cluster.until(() => (machine.commands.length === 11 ? true : undefined))
    expect(raft.status().term - term).toBeLessThan(10)
    expect(env.lines.join()).not.toContain('found peers.json file')
  })

  it('[RFT-014] is not there by default, makes the server that is left lead with all its data, and is deleted', async () => {
    const cluster = await stoppedCluster()
    const disk = cluster.diskOf('a')
    expect(disk.namesIn(raftDirectory)).toEqual(['peers.info'])
    const alone = await cluster.start('a')
    await cluster.time.advance(20_000)
    expect(alone.raft.status().role).not.toBe('leader')
    cluster.crash('a')

    cluster.diskOf('a').plant(peersPath, peersOf(['a']))
    const { raft, machine, env } = await cluster.start('a')
    expect(await cluster.leader()).toBe('a')
    await cluster.until(() => (machine.commands.length === 10 ? true : undefined))
    expect(machine.commands).toEqual(commands)
    expect(raft.status().configuration.servers).toEqual([{ id: 'a', address: 'a:8300', suffrage: 'voter' }])
    expect((await cluster.settled(cluster.propose('a', 'new'))).ok).toBe(true)
    expect(cluster.diskOf('a').namesIn(raftDirectory)).not.toContain('peers.json')
    const told = env.lines.filter((line) => line.includes('peers.json'))
    expect(told[0]).toMatch(/^info raft: found peers\.json file, recovering Raft configuration\.\.\. \{"servers":"a",/)
    expect(told[1]).toBe('info raft: deleted peers.json file after successful recovery {}')

    cluster.crash('a', { below: () => 0 })
    const again = await cluster.start('a')
    expect(await cluster.leader()).toBe('a')
    await cluster.until(() => (again.machine.commands.length === 11 ? true : undefined))
    expect(again.env.lines.filter((line) => line.includes('peers.json'))).toEqual([])
  })

  it('brings two of five back together, with what only one of them had, and a fresh third joins', async () => {
    const cluster = await stoppedCluster(['a', 'b', 'c', 'd', 'e'])
    await Promise.all(['a', 'c', 'd', 'e'].map((id) => cluster.start(id)))
    const leader = await cluster.leader()
    const other = leader === 'a' ? 'c' : 'a'
    cluster.lost = (_from, to) => to === 'b'
    expect((await cluster.settled(cluster.propose(leader, 'late'))).ok).toBe(true)
    await cluster.until(() => (cluster.of(other).machine.commands.length === 11 ? true : undefined))
    for (const id of ['a', 'c', 'd', 'e']) cluster.crash(id)
    cluster.lost = () => false
    for (const id of ['b', other]) {
      cluster.diskOf(id).plant(peersPath, peersOf([other, 'b']))
      await cluster.start(id)
    }
    expect(await cluster.leader()).toBe(other)
    expect((await cluster.settled(cluster.propose(other, 'new'))).ok).toBe(true)
    await cluster.until(() => (cluster.of('b').machine.commands.length === 12 ? true : undefined))
    expect(cluster.of('b').machine.commands).toEqual([...commands, 'late', 'new'])

    await cluster.start('f')
    const added = cluster.of(other).raft.changeConfiguration({ kind: 'add-voter', id: 'f', address: 'f:8300' })
    expect((await cluster.settled(added)).ok).toBe(true)
    await cluster.until(() => (cluster.of('f').machine.commands.length === 12 ? true : undefined))
    expect(
      cluster
        .of('f')
        .raft.status()
        .configuration.servers.map(({ id }) => id),
    ).toEqual([other, 'b', 'f'].sort())
  })

  it('may be written a second time when the first named a server that never came', async () => {
    const cluster = await stoppedCluster()
    cluster.diskOf('a').plant(peersPath, peersOf(['a', 'b']))
    await cluster.start('a')
    await cluster.time.advance(20_000)
    cluster.crash('a')
    cluster.diskOf('a').plant(peersPath, peersOf(['a']))
    await cluster.start('a')
    expect(await cluster.leader()).toBe('a')
    expect((await cluster.settled(cluster.propose('a', 'new'))).ok).toBe(true)
    expect(cluster.of('a').machine.commands).toEqual([...commands, 'new'])
  })

  it('takes effect as a whole or not at all, wherever the power is cut', async () => {
    const stopped = await stoppedCluster()
    const before = stopped.diskOf('a').copy()
    before.plant(peersPath, peersOf(['a']))
    const calm = new SmallCluster()
    calm.disks.set('a', before.copy())
    await calm.start('a')
    const steps = calm.diskOf('a').operations
    const outcomes = new Set<string>()
    for (let step = 0; step <= steps; step++) {
      for (let choice = 0; choice < 6; choice++) {
        const title = `cut after step ${step}, choice ${choice}`
        const cluster = new SmallCluster()
        const disk = before.copy()
        cluster.disks.set('a', disk)
        disk.haltAfter = step
        const halted = new Promise<void>((resolve) => {
          disk.onHalt = resolve
        })
        await Promise.race([cluster.open('a'), halted])
        cluster.crash('a', new Draws(step * 6 + choice))
        // Until the file is gone for good it is followed again, and not once more after that.
        const left = cluster.diskOf('a').namesIn(raftDirectory).includes('peers.json')
        const { raft, machine } = await cluster.start('a')
        const servers = raft.status().configuration.servers.map(({ id }) => id)
        expect(servers, title).toEqual(['a'])
        expect(await cluster.leader(), title).toBe('a')
        await cluster.until(() => (machine.commands.length === 10 ? true : undefined))
        expect(machine.commands, title).toEqual(commands)
        expect(cluster.diskOf('a').namesIn(raftDirectory), title).not.toContain('peers.json')
        outcomes.add(`${left}`)
      }
    }
    expect([...outcomes].sort()).toEqual(['false', 'true'])
  })

  it('leaves the old configuration or the new one on disk at each cut, never another', async () => {
    const stopped = await stoppedCluster()
    const before = stopped.diskOf('a').copy()
    before.plant(peersPath, peersOf(['a']))
    const calm = new SmallCluster()
    calm.disks.set('a', before.copy())
    await calm.start('a')
    const found = new Set<string>()
    for (let step = 0; step <= calm.diskOf('a').operations; step++) {
      for (let choice = 0; choice < 6; choice++) {
        const cluster = new SmallCluster()
        const disk = before.copy()
        cluster.disks.set('a', disk)
        disk.haltAfter = step
        const halted = new Promise<void>((resolve) => {
          disk.onHalt = resolve
        })
        await Promise.race([cluster.open('a'), halted])
        cluster.crash('a', new Draws(1000 + step * 6 + choice))
        // As if an operator had removed the file meanwhile.
        const hadFile = cluster.diskOf('a').namesIn(raftDirectory).includes('peers.json')
        cluster.diskOf('a').lose(peersPath)
        const { raft } = await cluster.start('a')
        const { configuration, lastIndex, term } = raft.status()
        const ids = configuration.servers.map(({ id }) => id).join('')
        found.add(`${ids} ${lastIndex} ${term > 1e9 ? 'new' : 'old'} term${hadFile ? '' : ', no file'}`)
      }
    }
    const [first, ...more] = [...found].sort()
    expect(first).toMatch(/^a 1[2-9] new term$/)
    expect(more[0]).toBe(`${first}, no file`)
    expect(more.slice(1)).toEqual([expect.stringMatching(/^abc 1[1-8] old term$/)])
  })

  it.each([
    ['malformed', '[{"id": "a"', 'peers.json:1: not JSON'],
    ['empty', '', 'peers.json:1: the file is empty'],
    ['in the form of old', '["a:8300"]', 'peers.json:1: a list of addresses is the form of Raft protocol 2'],
    [
      'without this server',
      '[{"id": "b", "address": "b:8300"}]',
      'peers.json:1: the id of this server, "a", is not in the list',
    ],
  ])('is refused with nothing changed when it is %s', async (_what, text, message) => {
    const cluster = await stoppedCluster()
    cluster.diskOf('a').plant(peersPath, utf8(text))
    const refused = await refusal(cluster, 'a')
    expect(refused.message).toContain(`${raftDirectory}/${message}`)
    expect(refused.remedy).toContain('nothing was changed')
    cluster.diskOf('a').lose(peersPath)
    expect((await cluster.open('a')).ok).toBe(true)
  })

  it('is refused on a server that has nothing to recover', async () => {
    const cluster = new SmallCluster()
    await cluster.start('a')
    cluster.crash('a')
    cluster.diskOf('a').plant(peersPath, peersOf(['a']))
    const refused = await refusal(cluster, 'a')
    expect(refused.message).toBe(`${peersPath}:1: this server has no Raft state, so there is nothing to recover`)
  })

  it('is deleted unread where no earlier start left its marker, whatever the power does', async () => {
    const stopped = await stoppedCluster()
    const before = stopped.diskOf('a').copy()
    before.lose(`${raftDirectory}/peers.info`)
    before.plant(peersPath, peersOf(['a']))
    const calm = new SmallCluster()
    calm.disks.set('a', before.copy())
    const { env } = await calm.start('a')
    expect(env.lines.filter((line) => line.includes('peers'))).toEqual([
      'warn raft: deleting peers.json file unread, see peers.info for details {}',
    ])
    expect(textOf(calm.diskOf('a').bytesOf(`${raftDirectory}/peers.info`))).toContain('What to do:')
    for (let step = 0; step <= calm.diskOf('a').operations; step++) {
      for (let choice = 0; choice < 4; choice++) {
        const cluster = new SmallCluster()
        const disk = before.copy()
        cluster.disks.set('a', disk)
        disk.haltAfter = step
        const halted = new Promise<void>((resolve) => {
          disk.onHalt = resolve
        })
        await Promise.race([cluster.open('a'), halted])
        cluster.crash('a', new Draws(step * 4 + choice))
        const { raft } = await cluster.start('a')
        expect(raft.status().configuration.servers.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
        const names = cluster.diskOf('a').namesIn(raftDirectory)
        expect(names).toContain('peers.info')
        expect(names).not.toContain('peers.json')
      }
    }
  })
})

describe('peers.json of releases before 0.7', () => {
  /** Three servers of such a release, the file of the first one there. */
  async function oldCluster(): Promise<SmallCluster> {
    const cluster = new SmallCluster()
    await cluster.form(['a', 'b', 'c'], { peersAreKept: true })
    await cluster.until(() => (cluster.diskOf('a').namesIn(raftDirectory).includes('peers.json') ? true : undefined))
    return cluster
  }

  it('is a list of addresses that is kept, is not followed, and has no marker', async () => {
    const cluster = await oldCluster()
    expect(JSON.parse(textOf(cluster.diskOf('a').bytesOf(peersPath)))).toEqual(['a:8300', 'b:8300', 'c:8300'])
    expect(cluster.diskOf('a').namesIn(raftDirectory)).toEqual(['peers.json'])
    cluster.crash('a')
    cluster.diskOf('a').plant(peersPath, utf8('["a:8300"]'))
    const { raft } = await cluster.start('a', { peersAreKept: true })
    expect(raft.status().configuration.servers).toHaveLength(3)
  })

  it('[RFT-015] is deleted unread by the first start of a later one, which leaves its marker', async () => {
    const cluster = await oldCluster()
    cluster.crash('a')
    cluster.diskOf('a').plant(peersPath, peersOf(['a']))
    const { raft } = await cluster.start('a')
    expect(raft.status().configuration.servers).toHaveLength(3)
    expect(cluster.diskOf('a').namesIn(raftDirectory)).toEqual(['peers.info'])
  })
})
