import { invariant } from '../../src/base/invariant.ts'
import { done, type Err, ok, type Result } from '../../src/base/result.ts'
import type { DiskFailure, DiskFile } from '../../src/env/disk.ts'
import { diskOperations, traceKinds } from '../report/trace-kinds.ts'
import type { CauseList } from '../report/trace-record.ts'
import type { Boot, HeldFile } from '../world/boot.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { DiskTiming } from '../world/disk/disk.ts'
import { diskFailure } from '../world/disk/disk-failure.ts'
import type { Inode } from '../world/disk/inode.ts'
import { finishLater } from './disk-operations.ts'
import type { Machine } from './machine.ts'

/**
 * An open file. Changes take effect in the page cache when they are requested, so that a crash before their end finds
 * them unsynced, perhaps torn; reads see the content at their end. Operations of one file end in their order.
 */
export class SimDiskFile implements DiskFile, HeldFile {
  readonly path: string
  readonly openedUs: number
  readonly #machine: Machine
  readonly #boot: Boot
  readonly #inode: Inode
  readonly #readOnly: boolean
  #closed = false

  constructor(machine: Machine, boot: Boot, path: string, inode: Inode, readOnly: boolean) {
    this.#machine = machine
    this.#boot = boot
    this.path = path
    this.openedUs = machine.kernel.nowUs
    this.#inode = inode
    this.#readOnly = readOnly
    boot.files.add(this)
  }

  read(at: number, length: number): Promise<Result<Uint8Array, DiskFailure>> {
    return this.#read(at, () => this.#inode.read(at, length))
  }

  readWritten(length: number): Promise<Result<Uint8Array, DiskFailure>> {
    return this.#read(0, () => this.#inode.readWritten(length))
  }

