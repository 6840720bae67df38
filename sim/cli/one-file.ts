import type { Disk } from '../../src/env/disk.ts'

/** A file that a command line names, and its role: `--trace`, `the scenario`. */
export interface NamedFile {
  readonly as: string
  /** Undefined: the command line names none. */
  readonly file: string | undefined
}

/**
 * Two names on a command line that refer to one file, so that one would overwrite the other; undefined: there are none.
 * Names are compared by the paths to which they resolve. Devices such as `/dev/null` may be named several times.
 */
export async function oneFileTwice(
  disk: Disk,
  inputs: readonly NamedFile[],
  outputs: readonly NamedFile[],
): Promise<string | undefined> {
  const known = new Map<string, NamedFile & { readonly isInput: boolean }>()
  for (const named of [...inputs, ...outputs]) {
    if (named.file === undefined) continue
    const isInput = inputs.includes(named)
    const path = await placeOf(disk, named.file)
    const other = path === undefined ? undefined : known.get(path)
    if (other !== undefined && !isInput) {
      return other.isInput
        ? `${named.as} ${named.file} would overwrite ${other.as} ${other.file}: name another file`
        : `${other.as} ${other.file} and ${named.as} ${named.file} are one file: give each its own`
    }
    if (path !== undefined) known.set(path, { ...named, isInput })
  }
  return undefined
}

/** Undefined: the name is not a file, or cannot become one, which is reported when it is opened. */
async function placeOf(disk: Disk, file: string): Promise<string | undefined> {
  const found = await disk.realPath(file)
  if (found.ok) {
    const entry = await disk.stat(found.value)
    return entry.ok && entry.value.kind === 'file' ? found.value : undefined
  }
  // A file that does not exist yet is identified by its directory.
  const slash = file.lastIndexOf('/')
  const directory = slash < 0 ? '.' : file.slice(0, slash + 1)
  const above = await disk.realPath(directory)
  return above.ok ? `${above.value}/${file.slice(slash + 1)}` : undefined
}
