import type { Release } from '../../../src/model/release.ts'

/** `read`: at most `length` bytes from `at` on. */
export interface FileLook {
  readonly size: number
  read(at: number, length: number): Uint8Array
}

/** The disk of a server at a moment at which something is known about it. */
export interface DiskLook {
  /** `ended`: its process has ended in any way; `stopped`: in order; `at rest`: it runs, and nothing troubles it. */
  readonly when: 'ended' | 'stopped' | 'at rest'
  readonly release: Release
  /** Its data have rotted, as the scenario wants it. */
  readonly isRotten: boolean
  /** Since its process began, its disk was full or failed. */
  readonly hasFailed: boolean
  /** Some operation of its process has not ended. */
  readonly isBusy: boolean
  /** The files of consensus, by path. */
  readonly files: ReadonlyMap<string, FileLook>
}