  write(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
    const { kernel, host } = this.#machine
    return this.#later('write', 'write', at, (draws) => {
      this.#tellMeaning(bytes)
      kernel.trace.addBytes(traceKinds.diskWrite, host.number, this.#inode.number, at, 0, bytes)
      this.#toldOfWrite()
      return this.#write(at, bytes, draws).ended
    })
  }

  sync(): Promise<Result<undefined, DiskFailure>> {
    return this.#later('sync', 'sync', 0, (draws) => {
      if (this.#closed) return () => this.#refused()
      const mark = this.#inode.mark()
      return () => this.#settle(mark, draws)
    })
  }

  /** One event for both: nothing can come between them that a crash in one of them does not show. */
  writeSynced(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
    const { kernel, disk, host } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    const draws = disk.draws(diskOperations.writeSynced, this.#inode.identity, at)
    const writeUs = disk.delayUs('write', draws)
    this.#tellMeaning(bytes)
    kernel.trace.addBytes(traceKinds.diskWrite, host.number, this.#inode.number, at, 0, bytes)
    this.#toldOfWrite()
    const { isWhole, ended } = this.#write(at, bytes, draws)
    if (!isWhole) return this.#finish('writeSynced', writeUs, ended)
    const mark = this.#inode.mark()
    return this.#finish('writeSynced', writeUs + disk.delayUs('sync', draws), () => this.#settle(mark, draws))
  }

  /** Makes more durable than it must, and so insists on what it may be used for. */
  writeThrough(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
    invariant(this.#inode.isDurableUpTo(at), 'a file is written through only behind what is durable', { at })
    return this.writeSynced(at, bytes)
  }

  truncate(sizeBytes: number): Promise<Result<undefined, DiskFailure>> {
    const { tree } = this.#machine.disk
    return this.#resize('truncate', sizeBytes, () => tree.truncate(this.path, this.#inode, sizeBytes))
  }

  allocate(sizeBytes: number): Promise<Result<undefined, DiskFailure>> {
    const { tree } = this.#machine.disk
    return this.#resize('allocate', sizeBytes, () => tree.allocate(this.path, this.#inode, sizeBytes))
  }

  size(): Promise<Result<number, DiskFailure>> {
    return this.#later('size', 'name', 0, (draws) => {
      const closed = this.#closed
      return () => {
        if (closed) return diskFailure('io', this.path)
        return this.#machine.disk.failureOf('stat', this.path, draws) ?? ok(this.#inode.size)
      }
    })
  }

  close(): Promise<void> {
    return this.#later('close', 'name', 0, () => {
      if (!this.#closed) this.#machine.disk.tree.closed(this.#inode)
      this.#closed = true
      this.#boot.files.delete(this)
      return () => undefined
    })
  }

  #read(at: number, content: () => Uint8Array): Promise<Result<Uint8Array, DiskFailure>> {
    return this.#later('read', 'read', at, (draws) => {
      const closed = this.#closed
      return () => {
        if (closed) return diskFailure('io', this.path)
        return this.#machine.disk.failureOf('read', this.path, draws) ?? ok(content())
      }
    })
  }

  /** `ended`: the result, to be called at the end of the operation. */
  #write(
    at: number,
    bytes: Uint8Array,
    draws: Draws,
  ): { readonly isWhole: boolean; readonly ended: () => Result<undefined, DiskFailure> } {
    const { disk } = this.#machine
    if (!this.#isWritable()) return { isWhole: false, ended: () => this.#refused() }
    const fault = disk.writeFailureOf(this.path, bytes.length, draws)
    if (fault === undefined) {
      const written = disk.tree.write(this.path, this.#inode, at, bytes)
      return { isWhole: written.ok, ended: () => disk.told(this.path, written) }
    }
    if (fault.written > 0) disk.tree.write(this.path, this.#inode, at, bytes.subarray(0, fault.written))
    const ended = (): Err<DiskFailure> => {
      disk.onFailed('write', this.path)
      return fault.failure
    }
    return { isWhole: false, ended }
  }

  #resize(
    name: 'truncate' | 'allocate',
    sizeBytes: number,
    resize: () => Result<undefined, DiskFailure>,
  ): Promise<Result<undefined, DiskFailure>> {
    return this.#later(name, 'write', sizeBytes, (draws) => {
      if (!this.#isWritable()) return () => this.#refused()
      const failure = this.#machine.disk.failureOf('resize', this.path, draws)
      if (failure !== undefined) return () => failure
      const result = resize()
      return () => this.#machine.disk.told(this.path, result)
    })
  }

  /** For readers of the trace: the meaning of the bytes that the next line writes. */
  #tellMeaning(payload: Uint8Array): void {
    const { trace } = this.#machine.kernel
    const { name } = this.#machine.host
    const about = { kind: 'diskWrite', from: name, to: name, port: 0, stream: 0, path: this.path } as const
    const means = trace.teller?.meaningOf({ ...about, payload })
    this.#machine.kernel.tellNext(means)
  }

  /** The line just written is that of a write: it is a cause of the end of the operation that makes it durable. */
  #toldOfWrite(): void {
    const { trace } = this.#machine.kernel
    if (trace.teller !== undefined) this.#inode.writtenBy(trace.last)
  }

  #writersOf(name: keyof typeof diskOperations): CauseList {
    if (this.#closed) return []
    if (name === 'write') return this.#inode.takeWriters('write')
    return name === 'sync' || name === 'writeSynced' ? this.#inode.takeWriters('sync') : []
  }

  #isWritable(): boolean {
    return !this.#closed && !this.#readOnly
  }

  /** The changes up to a mark are on the platter, or the sync has failed. */
  #settle(mark: number, draws: Draws): Result<undefined, DiskFailure> {
    const failure = this.#machine.disk.failureOf('sync', this.path, draws)
    if (failure === undefined) this.#inode.harden(mark)
    else this.#inode.failSync(mark, draws)
    return failure ?? done
  }

  #refused(): Result<undefined, DiskFailure> {
    return diskFailure('io', this.path)
  }

  /** `at`: distinguishes this operation of the file from others of its kind. */
  #later<T>(
    name: keyof typeof diskOperations,
    timing: DiskTiming,
    at: number,
    begin: (draws: Draws) => () => T,
  ): Promise<T> {
    const { kernel, disk } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    const draws = disk.draws(diskOperations[name], this.#inode.identity, at)
    const delayUs = disk.delayUs(timing, draws)
    return this.#finish(name, delayUs, begin(draws))
  }

  #finish<T>(name: keyof typeof diskOperations, delayUs: number, finish: () => T): Promise<T> {
    const { kernel, host } = this.#machine
    const inode = this.#inode
    const atUs = Math.max(kernel.nowUs + delayUs, inode.readyUs)
    inode.readyUs = atUs
    kernel.trace.add(traceKinds.diskFile, host.number, diskOperations[name], inode.number, atUs - kernel.nowUs)
    return finishLater(this.#machine, this.#boot, inode, diskOperations[name], atUs, finish, this.#writersOf(name))
  }
}
