import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { projectRoot } from '../planted.ts'
import type { Breakage } from './breakage.ts'

/**
 * What the tests read, besides the packages. Without `dist/bundle`: launchers then run the modules, which are patched.
 */
const copied = ['bin', 'bench', 'docs', 'dist/src', 'dist/sim', 'examples', 'scenarios', 'sim', 'src', 'test'] as const
const copiedFiles = [
  'README.md',
  'package.json',
  'tsconfig.json',
  'tsconfig.node.json',
  'tsconfig.world.json',
  'vitest.config.ts',
] as const

/**
 * A copy of the built project, in which one file at a time is broken. Files are hard links where the file system allows
 * it, so a broken file is always written anew and never through its link.
 */
export class BrokenCopy {
  readonly root = mkdtempSync(join(tmpdir(), 'svc-breakage-'))

  constructor() {
    for (const folder of copied) linkFolder(join(projectRoot, folder), join(this.root, folder))
    for (const file of copiedFiles) linkFile(join(projectRoot, file), join(this.root, file))
    symlinkSync(join(projectRoot, 'node_modules'), join(this.root, 'node_modules'))
  }

  /**
   * Runs `judge` while the breakage is in. Throws where its text does not stand in the file exactly once, or its result
   * is no TypeScript.
   */
  async broken<T>(breakage: Breakage, judge: () => Promise<T>): Promise<T> {
    const source = readFileSync(join(projectRoot, breakage.file), 'utf8')
    const built = join('dist', breakage.file.replace(/\.ts$/, '.js'))
    const broken = brokenText(source, breakage)
    this.#replace(breakage.file, broken)
    this.#replace(built, compiled(broken, breakage))
    try {
      return await judge()
    } finally {
      for (const path of [breakage.file, built]) {
        rmSync(join(this.root, path))
        linkFile(join(projectRoot, path), join(this.root, path))
      }
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  #replace(path: string, text: string): void {
    rmSync(join(this.root, path))
    writeFileSync(join(this.root, path), text)
  }
}

export function brokenText(source: string, { id, file, find, replace }: Breakage): string {
  const pieces = source.split(find)
  if (pieces.length !== 2) {
    throw new Error(
      `the breakage of ${id} is stale: ${file} holds this ${pieces.length - 1} times instead of once:\n${find}`,
    )
  }
  if (find === replace) throw new Error(`the breakage of ${id} changes nothing`)
  return pieces.join(replace)
}

function compiled(text: string, { id, file }: Breakage): string {
  const { outputText, diagnostics } = ts.transpileModule(text, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  })
  const [problem] = diagnostics ?? []
  if (problem === undefined) return outputText
  throw new Error(
    `the breakage of ${id} is no TypeScript: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`,
  )
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) linkFolder(join(from, entry.name), join(to, entry.name))
    else linkFile(join(from, entry.name), join(to, entry.name))
  }
}

/** A link costs nothing; where the two lie on different file systems the file is copied. */
function linkFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    copyFileSync(from, to)
  }
}
