import { textOfByteString } from '../../base/bytes.ts'
import { ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure } from '../../env/disk.ts'

/** Maximum size of a served file, because it is read as a whole. */
export const fileBytesMax = 16 << 20

/**
 * `name` is the final name of the file, which determines its type. With `expanded`, `bytes` is compressed with gzip, and
 * that function returns the file itself.
 */
export type Found =
  | { readonly name: string; readonly bytes: Uint8Array; readonly expanded?: () => Uint8Array }
  | 'none'
  | 'too-large'

/**
 * The name below the directory for a decoded, cleaned path, a byte string; undefined if the path must not be served. It
 * must not contain an empty segment or one of dots (the HTTP interface has removed them, but this does not rely on
 * that), a hidden file, a backslash, a byte 0, or bytes that are not UTF-8.
 */
export function fileName(path: string): string | undefined {
  const name = textOfByteString(path)
  const segments = name.split('/')
  const sound = segments.every((segment) => segment !== '' && !segment.startsWith('.'))
  return sound && !/[\\\0\ufffd]/.test(name) ? name : undefined
}

/** The disk operations that serving files needs. */
export type UiDisk = Pick<Disk, 'stat' | 'open' | 'realPath'>

/**
 * A file below `directory`, or the `index.html` of a directory there; `name` is a result of `fileName`, or empty. A
 * link is followed only to a target below the directory itself, as in a mounted set of files.
 */
export async function readBelow(disk: UiDisk, directory: string, name: string): Promise<Result<Found, DiskFailure>> {
  const root = await disk.realPath(directory)
  if (!root.ok) return noneOr(root.error)
  const path = name === '' ? root.value : `${root.value}/${name}`
  const entry = await disk.stat(path)
  if (!entry.ok) return noneOr(entry.error)
  return readFile(disk, root.value, entry.value.kind === 'directory' ? `${path}/index.html` : path)
}

async function readFile(disk: UiDisk, root: string, asked: string): Promise<Result<Found, DiskFailure>> {
  const real = await disk.realPath(asked)
  if (!real.ok) return noneOr(real.error)
  const path = real.value
  if (!path.startsWith(root === '/' ? root : `${root}/`)) return ok('none')
  // From here on the path without links is used, so that the checked file is the one that is opened.
  const entry = await disk.stat(path)
  if (!entry.ok) return noneOr(entry.error)
  // Reading a pipe would wait, and a device never ends.
  if (entry.value.kind !== 'file') return ok('none')
  if (entry.value.sizeBytes > fileBytesMax) return ok('too-large')
  const file = await disk.open(path, 'read')
  if (!file.ok) return noneOr(file.error)
  // One byte more, because it may have grown since.
  const bytes = await file.value.read(0, fileBytesMax + 1)
  await file.value.close()
  if (!bytes.ok) return bytes
  const name = asked.slice(asked.lastIndexOf('/') + 1)
  return ok(bytes.value.length > fileBytesMax ? 'too-large' : { name, bytes: bytes.value })
}

function noneOr(failure: DiskFailure): Result<Found, DiskFailure> {
  return failure.kind === 'not-found' || failure.kind === 'not-directory' ? ok('none') : { ok: false, error: failure }
}
