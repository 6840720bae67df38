import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const top = fileURLToPath(new URL('../../..', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-package-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function npm(...args: readonly string[]): string {
  const quiet = ['--silent', '--ignore-scripts', '--offline', `--cache=${join(folder, 'cache')}`]
  return execFileSync('npm', [...args, ...quiet], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

it('installed for all, the package has its commands and its manual page where man and the shell look', () => {
  const parts = join(folder, 'parts')
  cpSync(join(top, 'bin'), join(parts, 'bin'), { recursive: true })
  cpSync(join(top, 'docs'), join(parts, 'docs'), { recursive: true })
  // What it depends on is not looked for: no registry is asked.
  const {
    dependencies: _of,
    devDependencies: _for,
    ...manifest
  } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))
  writeFileSync(join(parts, 'package.json'), JSON.stringify(manifest))
  const archive = npm('pack', parts).trim()
  const place = join(folder, 'usr')
  npm('install', '--global', `--prefix=${place}`, join(folder, archive))
  const page = join(place, 'share/man/man1/svc.1')
  expect(existsSync(page) ? readFileSync(page, 'utf8') : '').toBe(readFileSync(join(top, 'docs/svc.1'), 'utf8'))
  expect(['svc', 'svc-sim'].filter((name) => existsSync(join(place, 'bin', name)))).toEqual(['svc', 'svc-sim'])
})
