import { readWholeFile, writeWholeFile } from '../../../src/agent/boot/whole-file.ts'
import { Journal } from '../../../src/agent/local/journal.ts'
import { equalBytes, utf8 } from '../../../src/base/bytes.ts'
import { done } from '../../../src/base/result.ts'
import { logIndexOf, noIndex, termOf } from '../../../src/model/log-position.ts'
import type { SnapshotMeta } from '../../../src/raft/core/types.ts'
import { type LogChange, logChange } from '../../../src/raft/log/durable-log.ts'
import { findSnapshots, SnapshotStore } from '../../../src/raft/log/snapshot-store.ts'
import type { CrashDisk } from '../../unit/raft-log/crash-disk.ts'
import {
  afterChange,
  emptyState,
  entryAt,
  type LogState,
  openLog,
  persist,
  shown,
} from '../../unit/raft-log/log-model.ts'

/** How far a life came: versions of the content that were begun, and those that were reported durable. */
export interface Progress {
  begun: number
  durable: number
}

type Counted = readonly [operations: number, points: number, capped: number]

/** One file format of the agent: a life that writes versions 1, 2, 3 …, and what a start finds. */
export interface Format {
  readonly name: string
  readonly versions: number
  /** Operations of the disk in a life, points that are judged, operations with more ways than are tried. */
  readonly counted: { readonly short: Counted; readonly long: Counted }
  live(disk: CrashDisk, progress: Progress): Promise<void>
  /** The version that a start finds, 0 for none; or why it is none of those that were ever written. */
  found(disk: CrashDisk, progress: Progress): Promise<number | string>
}

const directory = '/data/x'

async function prepared(disk: CrashDisk): Promise<void> {
  await disk.makeDirectory(directory)
}

/** The content of a version: different lengths, so that a torn one cannot look like another. */
function textOf(version: number): string {
  return JSON.stringify([`version ${version}`, 'x'.repeat(20 + 30 * (version % 3))])
}

const wholeFile: Format = {
  name: 'whole files: keyring, node ID',
  versions: 4,
  counted: { short: [21, 106, 0], long: [21, 354, 0] },
  async live(disk, progress) {
    await prepared(disk)
    for (let version = 1; version <= this.versions; version++) {
      progress.begun = version
      const written = await writeWholeFile(disk, directory, 'local.keyring', utf8(textOf(version)), true)
      if (!written.ok) throw new Error(written.error.message)
      progress.durable = version
    }
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
    const texts: string[] = []
    for (let version = 1; version <= this.versions; version++) {
      progress.begun = version
      const text = textOf(version)
      const whole = { bytes: 100, texts }
      // Some versions rewrite the file, as when much of it is obsolete; they are its whole content then.
      const written = await (version % 3 === 0 ? file.writeAnew(whole, text) : file.add(text, whole))
      if (!written.ok) throw new Error(written.error.message)
      texts.push(text)
      progress.durable = version
    }
    await file.close()
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

function metaOf(version: number): SnapshotMeta {
  const configuration = { servers: [{ id: 'a', address: 'a:8300', suffrage: 'voter' as const }] }
  return { index: logIndexOf(10 * version), term: termOf(2), configuration, configurationIndex: logIndexOf(1) }
}

const snapshots: Format = {
  name: 'snapshots',
  versions: 3,
  counted: { short: [27, 435, 9], long: [27, 116511, 5] },
  async live(disk, progress) {
    await prepared(disk)
    const store = new SnapshotStore(disk, directory, undefined)
    for (let version = 1; version <= this.versions; version++) {
      progress.begun = version
      let rest: Uint8Array | undefined = utf8(textOf(version))
      const state = {
        next: () => {
          const piece = rest
          rest = undefined
          return piece
        },
      }
      const written = await store.write(metaOf(version), state, noIndex)
      if (!written.ok) throw new Error(JSON.stringify(written.error))
      progress.durable = version
    }
  },
  async found(disk) {
    const pieces: Uint8Array[] = []
    const begin = () => {
      pieces.length = 0
      return {
        write: (bytes: Uint8Array) => {
          pieces.push(bytes.slice())
          return done
        },
        finish: () => done,
      }
    }
    const found = await findSnapshots(disk, directory, begin)
    if (!found.ok) return found.error.message
    if (found.value.damaged.length > 0) return `a snapshot in its place is damaged: ${found.value.damaged[0]?.message}`
    const { newest } = found.value
    if (newest === undefined) return 0
    const version = newest.meta.index / 10
    const text = new TextDecoder().decode(pieces[0])
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

export const formats: readonly Format[] = [wholeFile, journal, snapshots, raftLog]
