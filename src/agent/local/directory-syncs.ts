import type { Result } from '../../base/result.ts'
import type { Disk, DiskFailure } from '../../env/disk.ts'

type Synced = Promise<Result<undefined, DiskFailure>>

interface Directory {
  /** Waits for the one that goes on to end. Whoever comes until it begins shares it. */
  next: Synced | undefined
  going: Synced | undefined
}

/**
 * Syncs of directories, one at a time for each and shared by all who come while another goes on: a sync makes every name
 * last that was there when it began, so one that has not begun is as good as one of the caller's own.
 */
export class DirectorySyncs {
  readonly #disk: Disk
  readonly #directories = new Map<string, Directory>()

  constructor(disk: Disk) {
    this.#disk = disk
  }

  sync(path: string): Synced {
    const known = this.#directories.get(path)
    if (known === undefined) {
      const directory: Directory = { next: undefined, going: undefined }
      this.#directories.set(path, directory)
      return this.#begin(path, directory)
    }
    known.next ??= this.#after(path, known)
    return known.next
  }

  async #after(path: string, directory: Directory): Synced {
    await directory.going
    directory.next = undefined
    return this.#begin(path, directory)
  }

  #begin(path: string, directory: Directory): Synced {
    const going = this.#disk.syncDirectory(path).then((synced) => {
      if (directory.next === undefined) this.#directories.delete(path)
      return synced
    })
    directory.going = going
    return going
  }
}
