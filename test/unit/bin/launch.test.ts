import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const { bundleOf } = (await import(new URL('../../../bin/launch.js', import.meta.url).href)) as {
  readonly bundleOf: (name: string, root: URL) => URL | undefined
}

const compiled = ['dist/src/base/.tsbuildinfo', 'dist/src/raft/.tsbuildinfo', 'dist/sim/.tsbuildinfo'] as const
const installed = 'node_modules/.package-lock.json'
let folder: string

/** `second`: when the file was written, in seconds of some day. */
function write(path: string, second: number): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  utimesSync(file, 1_700_000_000 + second, 1_700_000_000 + second)
}

const chosen = (): string | undefined => bundleOf('svc', pathToFileURL(`${folder}/`))?.pathname.slice(folder.length + 1)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-launch-'))
  write(installed, 1)
  for (const path of compiled) write(path, 2)
  write('dist/bundle/read-from', 3)
  write('dist/bundle/svc.js', 4)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('what a command runs', () => {
  it('is the bundle when nothing was compiled or installed after the bundler began to read', () => {
    expect(chosen()).toBe('dist/bundle/svc.js')
  })

  it.each([...compiled, 'dist/sim/.tsbuildinfo.node', 'dist/src/new-room/.tsbuildinfo', installed])(
    'is the modules as they were compiled when %s is newer, though the bundle was written later still',
    (path) => {
      write(path, 3.5)
      expect(chosen()).toBeUndefined()
    },
  )

  it('is the bundle where npm gave all files one time, and where it packed no sign of the compiler', () => {
    for (const path of [...compiled, 'dist/bundle/read-from', 'dist/bundle/svc.js']) write(path, 0)
    rmSync(join(folder, installed))
    expect(chosen()).toBe('dist/bundle/svc.js')
    for (const path of compiled) rmSync(join(folder, path))
    expect(chosen()).toBe('dist/bundle/svc.js')
  })

  it('is the modules where there is no bundle, or one without the time at which it was read', () => {
    rmSync(join(folder, 'dist/bundle/read-from'))
    expect(chosen()).toBeUndefined()
    rmSync(join(folder, 'dist/bundle'), { recursive: true })
    expect(chosen()).toBeUndefined()
  })
})
