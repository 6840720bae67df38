import { textOfByteString } from '../../base/bytes.ts'
import { ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure } from '../../env/disk.ts'

/** A larger file is not served: it is read whole. */
export const fileBytesMax = 16 << 20

/** `name`: what the file is called at last, which tells its type. */
export type Found = { readonly name: string; readonly bytes: Uint8Array } | 'none' | 'too-large'

/**
 * The name below the directory that a decoded, cleaned path spells, a byte string; undefined where none may be meant. What
 * may not be in it: an empty segment or one of dots (the face has cleaned them away, and this does not rest on that), a
 * hidden file, a backslash, a byte 0, and what is not UTF-8.
 */
export function fileName(path: string): string | undefined {
  const name = textOfByteString(path)
  const segments = name.split('/')
  const sound = segments.every((segment) => segment !== '' && !segment.startsWith('.'))
  return sound && !/[\\\0\ufffd]/.test(name) ? name : undefined
}

/** A file below `directory`, or the `index.html` of a directory there; `name` as `fileName` gives it, or empty. */
export async function readBelow(
  disk: Pick<Disk, 'stat' | 'open'>,
  directory: string,
  name: string,
): Promise<Result<Found, DiskFailure>> {
  const path = name === '' ? directory : `${directory}/${name}`
  const entry = await disk.stat(path)
  if (entry.ok && entry.value.kind === 'directory') return readFile(disk, path, 'index.html')
  const slash = path.lastIndexOf('/')
  return entry.ok ? readFile(disk, path.slice(0, slash), path.slice(slash + 1)) : noneOr(entry.error)
}

async function readFile(
  disk: Pick<Disk, 'stat' | 'open'>,
  directory: string,
  name: string,
): Promise<Result<Found, DiskFailure>> {
  const path = `${directory}/${name}`
  const entry = await disk.stat(path)
  if (!entry.ok) return noneOr(entry.error)
  // A pipe would be waited for, a device never ends.
  if (entry.value.kind !== 'file') return ok('none')
  if (entry.value.sizeBytes > fileBytesMax) return ok('too-large')
  const file = await disk.open(path, 'read')
  if (!file.ok) return noneOr(file.error)
  // One byte more: it may have grown since.
  const bytes = await file.value.read(0, fileBytesMax + 1)
  await file.value.close()
  if (!bytes.ok) return bytes
  return ok(bytes.value.length > fileBytesMax ? 'too-large' : { name, bytes: bytes.value })
}

function noneOr(failure: DiskFailure): Result<Found, DiskFailure> {
  return failure.kind === 'not-found' || failure.kind === 'not-directory' ? ok('none') : { ok: false, error: failure }
}
