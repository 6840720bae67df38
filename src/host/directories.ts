import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from './system-error.ts'

/** Everybody may look into it, its owner alone writes there. What is in it has modes of its own. */
const directoryMode = 0o755

/**
 * Makes a directory and those above it, at the start, before anything is asynchronous; one that exists is fine. One
 * after the other: Node's own way (`recursive`) tries for ever where nothing can be made, as below /proc. Throws what
 * the system says.
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
