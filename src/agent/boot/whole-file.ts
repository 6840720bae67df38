import { err, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure, DiskFile } from '../../env/disk.ts'

type Files = Pick<Disk, 'open' | 'rename' | 'remove' | 'syncDirectory'>

/** Maximum size; the agent never wrote a larger file, and refuses one. */
export const fileBytesMax = 4 << 20

export async function readWholeFile(disk: Disk, path: string): Promise<Result<Uint8Array, DiskFailure>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return file
  const bytes = await file.value.read(0, fileBytesMax + 1)
  await file.value.close()
  if (!bytes.ok || bytes.value.length <= fileBytesMax) return bytes
  return err({ kind: 'io', path, message: `it has more than ${fileBytesMax} bytes` })
}

/**
 * What a power cut may leave of a file that was just written: the new content alone, the old or the new, or also a torn
 * one.
 */
export type AfterPowerCut = 'new' | 'old or new' | 'anything'

/** Writes to a temporary file and renames it, so that the end of the process leaves either the old or the new content. */
export async function writeWholeFile(
  disk: Files,
  directory: string,
  name: string,
  bytes: Uint8Array,
  leaves: AfterPowerCut,
): Promise<Result<undefined, DiskFailure>> {
  const aside = `${directory}/${name}.tmp`
  const file = await openNew(disk, aside)
  if (!file.ok) return file
  const written = await (leaves === 'anything' ? file.value.write(0, bytes) : file.value.writeSynced(0, bytes))
  await file.value.close()
  const renamed = written.ok ? await disk.rename(aside, `${directory}/${name}`) : written
  if (!renamed.ok) await removeAside(disk, aside)
  return renamed.ok && leaves === 'new' ? disk.syncDirectory(directory) : renamed
}

/** On a full disk, what could not be written whole would take the last of its space. The failure before it counts. */
export async function removeAside(disk: Files, path: string): Promise<void> {
  await disk.remove(path)
}

/** Removes what an earlier attempt has left, which may be longer. */
export async function openNew(disk: Files, path: string): Promise<Result<DiskFile, DiskFailure>> {
  const made = await disk.open(path, 'create-new')
  if (made.ok || made.error.kind !== 'exists') return made
  const removed = await disk.remove(path)
  return removed.ok ? disk.open(path, 'create-new') : removed
}

/** A missing file is fine. */
export async function removeFile(
  disk: Files,
  directory: string,
  name: string,
  lasting: boolean,
): Promise<Result<undefined, DiskFailure>> {
  const removed = await disk.remove(`${directory}/${name}`)
  if (!removed.ok) return removed.error.kind === 'not-found' ? { ok: true, value: undefined } : removed
  return lasting ? disk.syncDirectory(directory) : removed
}
