import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/** SHA-256 of the names and texts of all modules of the program in the folder `root`, in hex. */
export function buildHash(root: string): string {
  const { names, read } = modulesOf(root)
  const hash = createHash('sha256')
  for (const name of names()) hash.update(`${name}\n${read(name) ?? ''}\n`)
  return hash.digest('hex')
}

/**
 * The modules of the program in the folder `root`: those in `dist`, as they were compiled; a program that was installed from
 * its package has none there, and uses those that the bundler put into `dist/bundle/modules.json.br`.
 */
export function modulesOf(root: string): Modules {
  return existsSync(join(root, 'dist/src')) ? compiledModules(root) : packedModules(root)
}

/** The compiled modules of the program; names such as `src/raft/core/commit.js`. */
export interface Modules {
  read(name: string): string | undefined
  /** In a fixed order. */
  names(): readonly string[]
  /** Writes all of them into a folder that does not exist yet. */
  copyTo(folder: string): void
  /**
   * Links all but the `changed` ones into a folder that does not exist yet: a copy of two thousand files takes longer to
   * make and to remove than most runs of a planted program take. Undefined: there are no files to link to.
   */
  readonly linkTo?: (folder: string, changed: readonly string[]) => void
}

const isProgram = (path: string): boolean => !/[.](d[.]ts|map|tsbuildinfo\S*)$/.test(path)

function compiledModules(root: string): Modules {
  return {
    read: (name) => {
      const path = join(root, 'dist', name)
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    },
    names: () => sorted(parts.flatMap((part) => filesBelow(join(root, 'dist'), part)).filter(isModule)),
    copyTo: (folder) => {
      for (const part of parts) {
        cpSync(join(root, 'dist', part), join(folder, part), { recursive: true, filter: isProgram })
      }
    },
    linkTo: (folder, changed) => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, linkedMark), '')
      for (const part of parts) link(join(root, 'dist'), folder, part, changed)
    },
  }
}

const parts = ['src', 'sim']
const isModule = (name: string): boolean => name.endsWith('.js')
/** In the folder of modules that are links: `bin/modules.js` knows by it that Node's own loader would follow them. */
const linkedMark = 'linked'

/** Also what is behind links, as in a copy. */
function filesBelow(folder: string, part: string): readonly string[] {
  return readdirSync(join(folder, part)).flatMap((entry) => {
    const name = `${part}/${entry}`
    return statSync(join(folder, name)).isDirectory() ? filesBelow(folder, name) : [name]
  })
}

/** Links to `from/name`, or to what is in it if that is a folder with something that is changed. */
function link(from: string, to: string, name: string, changed: readonly string[]): void {
  if (changed.includes(name)) return
  if (!changed.some((file) => file.startsWith(`${name}/`))) {
    symlinkSync(join(from, name), join(to, name), 'junction')
    return
  }
  mkdirSync(join(to, name))
  for (const entry of readdirSync(join(from, name)).filter(isProgram)) link(from, to, `${name}/${entry}`, changed)
}

function packedModules(root: string): Modules {
  const packed = brotliDecompressSync(readFileSync(join(root, 'dist/bundle/modules.json.br'))).toString('utf8')
  const texts = new Map<string, string>(Object.entries(JSON.parse(packed)))
  return {
    read: (name) => texts.get(name),
    names: () => sorted([...texts.keys()]),
    copyTo: (folder) => {
      for (const [name, text] of texts) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
    },
  }
}

function sorted(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => (a < b ? -1 : 1))
}
