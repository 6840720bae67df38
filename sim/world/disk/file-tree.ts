import { done, err, ok, type Result } from '../../../src/base/result.ts'
import type { DiskEntry, DiskFailure } from '../../../src/env/disk.ts'
import type { Draws } from '../decisions/draws.ts'
import type { Identity } from '../decisions/identity.ts'
import type { Slab } from '../slab.ts'
import { Directory } from './directory.ts'
import { diskFailure } from './disk-failure.ts'
import { Inode, type UnsyncedModel } from './inode.ts'
import { find, missing, partsOf, place } from './paths.ts'

/**
 * The names and files of one disk, and the space that they take. Operations take effect at once; the disk adds their
 * duration.
 */
export class FileTree {
  #root = new Directory()
  /** Files that the running process has open. */
  readonly #open = new Set<Inode>()
  #inodes = 0
  #usedBytes = 0
  /** Space for the contents of files. */
  quotaBytes = Number.POSITIVE_INFINITY
  /** Overwriting allocates new space too, as on a copy-on-write file system (ZFS, Btrfs). */
  copyOnWrite = false
  readonly #slab: Slab
  readonly #identityOf: (path: string) => Identity

  constructor(slab: Slab, identityOf: (path: string) => Identity) {
    this.#slab = slab
    this.#identityOf = identityOf
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /** A fault has taken its space. */
  get isFull(): boolean {
    return this.quotaBytes !== Number.POSITIVE_INFINITY
  }

  /** Whether a power cut may take something. */
  get hasUnsynced(): boolean {
    return this.#root.hasUnsynced
  }

  /** Every file, by path, in order. */
  files(): ReadonlyMap<string, Inode> {
    const found = new Map<string, Inode>()
    const visit = (directory: Directory, path: string): void => {
      for (const [name, entry] of directory.entries()) {
        if (entry instanceof Directory) visit(entry, `${path}/${name}`)
        else found.set(`${path}/${name}`, entry)
      }
    }
    visit(this.#root, '')
    return found
  }

  /** Creates a directory durably before any process runs. */
  prepare(path: string): void {
    let directory = this.#root
    for (const name of partsOf(path)) {
      let next = directory.get(name)
      if (next === undefined) {
        next = new Directory()
        directory.set(name, next)
        directory.harden(directory.mark())
      }
      if (!(next instanceof Directory)) return
      directory = next
    }
  }

  /** Removes everything. */
  erase(): void {
    this.closeAll()
    this.#root = new Directory()
    this.#usedBytes = 0
  }

  /** Drops the handles of a process that has ended. */
  closeAll(): void {
    for (const inode of this.#open) {
      inode.handles = 0
      this.#forgetIfUnused(inode)
    }
    this.#open.clear()
  }

  /** Replaces the content of an existing file. */
  rewrite(path: string, bytes: Uint8Array): void {
    const inode = find(this.#root, path)
    if (!(inode instanceof Inode)) return
    this.#usedBytes += bytes.length - inode.size
    inode.replace(bytes)
  }

  /** `fateOf`: random numbers for the fate of the file or directory at a path. */
  cutPower(fateOf: (path: string) => Draws, model: UnsyncedModel): void {
    this.closeAll()
    this.#root.cutPower(fateOf, '', model)
    this.#usedBytes = 0
    for (const inode of this.files().values()) this.#usedBytes += inode.size
  }

  open(path: string, mode: 'read' | 'create' | 'create-new'): Result<Inode, DiskFailure> {
    const found = place(this.#root, path)
    if (!found.ok) return found
    const { directory, name } = found.value
    const entry = name === '' ? directory : directory.get(name)
    if (entry instanceof Directory) return diskFailure(mode === 'create-new' ? 'exists' : 'is-directory', path)
    if (entry !== undefined) {
      if (mode === 'create-new') return diskFailure('exists', path)
      return ok(this.#opened(entry))
    }
    if (mode === 'read') return diskFailure('not-found', path)
    const inode = new Inode(++this.#inodes, this.#identityOf(path), this.#slab)
    inode.links = 1
    directory.set(name, inode)
    return ok(this.#opened(inode))
  }

  closed(inode: Inode): void {
    inode.handles--
    if (inode.handles === 0) this.#open.delete(inode)
    this.#forgetIfUnused(inode)
  }

  /** Writes what fits into the quota before it fails. */
  write(path: string, inode: Inode, at: number, bytes: Uint8Array): Result<undefined, DiskFailure> {
    const more = this.copyOnWrite ? bytes.length : Math.max(0, at + bytes.length - inode.size)
    const room = Math.max(0, this.quotaBytes - this.#usedBytes)
    const fits =
      more <= room ? bytes : bytes.subarray(0, Math.max(bytes.length - more + room, inLastBlock(inode, at, bytes)))
    const before = inode.size
    if (fits.length > 0) inode.write(at, fits)
    this.#usedBytes += inode.size - before
    return fits === bytes ? done : diskFailure('full', path)
  }

  truncate(path: string, inode: Inode, sizeBytes: number): Result<undefined, DiskFailure> {
    const more = sizeBytes - inode.size
    if (more > 0 && more > this.quotaBytes - this.#usedBytes) return diskFailure('full', path)
    inode.truncate(sizeBytes)
    this.#usedBytes += more
    return done
  }

  allocate(path: string, inode: Inode, sizeBytes: number): Result<undefined, DiskFailure> {
    return sizeBytes <= inode.size ? done : this.truncate(path, inode, sizeBytes)
  }

  directory(path: string): Result<Directory, DiskFailure> {
    const entry = find(this.#root, path)
    if (entry instanceof Directory) return ok(entry)
    return entry === undefined ? missing(this.#root, path) : diskFailure('not-directory', path)
  }

  makeDirectory(path: string): Result<undefined, DiskFailure> {
    const parts = partsOf(path)
    let directory = this.#root
    for (const [depth, name] of parts.entries()) {
      let next = directory.get(name)
      if (next === undefined) {
        next = new Directory()
        directory.set(name, next)
      }
      if (!(next instanceof Directory))
        return diskFailure(depth === parts.length - 1 ? 'exists' : 'not-directory', path)
      directory = next
    }
    return done
  }

  rename(from: string, to: string): Result<undefined, DiskFailure> {
    const source = place(this.#root, from)
    const target = place(this.#root, to)
    if (!source.ok) return source
    if (!target.ok) return { ok: false, error: { ...target.error, path: from } }
    const { directory } = source.value
    const entry = directory.get(source.value.name)
    if (entry === undefined) return diskFailure('not-found', from)
    if (target.value.directory !== directory) {
      return err({ kind: 'io', path: from, message: 'a rename stays within its directory' })
    }
    const replaced = directory.get(target.value.name)
    if (replaced === entry) return done
    if (replaced instanceof Directory && !(entry instanceof Directory)) return diskFailure('is-directory', from)
    if (replaced instanceof Inode && entry instanceof Directory) return diskFailure('not-directory', from)
    if (replaced instanceof Directory && !replaced.isEmpty) return diskFailure('io', from)
    directory.rename(source.value.name, target.value.name)
    if (replaced instanceof Inode) this.#unlinked(replaced)
    return done
  }

  remove(path: string): Result<undefined, DiskFailure> {
    const found = place(this.#root, path)
    if (!found.ok) return found
    const { directory, name } = found.value
    const entry = directory.get(name)
    if (entry === undefined) return diskFailure('not-found', path)
    if (entry instanceof Directory && !entry.isEmpty) {
      return err({ kind: 'io', path, message: 'directory not empty' })
    }
    directory.remove(name)
    if (entry instanceof Inode) this.#unlinked(entry)
    return done
  }

  stat(path: string): Result<DiskEntry, DiskFailure> {
    const entry = find(this.#root, path)
    if (entry === undefined) return missing(this.#root, path)
    return ok(
      entry instanceof Directory
        ? { kind: 'directory' as const, sizeBytes: 4096 }
        : { kind: 'file' as const, sizeBytes: entry.size },
    )
  }

  #opened(inode: Inode): Inode {
    inode.handles++
    this.#open.add(inode)
    return inode
  }

  #unlinked(inode: Inode): void {
    inode.links--
    this.#forgetIfUnused(inode)
  }

  #forgetIfUnused(inode: Inode): void {
    if (inode.links === 0 && inode.handles === 0) this.#usedBytes -= inode.size
  }
}

/** Space is given by blocks of this size. */
const blockBytes = 4_096

/** Number of bytes of a write across the end of a block that fit into it, as it is there already. */
function inLastBlock(inode: Inode, at: number, bytes: Uint8Array): number {
  const left = at > inode.size ? 0 : (blockBytes - (at % blockBytes)) % blockBytes
  return bytes.length > left ? left : 0
}
