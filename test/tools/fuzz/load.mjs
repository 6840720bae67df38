import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { instrumented } from './instrument.mjs'

const root = new URL('../../../', import.meta.url).href
let counters = 0

/** Modules of the program are those that were built; those of this tool are as they are. */
export function resolve(specifier, context, next) {
  if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return next(specifier, context)
  const { href } = new URL(specifier, context.parentURL)
  const isProgram = href.startsWith(`${root}src/`) || href.startsWith(`${root}sim/`)
  return { url: isProgram ? href.replace(root, `${root}dist/`).replace(/\.ts$/, '.js') : href, shortCircuit: true }
}

export async function load(url, context, next) {
  if (url.startsWith(`${root}test/`) && url.endsWith('.ts')) {
    const { outputText } = ts.transpileModule(await readFile(fileURLToPath(url), 'utf8'), {
      fileName: url,
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, inlineSourceMap: true },
    })
    // Decoders in which flaws were planted, to try this tool, count as the program's do.
    const source = url.startsWith(`${root}test/fuzz/planted/`) ? counted(url, outputText) : outputText
    return { format: 'module', source, shortCircuit: true }
  }
  if (!url.startsWith(`${root}dist/src/`)) return next(url, context)
  return { format: 'module', source: counted(url, await readFile(fileURLToPath(url), 'utf8')), shortCircuit: true }
}

function counted(url, text) {
  const made = instrumented(url, text, counters)
  counters += made.counters
  return made.text
}
