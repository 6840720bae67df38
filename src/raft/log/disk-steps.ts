import { done, type Result } from '../../base/result.ts'
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
