import { readWholeFile, writeWholeFile } from '../../../src/agent/boot/whole-file.ts'
import { Journal } from '../../../src/agent/local/journal.ts'
import { equalBytes, utf8 } from '../../../src/base/bytes.ts'
import { logIndexOf, noIndex, termOf } from '../../../src/model/log-position.ts'
import { type LogChange, logChange } from '../../../src/raft/log/durable-log.ts'
import { SnapshotStore } from '../../../src/raft/log/snapshot-store.ts'
import {
  afterChange,
  emptyState,
  entryAt,
  type LogState,
  openLog,
  persist,
  shown,
} from '../../unit/raft-log/log-model.ts'
import { directory, type Format, metaOf, newestSnapshot, prepared, snapshotStore, textOf, textState } from './format.ts'
import { compactedLog, peersJson, receivedSnapshots } from './raft-formats.ts'

const wholeFile: Format = {
  name: 'whole files: keyring, node ID',
  versions: 4,
  counted: { short: [21, 106, 0], long: [21, 354, 0] },
  async live(disk, progress) {
    await prepared(disk)
    for (let version = 1; version <= this.versions; version++) {
      progress.begun = version
      const written = await writeWholeFile(disk, directory, 'local.keyring', utf8(textOf(version)), 'new')
      if (!written.ok) throw new Error(written.error.message)
      progress.durable = version
    }
  },
  async goOn(disk, found) {
    await prepared(disk)
    const text = utf8(textOf(found + 1))
    const written = await writeWholeFile(disk, directory, 'local.keyring', text, 'new')
    if (!written.ok) throw new Error(written.error.message)
  },
  async found(disk, { begun }) {
    const read = await readWholeFile(disk, `${directory}/local.keyring`)
    if (!read.ok) return read.error.kind === 'not-found' ? 0 : read.error.message
    for (let version = 1; version <= begun; version++) {
      if (equalBytes(read.value, utf8(textOf(version)))) return version
    }
    return `${read.value.length} bytes that nobody wrote`
  },
}

const journal: Format = {
  name: 'journal of services and checks',
  versions: 8,
  counted: { short: [34, 441, 7], long: [34, 122059, 5] },
  async live(disk, progress) {
    await prepared(disk)
    const file = new Journal(disk, directory, 'journal')
    const read = await file.read()
    if (!read.ok) throw new Error(read.error.message)
    const texts: Uint8Array[] = []
    for (let version = 1; version <= this.versions; version++) {
      progress.begun = version
      const text = utf8(textOf(version))
      const whole = { bytes: 100, texts }
      // Some versions rewrite the file, as when much of it is obsolete; they are its whole content then.
      const written = await (version % 3 === 0 ? file.writeAnew(whole, text) : file.add(text, whole))
      if (!written.ok) throw new Error(written.error.message)
      texts.push(text)
      progress.durable = version
    }
    await file.close()
  },
  async goOn(disk, found) {
    await prepared(disk)
    const file = new Journal(disk, directory, 'journal')
    const read = await file.read()
    if (!read.ok) throw new Error(read.error.message)
    const whole = { bytes: 100, texts: read.value.frames.map(({ text }) => text) }
    const written = await file.add(utf8(textOf(found + 1)), whole)
    if (!written.ok) throw new Error(written.error.message)
  },
  async found(disk) {
    const read = await new Journal(disk, directory, 'journal').read()
    if (!read.ok) return read.error.message
    if (read.value.damage.length > 0) return `damage at ${read.value.damage[0]?.from}`
    const texts = read.value.frames.map(({ text }) => new TextDecoder().decode(text))
    const wrong = texts.findIndex((text, at) => text !== textOf(at + 1))
    return wrong === -1 ? texts.length : `frame ${wrong + 1} is not what was written`
  },
}

const snapshots: Format = {
  name: 'snapshots',
  versions: 3,
  counted: { short: [27, 435, 9], long: [27, 116511, 5] },
  async live(disk, progress) {
    await prepared(disk)
    const store = new SnapshotStore(disk, directory)
    for (let version = 1; version <= this.versions; version++) {
      progress.begun = version
      const written = await store.write(metaOf(version), textState(version), noIndex)
      if (!written.ok) throw new Error(JSON.stringify(written.error))
      progress.durable = version
    }
  },
  async goOn(disk, found) {
    await prepared(disk)
    const store = await snapshotStore(disk)
    const written = await store.write(metaOf(found + 1), textState(found + 1), noIndex)
    if (!written.ok) throw new Error(JSON.stringify(written.error))
  },
  async found(disk) {
    const newest = await newestSnapshot(disk)
    if (newest === undefined) return 0
    if (typeof newest === 'string') return newest
    const version = newest.meta.index / 10
    const text = new TextDecoder().decode(newest.bytes)
    return text === textOf(version) ? version : `the snapshot of index ${newest.meta.index} holds ${text}`
  },
}

/** What a server's log goes through: terms, entries, a conflict, a new segment, a reset by a snapshot. */
const changes: readonly LogChange[] = [
  logChange({ hardState: { term: termOf(1), votedFor: 'node-a' } }),
  logChange({ entries: [entryAt(1, 1, 40), entryAt(2, 1, 90)] }),
  logChange({ entries: [entryAt(3, 1, 200)] }),
  logChange({
    hardState: { term: termOf(2), votedFor: undefined },
    truncateFrom: logIndexOf(3),
    entries: [entryAt(3, 2, 20)],
  }),
  logChange({ entries: [entryAt(4, 2, 220), entryAt(5, 2, 30)] }),
  logChange({ resetTo: { index: logIndexOf(9), term: termOf(2) } }),
  logChange({ entries: [entryAt(10, 2, 60)] }),
]

const logStates: LogState[] = [emptyState]
for (const change of changes) logStates.push(afterChange(logStates.at(-1) ?? emptyState, change))

const raftLog: Format = {
  name: 'Raft log',
  versions: changes.length,
  counted: { short: [79, 722, 6], long: [79, 25536, 1] },
  async live(disk, progress) {
    const opened = await openLog(disk)
    if (!opened.ok) throw new Error(opened.error.message)
    for (const change of changes) {
      progress.begun++
      await persist(opened.value.log, change)
      progress.durable = progress.begun
    }
    await opened.value.log.close()
  },
  async goOn(disk, found) {
    const opened = await openLog(disk)
    if (!opened.ok) throw new Error(opened.error.message)
    const { log, state } = opened.value
    // A log that was not reset yet may stand for one that was: as far as both have entries, they are equal.
    const isReset = state.baseIndex === logStates[found]?.baseIndex
    for (const change of changes.slice(isReset ? found : found - 1, found + 1)) await persist(log, change)
  },
  async found(disk, { durable, begun }) {
    const again = await openLog(disk)
    if (!again.ok) return again.error.message
    const { state } = again.value
    for (let version = begun; version >= durable; version--) {
      const possible = logStates[version] ?? emptyState
      const first = Math.max(possible.baseIndex, state.baseIndex) + 1
      if (shown(state, first) === shown(possible, first) && state.baseIndex <= possible.baseIndex) return version
    }
    return `a state that was never written: ${shown(state)}`
  },
}

export const formats: readonly Format[] = [
  wholeFile,
  journal,
  snapshots,
  receivedSnapshots,
  raftLog,
  compactedLog,
  peersJson,
]
