import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Inputs that are kept with the program: good ones to begin with, and those that once were findings. */
const corpusRoot = fileURLToPath(new URL('../../fuzz/corpus/', import.meta.url))
/** Findings of this checkout, which have not been judged yet. */
const findingsRoot = fileURLToPath(new URL('../../../.cache/fuzz/', import.meta.url))

/** In order of name, so that equal corpora give equal runs. */
export function corpusOf(target: string): readonly Uint8Array[] {
  const folder = join(corpusRoot, target)
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw cause
  }
  return names.sort((a, b) => (a < b ? -1 : 1)).map((name) => new Uint8Array(readFileSync(join(folder, name))))
}

/** Where it was written. Equal inputs have equal names. */
export function keepFinding(target: string, kind: string, input: Uint8Array): string {
  const folder = join(findingsRoot, target)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${kind}-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`)
  writeFileSync(file, input)
  return file
}
