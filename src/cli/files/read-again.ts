import type { Result } from '../../base/result.ts'
import type { Disk, DiskFailure, DiskFile } from '../../env/disk.ts'

/** What was read of pipes, by their paths. */
type Kept = Map<string, Promise<Result<Uint8Array, DiskFailure>>>

/**
 * The same disk, on which a pipe such as `/dev/stdin` can be read again: a guard reads what its command reads after it, each
 * client of the API reads the file of the token, and the second reader of a pipe would get nothing. What was read is kept until
 * the command ends; its first reader limits how much that is.
 */
export function readableAgain(disk: Disk): Disk {
  const kept: Kept = new Map()
  return {
    open: async (path, mode, readers) => {
      const opened = await disk.open(path, mode, readers)
      if (!opened.ok || mode !== 'read') return opened
      const entry = await disk.stat(path)
      const isPipe = entry.ok && entry.value.kind === 'other'
      return isPipe ? { ok: true, value: readOnce(opened.value, path, kept) } : opened
    },
    list: (path) => disk.list(path),
    makeDirectory: (path) => disk.makeDirectory(path),
    syncDirectory: (path) => disk.syncDirectory(path),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    stat: (path) => disk.stat(path),
    realPath: (path) => disk.realPath(path),
    lock: (path) => disk.lock(path),
  }
}

/** The file, of which only the first read reaches the pipe. A pipe cannot be read but from its beginning. */
function readOnce(file: DiskFile, path: string, kept: Kept): DiskFile {
  return {
    read: (at, length) => {
      const known = kept.get(path) ?? file.read(at, length)
      kept.set(path, known)
      return known
    },
    readWritten: (length) => file.readWritten(length),
    write: (at, bytes) => file.write(at, bytes),
    sync: () => file.sync(),
    writeSynced: (at, bytes) => file.writeSynced(at, bytes),
    writeThrough: (at, bytes) => file.writeThrough(at, bytes),
    truncate: (sizeBytes) => file.truncate(sizeBytes),
    allocate: (sizeBytes) => file.allocate(sizeBytes),
    size: () => file.size(),
    close: () => file.close(),
  }
}
