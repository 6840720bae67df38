import { type Err, ok, type Result } from '../../../src/base/result.ts'
import type { DiskFailure } from '../../../src/env/disk.ts'
import { Directory, type Entry } from './directory.ts'
import { diskFailure } from './disk-failure.ts'
import { Inode } from './inode.ts'

/** The names on the way to a path. */
export function partsOf(path: string): readonly string[] {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts
}

export function find(root: Directory, path: string): Entry | undefined {
  let entry: Entry = root
  for (const name of partsOf(path)) {
    const next: Entry | undefined = entry instanceof Directory ? entry.get(name) : undefined
    if (next === undefined) return undefined
    entry = next
  }
  return entry
}

/** The directory that holds a path, and the name in it; an empty name for the root. */
export function place(
  root: Directory,
  path: string,
): Result<{ readonly directory: Directory; readonly name: string }, DiskFailure> {
  const parts = partsOf(path)
  const name = parts.at(-1)
  if (name === undefined) return ok({ directory: root, name: '' })
  const directory = find(root, parts.slice(0, -1).join('/'))
  if (directory instanceof Directory) return ok({ directory, name })
  return directory === undefined ? missing(root, path) : diskFailure('not-directory', path)
}

/** Why nothing is found at a path: a part of it is missing, or is a file. */
export function missing(root: Directory, path: string): Err<DiskFailure> {
  const parts = partsOf(path)
  for (let depth = 1; depth < parts.length; depth++) {
    const above = find(root, parts.slice(0, depth).join('/'))
    if (above === undefined) break
    if (above instanceof Inode) return diskFailure('not-directory', path)
  }
  return diskFailure('not-found', path)
}
