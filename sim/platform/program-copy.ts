import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { CopyEnd, ProgramCopy, Workshop } from '../self-test/workshop.ts'

/** A child that has written nothing for so long is stopped. One seed takes seconds. */
const silenceMaxMs = 300_000
/** Characters of standard error that are kept. */
const errorMax = 4000

/** The workshop of a program that is built into `dist` in the folder `root`. */
export function createWorkshop(root: string): Workshop {
  return {
    read: (file) => {
      const path = join(root, 'dist', file)
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    },
    copy: (replaced) => copyOf(root, replaced),
    scenario: (name) => join(root, 'scenarios', name),
  }
}

/** The program alone, without what only people and compilers read; the packages that it needs are linked to. */
function copyOf(root: string, replaced: ReadonlyMap<string, string>): ProgramCopy {
  const home = mkdtempSync(join(tmpdir(), 'svc-self-test-'))
  const isProgram = (path: string): boolean => !/[.](d[.]ts|map|tsbuildinfo\S*)$/.test(path)
  for (const part of ['bin', 'dist/src', 'dist/sim']) {
    cpSync(join(root, part), join(home, part), { recursive: true, filter: isProgram })
  }
  for (const [file, text] of replaced) writeFileSync(join(home, 'dist', file), text)
  const manifest = readFileSync(join(root, 'package.json'), 'utf8')
  writeFileSync(join(home, 'package.json'), manifest)
  linkPackages(root, home, Object.keys(JSON.parse(manifest).dependencies))
  return {
    run: (argv, onLine) => runChild([join(home, 'bin/svc-sim.js'), ...argv], onLine),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** A package may lie beside this program or in any folder above: wherever it was installed. */
function linkPackages(root: string, home: string, names: readonly string[]): void {
  for (const name of names) {
    let folder = root
    while (!existsSync(join(folder, 'node_modules', name))) {
      if (dirname(folder) === folder) throw new Error(`the package ${name} is not installed`)
      folder = dirname(folder)
    }
    const link = join(home, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(folder, 'node_modules', name), link, 'junction')
  }
}

function runChild(argv: readonly string[], onLine: (line: string) => void): Promise<CopyEnd> {
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
  let error = ''
  let silence = setTimeout(() => child.kill('SIGKILL'), silenceMaxMs)
  createInterface({ input: child.stdout }).on('line', (line) => {
    clearTimeout(silence)
    silence = setTimeout(() => child.kill('SIGKILL'), silenceMaxMs)
    onLine(line)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error = (error + text).slice(-errorMax)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(silence)
      resolve({ exit: code ?? undefined, error })
    })
  })
}
