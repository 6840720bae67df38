import type { Result } from '../base/result.ts'
import type { Disk, DiskFailure } from '../env/disk.ts'

/** A larger file is not one of ours. */
const fileBytesMax = 4 << 20

export async function readWholeFile(disk: Disk, path: string): Promise<Result<Uint8Array, DiskFailure>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return file
  const bytes = await file.value.read(0, fileBytesMax)
  await file.value.close()
  return bytes
}

/**
 * Written aside and renamed: the old content or the new, never half. `lasting`: synced on the way, so that after this a power
 * cut does not take it; without, what is left of it may be torn.
 */
export async function writeWholeFile(
  disk: Disk,
  directory: string,
  name: string,
  bytes: Uint8Array,
  lasting: boolean,
): Promise<Result<undefined, DiskFailure>> {
  const aside = `${directory}/${name}.tmp`
  const file = await disk.open(aside, 'create')
  if (!file.ok) return file
  const written = await file.value.write(0, bytes)
  const cut = written.ok ? await file.value.truncate(bytes.length) : written
  const synced = cut.ok && lasting ? await file.value.sync() : cut
  await file.value.close()
  if (!synced.ok) return synced
  const renamed = await disk.rename(aside, `${directory}/${name}`)
  return renamed.ok && lasting ? disk.syncDirectory(directory) : renamed
}

/** One that is not there is fine. */
export async function removeFile(
  disk: Disk,
  directory: string,
  name: string,
  lasting: boolean,
): Promise<Result<undefined, DiskFailure>> {
  const removed = await disk.remove(`${directory}/${name}`)
  if (!removed.ok) return removed.error.kind === 'not-found' ? { ok: true, value: undefined } : removed
  return lasting ? disk.syncDirectory(directory) : removed
}
