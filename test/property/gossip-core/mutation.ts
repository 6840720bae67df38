import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
const core = 'src/gossip/core'

/** Loads a copy of the core with the patch applied. The copy is gone when this returns. */
export async function mutantCore(name: string, patch: Patch): Promise<WorldCore> {
  const home = join(root, 'node_modules/.cache/svc-mutants', `${process.pid}-gossip-${name}`)
  if (!existsSync(join(root, core, patch.file))) throw new Error(`there is no ${patch.file} in ${core}`)
  try {
    for (const room of ['src/base', 'src/model', core]) {
      for (const file of readdirSync(join(root, room))) {
        if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue
        const source = readFileSync(join(root, room, file), 'utf8')
        const to = join(home, room, file.replace(/\.ts$/, '.js'))
        mkdirSync(dirname(to), { recursive: true })
        writeFileSync(to, compiled(room === core && file === patch.file ? patched(source, patch) : source))
      }
    }
    writeFileSync(join(home, 'package.json'), '{"type":"module"}')
    const load = (file: string) => import(/* @vite-ignore */ pathToFileURL(join(home, core, file)).href)
    const [answers, state, stepping] = await Promise.all(['answers.js', 'state.js', 'step.js'].map(load))
    return { ...answers, ...state, ...stepping }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Throws where the patch no longer fits the source. */
export function checkFit(patch: Patch): void {
  patched(readFileSync(join(root, core, patch.file), 'utf8'), patch)
}

function patched(source: string, { file, find, replace }: Patch): string {
  if (source.split(find).length !== 2) throw new Error(`${file} does not hold the text once: ${find}`)
  return source.replace(find, () => replace)
}

function compiled(source: string): string {
  return ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText
}
