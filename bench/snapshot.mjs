// What saving and restoring a state of many keys costs, step by step, and the longest that a step keeps others waiting.
// node bench/snapshot.mjs [keys]   (after npm run build)
import { features } from '../dist/src/agent/assembly/features.js'
import { ReplicatedState } from '../dist/src/agent/replication/state-machine.js'
import { kvValue } from '../dist/src/features/kv/model.js'
import { kvTable } from '../dist/src/features/kv/tables.js'
import { ArchiveReader, ArchiveWriter } from '../dist/src/features/snapshot/archive.js'
import { createHostEnv } from '../dist/src/host/env.js'

const keys = Number(process.argv[2] ?? 500_000)
const valueBytes = 100
const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const { store } = new ReplicatedState({
  tables: features.flatMap((feature) => feature.tables ?? []),
  commands: [],
})
fill(store)

const pieces = []
measured('read the state', () => {
  const archive = store.archive()
  return () => {
    const piece = archive.next()
    if (piece !== undefined) pieces.push(piece)
    return piece !== undefined
  }
})
console.log(`  ${mebibytes(pieces.reduce((sum, piece) => sum + piece.length, 0))} MiB of state`)

const writer = new ArchiveWriter(env.crypto)
measured('pack it', () => {
  let at = 0
  return () => {
    if (at < pieces.length) writer.state(pieces[at++])
    return at < pieces.length
  }
})
const archive = Buffer.concat(writer.finish({ id: '1-1-1', index: 1, term: 1, configurationIndex: 1, servers: [] }, 0))
console.log(`  ${mebibytes(archive.length)} MiB of archive`)

const unpacked = new ArchiveReader(env.crypto, archive)
measured('check it (done twice in a restore)', () => () => {
  const read = unpacked.step()
  if (read !== undefined && !read.ok) throw new Error(read.error)
  return read === undefined
})

const reader = store.reader()
measured('read its rows', () => {
  let at = 0
  return () => {
    if (at < pieces.length) reader.write(pieces[at++])
    return at < pieces.length
  }
})
measured('put it in place', () => () => {
  const version = reader.finish()
  if (!version.ok) throw new Error(version.error)
  store.replace(version.value, store.index + 1)
  store.committed()
  return false
})
console.log(`${mebibytes(process.memoryUsage().rss)} MiB of memory at the end`)
process.exit(0)

/** Steps until one says that it was the last. */
function measured(what, begin) {
  const before = busyMs()
  const step = begin()
  let longest = 0
  for (let more = true; more; ) {
    const at = busyMs()
    more = step()
    longest = Math.max(longest, busyMs() - at)
  }
  console.log(`${what}: ${((busyMs() - before) / 1e3).toFixed(2)} s of CPU, longest step ${longest.toFixed(1)} ms`)
}

/** CPU time of this process, all threads: other load does not count, the collector's own threads do. */
function busyMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3
}

/** Keys as they are named, values that hardly repeat. */
function fill(into) {
  let state = 1
  into.apply(1, (tx) => {
    for (let n = 0; n < keys; n++) {
      const value = new Uint8Array(valueBytes)
      for (let at = 0; at < valueBytes; at++) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) | 0
        value[at] = 97 + ((state >>> 16) % 26)
      }
      const row = {
        key: `service/config/${n}`,
        value: kvValue(value),
        flags: 0n,
        lockIndex: 0,
        session: '',
        createIndex: 1,
        modifyIndex: 1,
      }
      tx.put(kvTable, Object.freeze(row))
    }
  })
}

function mebibytes(bytes) {
  return (bytes / 2 ** 20).toFixed(1)
}
