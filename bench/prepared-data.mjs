/**
 * Fills data directories as if their servers had taken writes, much faster than over HTTP: the servers' own consensus and
 * state, in this process, joined by function calls. Nothing else may use the directories meanwhile.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { features } from '../dist/src/agent/assembly/features.js'
import { encodeCommand } from '../dist/src/agent/replication/command-codec.js'
import { ReplicatedState } from '../dist/src/agent/replication/state-machine.js'
import { kvPut } from '../dist/src/features/kv/commands.js'
import { createHostEnv } from '../dist/src/host/env.js'
import { openRaft } from '../dist/src/raft/driver/open-raft.js'

const timing = { heartbeatTimeoutMs: 1000, electionTimeoutMs: 1000, leaderLeaseMs: 500 }
const never = 1 << 30

/** The key with this number; numbers from 0. */
export function keyOf(number) {
  return `start-up/${String(number).padStart(8, '0')}`
}

/**
 * Puts `keys` keys with values of `valueBytes`, `together` under way at a time, as that many clients would. `dirs`: of a
 * quorum of the servers. With `snapshot` everything is in a snapshot at the end, and the last 10,240 entries in the log
 * behind it as well; without, all is in the log. `valueFor`: of each number, where not all are the same.
 */
export async function fill({ dirs, keys, valueBytes, snapshot, together = 64, valueFor }) {
  const servers = new Map()
  const state = new Map()
  for (const dir of dirs) {
    const id = readFileSync(join(dir, 'node-id'), 'utf8').trim()
    const machine = new ReplicatedState({
      tables: features.flatMap((feature) => feature.tables ?? []),
      commands: features.flatMap((feature) => feature.commands ?? []),
      store: { hooks: features.flatMap((feature) => feature.hooks ?? []) },
    })
    state.set(id, machine)
    const send = (to, _address, message) => setImmediate(() => servers.get(to)?.receive(id, message))
    const opened = await openRaft(quietEnv(), {
      id,
      dataDir: dir,
      timing,
      stateMachine: machine,
      transport: { send },
      snapshotThreshold: snapshot ? 1 : never,
      // Looked at so rarely that none is taken while the keys come; after them the servers are opened once more.
      snapshotIntervalMs: snapshot && keys === 0 ? 50 : never,
      onFatal: (failure) => {
        throw failure
      },
    })
    if (!opened.ok) throw new Error(opened.error.message)
    servers.set(id, opened.value)
  }
  const all = [...servers.values()]
  const leader = await until(() => all.find((raft) => raft.status().role === 'leader'))
  await leader.readIndex()
  const same = new Uint8Array(valueBytes).fill(118)
  await put(leader, keys, together, valueFor ?? (() => same))
  const { lastIndex } = leader.status()
  const isThere = ({ appliedIndex, snapshotIndex }) =>
    appliedIndex >= lastIndex && (keys > 0 || snapshotIndex >= lastIndex)
  await until(() => all.every((raft) => isThere(raft.status())))
  await Promise.all(all.map((raft) => raft.stop()))
  if (snapshot && keys > 0) await fill({ dirs, keys: 0, valueBytes, snapshot })
}

async function put(leader, keys, together, valueFor) {
  let next = 0
  const client = async () => {
    while (next < keys) {
      const number = next++
      const body = { key: keyOf(number), value: valueFor(number), flags: 0n }
      const done = await leader.propose(encodeCommand(kvPut, body))
      if (!done.ok) throw new Error(JSON.stringify(done.error))
    }
  }
  await Promise.all(Array.from({ length: together }, client))
}

function quietEnv() {
  return createHostEnv({ logSink: { write: () => {} }, logLevel: 'error', logHeld: true })
}

async function until(get) {
  for (let tries = 0; tries < 6000; tries++) {
    const got = get()
    if (got) return got
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('the servers did not get there within a minute')
}
