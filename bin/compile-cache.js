import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/** Folders of other builds or versions of Node that stay; a folder takes about 10 MB. */
const otherFoldersKept = 3

/**
 * What V8 has compiled of an installed program, in the user's cache folder: `$XDG_CACHE_HOME/svc`, or `~/.cache/svc`. A
 * command reads it at its start, and at its exit writes what was missing. Only speed depends on it: where it cannot be
 * written or read, the program compiles its text at each start. `NODE_DISABLE_COMPILE_CACHE=1` turns it off, as it does in
 * Node.
 *
 * V8 runs what it finds there, so nothing is read that another user could have written:
 *
 * 1. A file counts only if the process's own user owns it, and neither the group nor others may write it. That is asked of
 *    the open file, which no rename can exchange; symbolic links are not followed.
 * 2. So root does not run what lies in the home of the user that called `sudo`, unless root wrote it.
 * 3. A file is written under another name, synced and renamed: no reader, and no reader after a power cut, sees half of one.
 */
export class CompileCache {
  #build
  #folder

  /**
   * `digest`: that of the bundle. `program`: the one that runs, such as `svc`. Undefined where none is wanted, or there is no
   * digest, or the system has no owners of files.
   */
  static of(digest, program) {
    if (process.env.NODE_DISABLE_COMPILE_CACHE === '1') return undefined
    if (process.geteuid === undefined || digest === undefined) return undefined
    return new CompileCache(join(ownCaches(), `${digest.slice(0, 32)}-${process.version}-${process.arch}`), program)
  }

  constructor(build, program) {
    this.#build = build
    this.#folder = join(build, program)
  }

  /** What is kept of the file `name` of the bundle; undefined if there is nothing, or nothing that can be trusted. */
  bytesOf(name) {
    let file
    try {
      file = openSync(join(this.#folder, name), constants.O_RDONLY | constants.O_NOFOLLOW)
      return isOwn(fstatSync(file)) ? readFileSync(file) : undefined
    } catch {
      // It is not there yet, or cannot be read: the text is compiled.
      return undefined
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }

  /** Writes what V8 has compiled of these scripts, by their names. */
  keep(scripts) {
    if (scripts.size === 0) return
    try {
      if (mkdirSync(this.#build, { recursive: true, mode: 0o700 }) !== undefined) this.#removeOldest()
      for (const [name, script] of scripts) this.#write(name, script)
    } catch {
      // A folder that cannot be written, such as in a container without a home: the next start compiles again.
    }
  }

  #write(name, script) {
    const path = join(this.#folder, name)
    const aside = `${path}.${process.pid}`
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = openSync(aside, 'wx', 0o600)
    try {
      writeFileSync(file, script.createCachedData())
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(aside, path)
  }

  #removeOldest() {
    const folders = dirname(this.#build)
    const others = readdirSync(folders).map((name) => join(folders, name))
    const newestFirst = others
      .filter((path) => path !== this.#build)
      .map((path) => ({ path, madeMs: statSync(path).mtimeMs }))
      .toSorted((a, b) => b.madeMs - a.madeMs)
    for (const { path } of newestFirst.slice(otherFoldersKept)) rmSync(path, { recursive: true, force: true })
  }
}

/** The folder of this program in the user's cache folder. */
export function ownCaches() {
  const { XDG_CACHE_HOME: named = '' } = process.env
  return join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'svc')
}

/** Whether no other user can have written it. */
export function isOwn({ uid, mode }) {
  return uid === process.geteuid() && (mode & 0o022) === 0
}
