import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import type { WorldCore } from './world.ts'

/**
 * A patch on a copy of the core: the exact text must be there once, so that a mutant cannot quietly become the
 * original.
 */
export interface Patch {
  readonly file: string
  readonly find: string
  readonly replace: string
}

const root = join(import.meta.dirname, '../../..')
const rooms = ['src/base', 'src/model', 'src/raft/core']

/** Throws where a patch no longer fits the source. */
export function checkFit(patches: readonly Patch[]): void {
  for (const patch of patches) patched(readFileSync(join(root, 'src/raft/core', patch.file), 'utf8'), patch)
}

function patched(source: string, { file, find, replace }: Patch): string {
  if (source.split(find).length !== 2) throw new Error(`${file} does not hold the text once: ${find}`)
  return source.replace(find, () => replace)
}

/** Loads a copy of the core with the patches applied. The copy is gone when this returns. */
export async function mutantCore(name: string, patches: readonly Patch[]): Promise<WorldCore> {
  const home = join(root, 'node_modules/.cache/svc-mutants', `${process.pid}-${name}`)
  try {
    const unused = new Set(patches)
    for (const room of rooms) {
      for (const file of readdirSync(join(root, room))) {
        if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue
        let source = readFileSync(join(root, room, file), 'utf8')
        for (const patch of patches) {
          if (room !== 'src/raft/core' || patch.file !== file) continue
          source = patched(source, patch)
          unused.delete(patch)
        }
        const to = join(home, room, file.replace(/\.ts$/, '.js'))
        mkdirSync(dirname(to), { recursive: true })
        writeFileSync(to, compiled(source))
      }
    }
    if (unused.size > 0) throw new Error(`${name}: no such file: ${[...unused].map((patch) => patch.file)}`)
    writeFileSync(join(home, 'package.json'), '{"type":"module"}')
    const load = (file: string) => import(/* @vite-ignore */ pathToFileURL(join(home, 'src/raft/core', file)).href)
    const [configuration, snapshot, state, stepping] = await Promise.all(
      ['configuration.js', 'snapshot.js', 'state.js', 'step.js'].map(load),
    )
    return { ...configuration, ...snapshot, ...state, ...stepping }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Most files of a copy are as they were in the last one. */
const known = new Map<string, string>()

function compiled(source: string): string {
  const before = known.get(source)
  if (before !== undefined) return before
  const text = transpiled(source)
  known.set(source, text)
  return text
}

function transpiled(source: string): string {
  return ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText
}
