import { done, err, ok, type Result } from '../../../src/base/result.ts'
import { lengthWithoutZeros } from '../../../src/base/trailing-zeros.ts'
import type { Disk, DiskEntry, DiskFailure, DiskFailureKind, DiskFile } from '../../../src/env/disk.ts'

type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number }

interface Inode {
  durable: Uint8Array
  /** As a running process sees it. */
  seen: Uint8Array
  unsynced: Change[]
}

type NameChange =
  | { readonly kind: 'set'; readonly name: string; readonly inode: Inode }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly inode: Inode }

interface Directory {
  durable: Map<string, Inode>
  seen: Map<string, Inode>
  unsynced: NameChange[]
  /** What a failed sync left off the disk: no sync writes it, until a later change writes the names anew. */
  missed: NameChange[]
}

function emptyDirectory(): Directory {
  return { durable: new Map(), seen: new Map(), unsynced: [], missed: [] }
}

export interface CrashChoices {
  /** An integer from 0 to `bound - 1`. */
  below(bound: number): number
}

const pageBytes = 64

/**
 * A disk in memory with the crash model of src/env/disk.ts: what was not synced may stay, be lost, or be torn at any
 * byte, pages in any order, and names likewise. It counts its operations, can stand still after any of them, and can
 * fail one.
 */
export class CrashDisk implements Disk {
  #directories = new Map<string, Directory>([['', emptyDirectory()]])
  operations = 0
  readonly counts = new Map<string, number>()
  /** Operations after this many never finish, nor take place. */
  haltAfter = Number.POSITIVE_INFINITY
  /** Bytes that can be written yet. */
  roomBytes = Number.POSITIVE_INFINITY
  onHalt: () => void = () => {}
  /** `sync` or `syncDirectory`: it reports success and does nothing. */
  skips: string | undefined
  /** What an operation waits for before it takes place. */
  stall: (operation: string) => Promise<void> | undefined = () => undefined
  /** Asked before each operation; a kind makes it fail without taking place. */
  fault: (operation: string, path: string) => DiskFailureKind | undefined = () => undefined

  open(path: string, mode: 'read' | 'create' | 'create-new'): Promise<Result<DiskFile, DiskFailure>> {
    return this.#run('open', path, () => {
      const { directory, name } = this.#place(path)
      if (directory === undefined) return failure('not-found', path)
      const found = directory.seen.get(name)
      if (found === undefined && mode === 'read') return failure('not-found', path)
      if (found !== undefined && mode === 'create-new') return failure('exists', path)
      if (found !== undefined) return ok(this.#file(path, found))
      const inode: Inode = { durable: new Uint8Array(), seen: new Uint8Array(), unsynced: [] }
      directory.seen.set(name, inode)
      changeName(directory, { kind: 'set', name, inode })
      return ok(this.#file(path, inode))
    })
  }

