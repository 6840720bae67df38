import { err, ok, type Result } from '../../src/base/result.ts'

/** A change of one built file: the exact text, which must occur exactly once, and its replacement. */
export interface Patch {
  /** `src/raft/core/commit.js` */
  readonly file: string
  readonly find: string
  readonly replace: string
}

/**
 * The patched texts of the files. A patch that does not match exactly once is an error that names its owner and itself;
 * otherwise a planted bug could silently become the sound program.
 */
export function patchedFiles(
  owner: string,
  patches: readonly Patch[],
  read: (file: string) => string | undefined,
): Result<ReadonlyMap<string, string>, string> {
  const texts = new Map<string, string>()
  for (const { file, find, replace } of patches) {
    const text = texts.get(file) ?? read(file)
    if (text === undefined) return err(`${owner}: there is no file ${file}`)
    const pieces = text.split(find)
    if (pieces.length !== 2) {
      return err(`${owner}: ${file} holds this ${pieces.length - 1} times instead of once:\n${find}`)
    }
    texts.set(file, pieces.join(replace))
  }
  return ok(texts)
}

/** Makes patches of files in one folder: the file, the text to find, its replacement. */
export function patchesOf(folder: string): (file: string, find: string, replace: string) => Patch {
  return (file, find, replace) => ({ file: `${folder}/${file}`, find, replace })
}

/** Files of the mesh's certificate authority. */
export const inConnect = patchesOf('src/features/connect')
