import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from './system-error.ts'

/** Every user may list it, only its owner writes there. The files in it have modes of their own. */
const directoryMode = 0o755

/**
 * Creates a directory and its parents, at the start, before anything is asynchronous; an existing one is fine. They are
 * created one after another, because Node's own way (`recursive`) retries for ever where nothing can be created, as
 * below /proc. Throws the system's error.
 */
export function makeOpenDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: directoryMode })
  } catch (cause) {
    const parent = dirname(path)
    const code = codeOf(cause)
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code !== 'ENOENT' || parent === path || statSync(parent, { throwIfNoEntry: false }) !== undefined) throw cause
    makeOpenDirectory(parent)
    mkdirSync(path, { mode: directoryMode })
  }
}
