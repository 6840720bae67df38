import { done, err, ok, type Result } from '../../src/base/result.ts'
import type { Disk, DiskEntry, DiskFailure, DiskFile } from '../../src/env/disk.ts'
import { diskOperations, traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from '../world/boot.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { DiskTiming } from '../world/disk/disk.ts'
import { SimDiskFile } from './disk-file.ts'
import { finishLater } from './disk-operations.ts'
import type { Machine } from './machine.ts'

export class SimEnvDisk implements Disk {
  readonly #machine: Machine
  readonly #boot: Boot

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  open(path: string, mode: 'read' | 'create' | 'create-new'): Promise<Result<DiskFile, DiskFailure>> {
    const { disk } = this.#machine
    const { tree } = disk
    return this.#names('open', path, (draws): Result<DiskFile, DiskFailure> => {
      const failure = disk.failureOf('open', path, draws, mode !== 'read')
      if (failure !== undefined) return failure
      const opened = tree.open(path, mode)
      if (!opened.ok) return opened
      return ok(new SimDiskFile(this.#machine, this.#boot, path, opened.value, mode === 'read'))
    })
  }

  list(path: string): Promise<Result<readonly string[], DiskFailure>> {
    const { disk } = this.#machine
    return this.#names('list', path, (draws): Result<readonly string[], DiskFailure> => {
      const found = disk.failureOf('list', path, draws) ?? disk.tree.directory(path)
      return found.ok ? ok(found.value.names()) : found
    })
  }

  makeDirectory(path: string): Promise<Result<undefined, DiskFailure>> {
    const { disk } = this.#machine
    return this.#names('makeDirectory', path, (draws): Result<undefined, DiskFailure> => {
      const isThere = disk.tree.stat(path).ok
      return disk.failureOf('make directory', path, draws, !isThere) ?? disk.tree.makeDirectory(path)
    })
  }

  syncDirectory(path: string): Promise<Result<undefined, DiskFailure>> {
    const { disk } = this.#machine
    return this.#names(
      'syncDirectory',
      path,
      (draws): Result<undefined, DiskFailure> => {
        const found = disk.tree.directory(path)
        if (!found.ok) return found
        const mark = found.value.mark()
        const failure = disk.failureOf('sync', path, draws)
        if (failure === undefined) found.value.harden(mark)
        else found.value.failSync(mark, disk.drawsOf(diskOperations.syncDirectory, path))
        return failure ?? done
      },
      'sync',
    )
  }

  rename(from: string, to: string): Promise<Result<undefined, DiskFailure>> {
    const { disk } = this.#machine
    return this.#names(
      'rename',
      `${from} ${to}`,
      (draws): Result<undefined, DiskFailure> => disk.failureOf('rename', from, draws) ?? disk.tree.rename(from, to),
    )
  }

  remove(path: string): Promise<Result<undefined, DiskFailure>> {
    const { disk } = this.#machine
    return this.#names(
      'remove',
      path,
      (draws): Result<undefined, DiskFailure> => disk.failureOf('remove', path, draws) ?? disk.tree.remove(path),
    )
  }

  stat(path: string): Promise<Result<DiskEntry, DiskFailure>> {
    return this.#names('stat', path, (draws) => this.#stat(path, draws))
  }

  /** Simulated disks have no links, and their users never use `..`. */
  realPath(path: string): Promise<Result<string, DiskFailure>> {
    return this.#names('realPath', path, (draws): Result<string, DiskFailure> => {
      const found = this.#stat(path, draws)
      return found.ok ? ok(path) : found
    })
  }

  lock(path: string): Promise<Result<{ close(): Promise<void> }, DiskFailure>> {
    const { disk } = this.#machine
    return this.#names('lock', path, (draws): Result<{ close(): Promise<void> }, DiskFailure> => {
      const taken = disk.failureOf('open', path, draws, true) ?? disk.lock(path, this.#boot)
      if (!taken.ok) return err(taken.error)
      return ok({ close: () => this.#names('unlock', path, () => taken.value.release()) })
    })
  }

  #stat(path: string, draws: Draws): Result<DiskEntry, DiskFailure> {
    const { disk } = this.#machine
    return disk.failureOf('stat', path, draws) ?? disk.tree.stat(path)
  }

  #names<T>(
    name: keyof typeof diskOperations,
    path: string,
    act: (draws: Draws) => T,
    timing: DiskTiming = 'name',
  ): Promise<T> {
    const { kernel, disk, host } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    const draws = disk.drawsOf(diskOperations[name], path)
    const delayUs = disk.delayUs(timing, draws)
    kernel.trace.addText(traceKinds.disk, host.number, diskOperations[name], 0, delayUs, path)
    return finishLater(this.#machine, this.#boot, draws, diskOperations[name], kernel.nowUs + delayUs, () => act(draws))
  }
}