  list(path: string): Promise<Result<readonly string[], DiskFailure>> {
    return this.#run('list', path, () => {
      const directory = this.#directories.get(path)
      if (directory === undefined) return failure('not-found', path)
      return ok([...directory.seen.keys()].sort((a, b) => (a < b ? -1 : 1)))
    })
  }

  makeDirectory(path: string): Promise<Result<undefined, DiskFailure>> {
    return this.#run('makeDirectory', path, () => {
      const parts = path.split('/')
      for (let i = 1; i <= parts.length; i++) {
        const above = parts.slice(0, i).join('/')
        if (!this.#directories.has(above)) {
          this.#directories.set(above, emptyDirectory())
        }
      }
      return done
    })
  }

  syncDirectory(path: string): Promise<Result<undefined, DiskFailure>> {
    return this.#run('syncDirectory', path, () => {
      const directory = this.#directories.get(path)
      if (directory === undefined) return failure('not-found', path)
      if (this.skips === 'syncDirectory') return done
      for (const change of directory.unsynced) rename(directory.durable, change)
      directory.unsynced = []
      return done
    })
  }

  rename(from: string, to: string): Promise<Result<undefined, DiskFailure>> {
    return this.#run('rename', from, () => {
      if (this.#directories.has(from)) return this.#renameDirectory(from, to)
      const source = this.#place(from)
      const inode = source.directory?.seen.get(source.name)
      if (source.directory === undefined || inode === undefined) return failure('not-found', from)
      const target = this.#place(to)
      if (target.directory !== source.directory) throw new Error('rename between directories')
      source.directory.seen.delete(source.name)
      source.directory.seen.set(target.name, inode)
      changeName(source.directory, { kind: 'rename', from: source.name, to: target.name, inode })
      return done
    })
  }

  /** At once for good: what a power cut makes of it, the simulated disk shows. */
  #renameDirectory(from: string, to: string): Result<undefined, DiskFailure> {
    const directory = this.#directories.get(from) as Directory
    if ((this.#directories.get(to)?.seen.size ?? 0) > 0) return failure('exists', from)
    this.#directories.delete(from)
    this.#directories.set(to, directory)
    return done
  }

  remove(path: string): Promise<Result<undefined, DiskFailure>> {
    return this.#run('remove', path, () => {
      if (this.#directories.get(path)?.seen.size === 0) {
        this.#directories.delete(path)
        return done
      }
      const { directory, name } = this.#place(path)
      if (directory?.seen.has(name) !== true) return failure('not-found', path)
      directory.seen.delete(name)
      changeName(directory, { kind: 'remove', name })
      return done
    })
  }

  realPath(path: string): Promise<Result<string, DiskFailure>> {
    return this.#run<string>('realPath', path, () => {
      const { directory, name } = this.#place(path)
      const isThere = this.#directories.has(path) || directory?.seen.has(name) === true
      return isThere ? ok(path) : failure('not-found', path)
    })
  }

  stat(path: string): Promise<Result<DiskEntry, DiskFailure>> {
    return this.#run<DiskEntry>('stat', path, () => {
      if (this.#directories.has(path)) return ok({ kind: 'directory' as const, sizeBytes: 0 })
      const { directory, name } = this.#place(path)
      const inode = directory?.seen.get(name)
      if (inode === undefined) return failure('not-found', path)
      return ok({ kind: 'file' as const, sizeBytes: inode.seen.length })
    })
  }

  lock(path: string): Promise<Result<{ close(): Promise<void> }, DiskFailure>> {
    return this.#run('lock', path, () => ok({ close: async () => {} }))
  }

  /** The same disk after a crash: of what was not synced, `choices` says what is left. */
  crashed(choices: CrashChoices): CrashDisk {
    const after = new CrashDisk()
    after.#directories = new Map()
    const inodes = new Map<Inode, Inode>()
    const settled = (inode: Inode): Inode => {
      const known = inodes.get(inode)
      if (known !== undefined) return known
      const bytes = settle(inode, choices)
      const left: Inode = { durable: bytes, seen: bytes, unsynced: [] }
      inodes.set(inode, left)
      return left
    }
    for (const [path, directory] of this.#directories) {
      const names = new Map(directory.durable)
      for (const change of directory.unsynced) {
        if (choices.below(2) === 1) rename(names, change)
      }
      const left = new Map([...names].map(([name, inode]) => [name, settled(inode)] as const))
      after.#directories.set(path, { durable: left, seen: new Map(left), unsynced: [], missed: [] })
    }
    return after
  }

  /** The same disk after the process was killed: everything written is there, nothing more is synced than was. */
  restarted(): CrashDisk {
    const after = new CrashDisk()
    after.#directories = this.#directories
    return after
  }

  /** A copy that may be changed by itself; everything in it is durable. */
  copy(): CrashDisk {
    const after = new CrashDisk()
    after.#directories = new Map()
    for (const [path, directory] of this.#directories) {
      const names = new Map(
        [...directory.seen].map(([name, inode]) => {
          const bytes = inode.seen.slice()
          return [name, { durable: bytes, seen: bytes, unsynced: [] } as Inode] as const
        }),
      )
      after.#directories.set(path, { durable: names, seen: new Map(names), unsynced: [], missed: [] })
    }
    return after
  }

  bytesOf(path: string): Uint8Array {
    const { directory, name } = this.#place(path)
    const inode = directory?.seen.get(name)
    if (inode === undefined) throw new Error(`no file ${path}`)
    return inode.seen
  }

  /** Replaces a file's content behind the process's back. */
  plant(path: string, bytes: Uint8Array): void {
    const { directory, name } = this.#place(path)
    const inode: Inode = { durable: bytes, seen: bytes, unsynced: [] }
    directory?.seen.set(name, inode)
    directory?.durable.set(name, inode)
  }

  /** Takes a file away behind the process's back. */
  lose(path: string): void {
    const { directory, name } = this.#place(path)
    directory?.seen.delete(name)
    directory?.durable.delete(name)
  }

  namesIn(path: string): string[] {
    return [...(this.#directories.get(path)?.seen.keys() ?? [])].sort((a, b) => (a < b ? -1 : 1))
  }

  #place(path: string): { directory: Directory | undefined; name: string } {
    const slash = path.lastIndexOf('/')
    return { directory: this.#directories.get(path.slice(0, slash)), name: path.slice(slash + 1) }
  }

  async #run<T>(operation: string, path: string, work: () => Result<T, DiskFailure>): Promise<Result<T, DiskFailure>> {
    if (this.operations >= this.haltAfter) {
      this.onHalt()
      return new Promise(() => {})
    }
    this.operations++
    this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1)
    await this.stall(operation)
    const fault = this.fault(operation, path)
    if (fault === undefined) return work()
    if (operation === 'sync') this.#forget(path)
    if (operation === 'syncDirectory') this.#miss(path)
    return failure(fault, path)
  }

  /** What was not synced stays readable and is never written. */
  #forget(path: string): void {
    const { directory, name } = this.#place(path)
    const inode = directory?.seen.get(name)
    if (inode !== undefined) inode.unsynced = []
  }

  /** The names stay readable, and the next sync does not write them. */
  #miss(path: string): void {
    const directory = this.#directories.get(path)
    if (directory !== undefined) directory.missed.push(...directory.unsynced.splice(0))
  }

  #file(path: string, inode: Inode): DiskFile {
    const write = (at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> =>
      this.#run('write', path, () => {
        const fits = bytes.slice(0, this.roomBytes)
        this.roomBytes -= fits.length
        this.#changed(inode, { kind: 'write', at, bytes: fits })
        return fits.length === bytes.length ? done : failure('full', path)
      })
    // After a sync that failed the pages pass for clean: a later one leaves them out (fsyncgate).
    const sync = (): Promise<Result<undefined, DiskFailure>> =>
      this.#run('sync', path, () => {
        if (this.skips === 'sync') return done
        for (const change of inode.unsynced) inode.durable = applied(inode.durable, change)
        inode.unsynced = []
        return done
      })
    // A crash or a fault may come between the two.
    const writeSynced = async (at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> => {
      const written = await write(at, bytes)
      return written.ok ? sync() : written
    }
    return {
      read: (at, length) => this.#run('read', path, () => ok(inode.seen.slice(at, at + length))),
      readWritten: (length) =>
        this.#run('read', path, () => ok(inode.seen.slice(0, lengthWithoutZeros(inode.seen.subarray(0, length))))),
      write,
      truncate: (size) => this.#run('truncate', path, () => this.#changed(inode, { kind: 'truncate', size })),
      allocate: (size) =>
        this.#run('allocate', path, () => {
          const more = Math.max(0, size - inode.seen.length)
          if (more > this.roomBytes) return failure('full', path)
          this.roomBytes -= more
          return more === 0 ? done : this.#changed(inode, { kind: 'truncate', size })
        }),
      sync,
      writeSynced,
      writeThrough: (at, bytes) => {
        // A disk whose syncs do nothing has such bytes; what that leads to is what its users want to see.
        if (
          this.skips !== 'sync' &&
          inode.unsynced.some((change) => (change.kind === 'truncate' ? change.size : change.at) < at)
        ) {
          throw new Error(`${path} is written through at ${at}, and something before that is not durable`)
        }
        return writeSynced(at, bytes)
      },
      size: () => this.#run('size', path, () => ok(inode.seen.length)),
      close: async () => {},
    }
  }

  #changed(inode: Inode, change: Change): Result<undefined, DiskFailure> {
    inode.seen = applied(inode.seen, change)
    inode.unsynced.push(change)
    return done
  }
}

