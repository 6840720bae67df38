import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Script } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url)
const { bundleOf } = (await import(new URL('bin/launch.js', root).href)) as {
  readonly bundleOf: (name: string, root: URL) => URL | undefined
}
const loader = new URL('bin/bundle.js', root).href
const { bundleLoader, bytesBeside, keptBeside, loadBundle } = (await import(loader)) as {
  readonly bundleLoader: (
    folder: string,
    keptOf: (path: string) => Uint8Array | undefined,
  ) => { readonly load: (path: string) => Record<string, unknown>; readonly scripts: ReadonlyMap<string, Script> }
  readonly bytesBeside: (path: string, program: string) => Uint8Array | undefined
  readonly keptBeside: (path: string, program: string) => string
  readonly loadBundle: (file: string) => Record<string, unknown>
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
  write('dist/bundle/svc.cjs', 4)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('what a command runs', () => {
  it('is the bundle when nothing was compiled or installed after the bundler began to read', () => {
    expect(chosen()).toBe('dist/bundle/svc.cjs')
  })

  it.each([...compiled, 'dist/sim/.tsbuildinfo.node', 'dist/src/new-room/.tsbuildinfo', installed])(
    'is the modules as they were compiled when %s is newer, though the bundle was written later still',
    (path) => {
      write(path, 3.5)
      expect(chosen()).toBeUndefined()
    },
  )

  it('is the bundle where npm gave all files one time, and where it packed no sign of the compiler', () => {
    for (const path of [...compiled, 'dist/bundle/read-from', 'dist/bundle/svc.cjs']) write(path, 0)
    rmSync(join(folder, installed))
    expect(chosen()).toBe('dist/bundle/svc.cjs')
    for (const path of compiled) rmSync(join(folder, path))
    expect(chosen()).toBe('dist/bundle/svc.cjs')
    rmSync(join(folder, 'dist/src'), { recursive: true })
    expect(chosen()).toBe('dist/bundle/svc.cjs')
  })

  it('is the modules where there is no bundle, or one without the time at which it was read', () => {
    rmSync(join(folder, 'dist/bundle/read-from'))
    expect(chosen()).toBeUndefined()
    rmSync(join(folder, 'dist/bundle'), { recursive: true })
    expect(chosen()).toBeUndefined()
  })
})

describe('how a bundle is loaded', () => {
  const file = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const scriptsOf = (path: string): ReadonlyMap<string, Script> => {
    const { load, scripts } = bundleLoader(dirname(path), (each) => bytesBeside(each, 'a'))
    load(path)
    return scripts
  }

  it('runs each file once, as Node does: with its own exports, its parts, and packages of Node', () => {
    const main = file(
      'a.cjs',
      "exports.early = 1\nexports.part = require('./b.cjs')\nexports.again = require('./b.cjs')",
    )
    file('b.cjs', "exports.seen = require('./a.cjs').early\nexports.join = require('node:path').join")
    const { part, again } = loadBundle(main)
    expect(part).toEqual({ seen: 1, join })
    expect(again).toBe(part)
  })

  it('uses what V8 kept of the same text, and does without where it is of no use', () => {
    const main = file('a.cjs', 'exports.answer = () => 42')
    const [script] = scriptsOf(main).values()
    expect(script?.cachedDataRejected).toBeUndefined()
    writeFileSync(keptBeside(main, 'a'), script?.createCachedData() ?? '')
    expect([...scriptsOf(main).values()].map(({ cachedDataRejected }) => cachedDataRejected)).toEqual([false])
    const other = file('other.cjs', 'exports.answer = () => 43')
    writeFileSync(keptBeside(other, 'a'), 'written by another version')
    expect([...scriptsOf(other).values()].map(({ cachedDataRejected }) => cachedDataRejected)).toEqual([true])
    expect((loadBundle(other)['answer'] as () => number)()).toBe(43)
  })

  it.each([
    ['svc', []],
    ['svc-sim', []],
    ['svc-sim', ['--min-semi-space-size=16']],
  ])('finds what was kept of %s when it was built, and V8 takes it (Node with %j)', (name, flags) => {
    const bundle = bundleOf(name, root)
    if (bundle === undefined) throw new Error('the bundle is older than the modules, or not there: npm run build')
    const script = `import { bundleLoader, bytesBeside, youngSpaceOf } from '${loader}'
      const keptOf = (path) => bytesBeside(path, '${name}')
      const folder = '${fileURLToPath(new URL('.', bundle))}'
      const { load, scripts } = bundleLoader(folder, keptOf, undefined, youngSpaceOf('${name}'))
      load('${fileURLToPath(bundle)}')
      console.log(JSON.stringify([...scripts.values()].map(({ cachedDataRejected }) => cachedDataRejected)))`
    const told = execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', script], {
      encoding: 'utf8',
    })
    const taken = JSON.parse(told)
    expect(taken.length).toBeGreaterThan(0)
    expect(taken.filter((rejected: unknown) => rejected !== false)).toEqual([])
  })

  it.each([
    ['function fatalLine(', 'fatal.ts'],
    ['function createPlatform(', 'platform.ts'],
    ['function createRaft(', 'state.ts'],
  ])('has places whose source is known, by the names that its files have in stacks: %s', async (text, source) => {
    const bundle = bundleOf('svc', root)
    if (bundle === undefined) throw new Error('the bundle is older than the modules, or not there: npm run build')
    const files = readdirSync(new URL('.', bundle), { recursive: true, encoding: 'utf8' })
    const holding = files
      .filter((name) => name.endsWith('.cjs'))
      .map((name) => placeOf(text, new URL(name, bundle), name))
    const frames = holding.filter((place) => place !== undefined)
    expect(frames).toHaveLength(1)
    const { fatalLine } = (await import(new URL('dist/src/host/fatal.js', root).href)) as {
      readonly fatalLine: (program: string, cause: unknown) => string
    }
    const cause = Object.assign(new Error('x'), { stack: `Error: x\n    at x (dist/bundle/${frames[0]})` })
    expect(fatalLine('svc', cause)).toMatch(new RegExp(`^svc: fatal: Error: x at ${source}:[1-9]`))
  })

  it('shows places in the source if Node is asked for maps', () => {
    const script = `import { loadBundle } from '${loader}'
      const { broken } = loadBundle('${file('broken.cjs', `exports.broken = () => new Error('x').stack\n${mapTo('source.ts')}`)}')
      console.log(broken())`
    const argv = ['--enable-source-maps', '--input-type=module', '--eval', script]
    expect(execFileSync(process.execPath, argv, { encoding: 'utf8' })).toContain('source.ts:1')
  })
})

/** The file, line and column of the bundle in which `text` stands, as stacks name it. */
function placeOf(text: string, file: URL, name: string): string | undefined {
  const lines = readFileSync(file, 'utf8').split('\n')
  const line = lines.findIndex((one) => one.includes(text))
  return line === -1 ? undefined : `${name}:${line + 1}:${(lines[line] ?? '').indexOf(text) + 'function '.length + 1}`
}

/** A map, in the text itself, that leads from its first line to the first of another file. */
function mapTo(source: string): string {
  const map = JSON.stringify({ version: 3, sources: [source], names: [], mappings: 'AAAA' })
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`
}
