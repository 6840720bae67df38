import { concatBytes, emptyBytes, utf8 } from '../../../src/base/bytes.ts'
import { done, type Result } from '../../../src/base/result.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { SnapshotMeta } from '../../../src/raft/core/types.ts'
import { findSnapshots } from '../../../src/raft/log/found-snapshots.ts'
import { SnapshotStore } from '../../../src/raft/log/snapshot-store.ts'
import type { StateRestore, StateSnapshot } from '../../../src/raft/raft.ts'
import type { CrashDisk } from '../../unit/raft-log/crash-disk.ts'

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
  /**
   * Operations of the disk in a life, points that are judged, operations with more ways than are tried. Without a count
   * for long runs those judge as many points as there are.
   */
  readonly counted: { readonly short: Counted; readonly long?: Counted }
  live(disk: CrashDisk, progress: Progress): Promise<void>
  /** A process that found this version writes the next one, and still runs; absent: no process adds anything. */
  goOn?(disk: CrashDisk, found: number): Promise<void>
  /** The version that a start finds, 0 for none; or why it is none of those that were ever written. */
  found(disk: CrashDisk, progress: Progress): Promise<number | string>
}

export const directory = '/data/x'

export async function prepared(disk: CrashDisk): Promise<void> {
  await disk.makeDirectory(directory)
}

/** The content of a version: different lengths, so that a torn one cannot look like another. */
export function textOf(version: number): string {
  return JSON.stringify([`version ${version}`, 'x'.repeat(20 + 30 * (version % 3))])
}

export function metaOf(version: number): SnapshotMeta {
  const configuration = { servers: [{ id: 'a', address: 'a:8300', suffrage: 'voter' as const }] }
  return { index: logIndexOf(10 * version), term: termOf(2), configuration, configurationIndex: logIndexOf(1) }
}

/** The state of a version, in one piece. */
export function textState(version: number): StateSnapshot {
  const pieces = [utf8(textOf(version))]
  return { next: () => pieces.shift() }
}

/** As a start opens it, with the snapshots that it finds. */
export async function snapshotStore(disk: CrashDisk): Promise<SnapshotStore> {
  const found = await findSnapshots(disk, directory, () => new Collected())
  if (!found.ok) throw new Error(found.error.message)
  return new SnapshotStore(disk, directory, found.value)
}

/** Takes a state in, and keeps its bytes. */
export class Collected implements StateRestore {
  readonly #pieces: Uint8Array[] = []

  get bytes(): Uint8Array {
    return concatBytes(this.#pieces)
  }

  write(bytes: Uint8Array): Result<undefined, string> {
    this.#pieces.push(bytes.slice())
    return done
  }

  finish(): Result<undefined, string> {
    return done
  }
}

/**
 * The newest snapshot that a start finds, with the bytes of its state; undefined: there is none. A text: why what is
 * there is wrong.
 */
export async function newestSnapshot(disk: CrashDisk) {
  const restores: Collected[] = []
  const begin = () => {
    const restore = new Collected()
    restores.push(restore)
    return restore
  }
  const found = await findSnapshots(disk, directory, begin)
  if (!found.ok) return found.error.message
  const { damaged, newest } = found.value
  if (damaged.length > 0) return `a snapshot in its place is damaged: ${damaged[0]?.message}`
  return newest === undefined ? undefined : { ...newest, bytes: restores.at(-1)?.bytes ?? emptyBytes }
}