function failure(kind: DiskFailureKind, path: string): Result<never, DiskFailure> {
  return err({ kind, path, message: `planted ${kind}` })
}

function changeName(directory: Directory, change: NameChange): void {
  directory.unsynced.push(...directory.missed.splice(0), change)
}

function applied(bytes: Uint8Array, change: Change): Uint8Array {
  if (change.kind === 'truncate') {
    const out = new Uint8Array(change.size)
    out.set(bytes.subarray(0, change.size))
    return out
  }
  const out = new Uint8Array(Math.max(bytes.length, change.at + change.bytes.length))
  out.set(bytes)
  out.set(change.bytes, change.at)
  return out
}

function rename(names: Map<string, Inode>, change: NameChange): void {
  if (change.kind === 'set') names.set(change.name, change.inode)
  else if (change.kind === 'remove') names.delete(change.name)
  else {
    names.delete(change.from)
    names.set(change.to, change.inode)
  }
}

function settle(inode: Inode, choices: CrashChoices): Uint8Array {
  let bytes = inode.durable
  for (const change of inode.unsynced) {
    const fate = choices.below(4)
    if (fate === 0) continue
    if (fate === 1 || change.kind === 'truncate') bytes = applied(bytes, change)
    else if (fate === 2)
      bytes = applied(bytes, { ...change, bytes: change.bytes.subarray(0, choices.below(change.bytes.length + 1)) })
    else bytes = somePages(bytes, change, choices)
  }
  return bytes.slice()
}

/** Some pages of the write stay and others are lost; where the file grew, lost ones are zeros. */
function somePages(bytes: Uint8Array, change: Extract<Change, { kind: 'write' }>, choices: CrashChoices): Uint8Array {
  let out = bytes
  for (let at = 0; at < change.bytes.length; at += pageBytes) {
    if (choices.below(2) === 0) continue
    out = applied(out, { kind: 'write', at: change.at + at, bytes: change.bytes.subarray(at, at + pageBytes) })
  }
  return out
}
