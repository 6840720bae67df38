import { writeWholeFile } from '../../agent/boot/whole-file.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import { archiveBytesMax } from '../../features/snapshot/model.ts'

/** The error is one line. */
export async function readArchiveFile(disk: Disk, path: string): Promise<Result<Uint8Array, string>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err(`open ${path}: ${file.error.message}`)
  const size = await file.value.size()
  const bytes = size.ok && size.value <= archiveBytesMax ? await file.value.read(0, size.value) : size
  await file.value.close()
  if (!bytes.ok) return err(`read ${path}: ${bytes.error.message}`)
  return typeof bytes.value === 'number' ? err(`${path} exceeds ${archiveBytesMax} bytes`) : ok(bytes.value)
}

/** Written aside, synced and renamed: what was there before, or the whole archive. Only its owner may read it. */
export async function writeArchiveFile(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
): Promise<Result<undefined, string>> {
  const slash = path.lastIndexOf('/')
  const directory = slash < 0 ? '.' : path.slice(0, slash)
  const written = await writeWholeFile(disk, directory, path.slice(slash + 1), bytes, true)
  return written.ok ? written : err(`write ${path}: ${written.error.message}`)
}
