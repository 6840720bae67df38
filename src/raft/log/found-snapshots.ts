import { done, err, ok, type Result } from '../../base/result.ts'
import type { StateRestore } from '../raft.ts'
import type { SnapshotDisk } from './memory-files.ts'
import { damagedAt, diskTrouble, type RaftOpenFailure, unknownFormat } from './open-failure.ts'
import { type ReadSnapshot, readSnapshot } from './snapshot-file.ts'
import { isSame, keptMax, type StoredSnapshot, snapshotOfName } from './stored-snapshot.ts'

/** The snapshots in a directory. Reading it changed nothing. */
export interface FoundSnapshots {
  /** The newest complete one. */
  readonly newest: StoredSnapshot | undefined
  /** Has received the state of the newest one, and waits to be finished. */
  readonly restore: StateRestore | undefined
  /** Newer ones that are not complete. A snapshot is synced before it gets its name, so each is damage. */
  readonly damaged: readonly RaftOpenFailure[]
  /** Begun and not finished, or replaced by newer ones. */
  readonly leftovers: readonly string[]
  /** The other files: damaged ones, and the one before the newest. They go when the next snapshot is placed. */
  readonly besides: readonly string[]
}

/** Each file is read once: while it is checked, its state is passed to a restore from `begin`. */
export async function findSnapshots(
  disk: SnapshotDisk,
  directory: string,
  begin: () => StateRestore,
): Promise<Result<FoundSnapshots, RaftOpenFailure>> {
  const names = await disk.list(directory)
  if (!names.ok && names.error.kind === 'not-found') return ok(noSnapshots)
  if (!names.ok) return err(diskTrouble(names.error))
  const placed = names.value.flatMap((name) => {
    const found = snapshotOfName(name)
    return found === undefined ? [] : [{ ...found, path: `${directory}/${name}` }]
  })
  placed.sort((a, b) => b.index - a.index || b.term - a.term)
  const asides = names.value.filter((name) => name.endsWith('.tmp') || name.endsWith('.part'))
  const leftovers = asides.map((name) => `${directory}/${name}`)
  const damaged: RaftOpenFailure[] = []
  for (const [i, { path, index, term }] of placed.entries()) {
    const restore = begin()
    const checked = await checkFile(disk, path, restore)
    if (!checked.ok) return checked
    const { whole, wrong } = checked.value
    if (whole !== undefined && isSame(whole.meta, { index, term })) {
      const { meta, sizeBytes, origin } = whole
      const paths = placed.map((other) => other.path)
      leftovers.push(...paths.slice(i + keptMax))
      const besides = [...paths.slice(0, i), ...paths.slice(i + 1, i + keptMax)]
      return ok({ newest: { meta, sizeBytes, origin }, restore, damaged, leftovers, besides })
    }
    damaged.push(wrong ?? damagedAt(path, 0, 'it is another snapshot under this name'))
  }
  return ok({ ...noSnapshots, damaged, leftovers, besides: placed.map(({ path }) => path) })
}

const noSnapshots: FoundSnapshots = { newest: undefined, restore: undefined, damaged: [], leftovers: [], besides: [] }

interface Checked {
  readonly whole: ReadSnapshot | undefined
  readonly wrong: RaftOpenFailure | undefined
}

async function checkFile(
  disk: SnapshotDisk,
  path: string,
  restore: StateRestore,
): Promise<Result<Checked, RaftOpenFailure>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err(diskTrouble(file.error))
  // If the state machine does not accept something, it refuses when the restore is finished: the file may nevertheless
  // be intact.
  const use = (piece: Uint8Array): Result<undefined, string> => {
    restore.write(piece)
    return done
  }
  const checked = await readSnapshot(file.value, use)
  await file.value.close()
  if (checked.ok) return ok({ whole: checked.value, wrong: undefined })
  const failure = checked.error
  if (!('offset' in failure)) return err(diskTrouble(failure))
  if (failure.kind === 'format') return err(unknownFormat(path, failure.what))
  return ok({ whole: undefined, wrong: damagedAt(path, failure.offset, failure.what) })
}
