import { done, err, ok, type Result } from '../../src/base/result.ts'
import type { Disk, DiskEntry, DiskFailure, DiskFile } from '../../src/env/disk.ts'
import { diskOperations, traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from '../world/boot.ts'
import type { DiskTiming } from '../world/disk/disk.ts'
import { diskFailure } from '../world/disk/disk-failure.ts'
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
    return this.#names('open', path, (): Result<DiskFile, DiskFailure> => {
      if (disk.fails('open', path)) return diskFailure('io', path)
      const opened = tree.open(path, mode)
      if (!opened.ok) return opened
      return ok(new SimDiskFile(this.#machine, this.#boot, path, opened.value, mode === 'read'))
    })
  }

  list(path: string): Promise<Result<readonly string[], DiskFailure>> {
    return this.#names('list', path, (): Result<readonly string[], DiskFailure> => {
      const found = this.#machine.disk.tree.directory(path)
      return found.ok ? ok(found.value.names()) : found
    })
  }

  makeDirectory(path: string): Promise<Result<undefined, DiskFailure>> {
    return this.#names('makeDirectory', path, () => this.#machine.disk.tree.makeDirectory(path))
  }

  syncDirectory(path: string): Promise<Result<undefined, DiskFailure>> {
    const { disk } = this.#machine
    return this.#names(
      'syncDirectory',
      path,
      (): Result<undefined, DiskFailure> => {
        const found = disk.tree.directory(path)
        if (!found.ok) return found
        const mark = found.value.mark()
        if (!disk.fails('sync', path)) {
          found.value.harden(mark)
          return done
        }
        found.value.failSync(mark, disk.drawsOf(diskOperations.syncDirectory, path))
        return diskFailure('io', path)
      },
      'sync',
    )
  }

  rename(from: string, to: string): Promise<Result<undefined, DiskFailure>> {
    const { disk } = this.#machine
    return this.#names(
      'rename',
      `${from} ${to}`,
      (): Result<undefined, DiskFailure> =>
        disk.fails('rename', from) ? diskFailure('io', from) : disk.tree.rename(from, to),
    )
  }

  remove(path: string): Promise<Result<undefined, DiskFailure>> {
    return this.#names('remove', path, () => this.#machine.disk.tree.remove(path))
  }

  stat(path: string): Promise<Result<DiskEntry, DiskFailure>> {
    return this.#names('stat', path, () => this.#machine.disk.tree.stat(path))
  }

  /** Simulated disks have no links, and their users never use `..`. */
  realPath(path: string): Promise<Result<string, DiskFailure>> {
    return this.#names('realPath', path, (): Result<string, DiskFailure> => {
      const found = this.#machine.disk.tree.stat(path)
      return found.ok ? ok(path) : found
    })
  }

  lock(path: string): Promise<Result<{ close(): Promise<void> }, DiskFailure>> {
    return this.#names('lock', path, (): Result<{ close(): Promise<void> }, DiskFailure> => {
      const taken = this.#machine.disk.lock(path, this.#boot)
      if (!taken.ok) return err(taken.error)
      return ok({ close: () => this.#names('unlock', path, () => taken.value.release()) })
    })
  }

  #names<T>(name: keyof typeof diskOperations, path: string, act: () => T, timing: DiskTiming = 'name'): Promise<T> {
    const { kernel, disk, host } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    const draws = disk.drawsOf(diskOperations[name], path)
    const delayUs = disk.delayUs(timing, draws)
    kernel.trace.addText(traceKinds.disk, host.number, diskOperations[name], 0, delayUs, path)
    return finishLater(this.#machine, this.#boot, draws, diskOperations[name], kernel.nowUs + delayUs, act)
  }
}
