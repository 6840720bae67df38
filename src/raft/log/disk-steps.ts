import { done, ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure } from '../../env/disk.ts'

type Step = Promise<Result<undefined, DiskFailure>>

/** Writes a separate file, syncs it, renames it in one step, and makes the name durable. */
export async function placeFile(disk: Disk, directory: string, name: string, bytes: Uint8Array): Step {
  const aside = `${directory}/${name}.tmp`
  const file = await disk.open(aside, 'create')
  if (!file.ok) return file
  const cut = await file.value.truncate(0)
  const written = cut.ok ? await file.value.write(0, bytes) : cut
  const synced = written.ok ? await file.value.sync() : written
  await file.value.close()
  if (!synced.ok) return synced
  const renamed = await disk.rename(aside, `${directory}/${name}`)
  return renamed.ok ? disk.syncDirectory(directory) : renamed
}

/** Makes all files of a directory durable with their present content, and their names. */
export async function syncFiles(disk: Disk, directory: string): Step {
  const names = await disk.list(directory)
  if (!names.ok) return names
  for (const name of names.value) {
    const file = await disk.open(`${directory}/${name}`, 'create')
    if (!file.ok) return file
    const synced = await file.value.sync()
    await file.value.close()
    if (!synced.ok) return synced
  }
  return disk.syncDirectory(directory)
}

/** Removes files (one that does not exist is fine), then makes that durable. */
export async function removeFiles(
  disk: Pick<Disk, 'remove' | 'syncDirectory'>,
  directory: string,
  paths: readonly string[],
): Step {
  if (paths.length === 0) return done
  for (const path of paths) {
    const removed = await disk.remove(path)
    if (!removed.ok && removed.error.kind !== 'not-found') return removed
  }
  return disk.syncDirectory(directory)
}

/** What became of files that are not needed. */
export interface Removal {
  /** Paths of which nothing is left. */
  readonly gone: readonly string[]
  /** Why others are still there: the first reason. */
  readonly refused: DiskFailure | undefined
}

/** Removes those of these files that the disk lets go, and makes that durable. Fails if it is not durable. */
export async function removeUnneeded(
  disk: Pick<Disk, 'remove' | 'syncDirectory'>,
  directory: string,
  paths: readonly string[],
): Promise<Result<Removal, DiskFailure>> {
  const gone: string[] = []
  let refused: DiskFailure | undefined
  for (const path of paths) {
    const removed = await disk.remove(path)
    if (removed.ok || removed.error.kind === 'not-found') gone.push(path)
    else refused ??= removed.error
  }
  const synced = gone.length === 0 ? done : await disk.syncDirectory(directory)
  return synced.ok ? ok({ gone, refused }) : synced
}

/**
 * Makes the names in a directory durable, even if an earlier process failed to: a sync that failed is not repeated by
 * the next one, but a change of the directory writes its names anew, and those that were missed with it (fsyncgate).
 */
export async function renewNames(disk: Pick<Disk, 'open' | 'remove' | 'syncDirectory'>, directory: string): Step {
  const path = `${directory}/names.tmp`
  const file = await disk.open(path, 'create')
  if (!file.ok) return file
  await file.value.close()
  return removeFiles(disk, directory, [path])
}

/** Creates `parent/names[0]/names[1]…` and makes each name durable. */
export async function makeDirectories(disk: Disk, parent: string, names: readonly string[]): Step {
  let path = parent
  for (const name of names) {
    const made = await disk.makeDirectory(`${path}/${name}`)
    const synced = made.ok ? await disk.syncDirectory(path) : made
    if (!synced.ok) return synced
    path = `${path}/${name}`
  }
  return done
}
