import { describe, expect, it } from 'vitest'
import type { SimNode } from '../../../sim/simulation/node.ts'
import type { Disk } from '../../../src/env/disk.ts'
import type { Env } from '../../../src/env/env.ts'
import { termOf } from '../../../src/model/log-position.ts'
import { logChange } from '../../../src/raft/log/durable-log.ts'
import { openStorage } from '../../../src/raft/opening/storage.ts'
import { entryAt } from '../raft-log/log-model.ts'
import { inSimulation, value } from '../sim-world/in-simulation.ts'
import { ListMachine } from './small-cluster.ts'

const ignore = (): void => {}
const listener = {
  batchDurable: ignore,
  full: ignore,
  delayed: ignore,
  room: ignore,
  notRemoved: ignore,
  failed: ignore,
}

function openedOn(env: Env) {
  return openStorage(env, {
    id: 'a',
    protocol: 3,
    peersAreKept: false,
    oldLogs: 'refused',
    acceptLostLog: false,
    dataDir: '/data',
    stateMachine: new ListMachine(),
    listener,
  })
}

async function append(env: Env): Promise<void> {
  const { log } = await value(openedOn(env))
  await new Promise<void>((resolve) => {
    log.write(logChange({ hardState: { term: termOf(3), votedFor: 'a' }, entries: [entryAt(1, 3)] }), resolve)
    log.flush()
  })
}

/** The environment of a start in which one sync of the directory `raft` fails, counted from 0. */
function failingAt(node: SimNode, env: Env, failing: number): Env {
  let count = 0
  const { disk } = env
  const syncDirectory: Disk['syncDirectory'] = (path) => {
    if (path === '/data/raft' && count++ === failing) node.disk.fail('sync', 1)
    return disk.syncDirectory(path)
  }
  const others: Omit<Disk, 'syncDirectory'> = {
    open: (path, mode) => disk.open(path, mode),
    list: (path) => disk.list(path),
    makeDirectory: (path) => disk.makeDirectory(path),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    stat: (path) => disk.stat(path),
    realPath: (path) => disk.realPath(path),
    lock: (path) => disk.lock(path),
  }
  return { ...env, disk: { ...others, syncDirectory } }
}

describe('the directories of a server', () => {
  it('are durable when it starts, whichever syncs of two starts before have failed', async () => {
    let refused = 0
    for (let seed = 0; seed < 30; seed++) {
      await inSimulation({ seed: `${seed}` }, async (simulation) => {
        const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/data'] })
        const live = <T>(use: (env: Env) => Promise<T>): Promise<T> => simulation.play(node, use, 60_000)
        // The name of the log, and then that of the marker beside it.
        for (const failing of [1, 3]) if (!(await live((env) => openedOn(failingAt(node, env, failing)))).ok) refused++
        await live(append)
        node.crash({ disk: 'power' })
        expect(await live(openedOn), `seed ${seed}`).toMatchObject({
          ok: true,
          value: { recovered: { hardState: { term: 3, votedFor: 'a' }, entries: [{ index: 1 }] } },
        })
      })
    }
    expect(refused).toBe(60)
  })
})
