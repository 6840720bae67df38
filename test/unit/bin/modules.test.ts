import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url)
type Exports = Readonly<Record<string, unknown>>
const { loadModules } = (await import(new URL('bin/modules.js', root).href)) as {
  readonly loadModules: (file: string) => Promise<Exports>
}
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-modules-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, ...lines: readonly string[]): string {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

const loaded = (name: string, ...lines: readonly string[]): Promise<Exports> => loadModules(write(name, ...lines))
/** What Node's own loader makes of the same file. */
const imported = (file: string): Promise<Exports> => import(pathToFileURL(file).href)

describe('the program module by module', () => {
  it('exports what it exports by Node’s own loader, in every form that the compiler writes', async () => {
    write('deep/base.mjs', "export const order = ['base'];", 'export const one = 1, two = 2;', 'export class Kept {}')
    write('deep/effect.mjs', "import { order } from './base.mjs';", "order.push('effect');", 'export {};')
    write('deep/late.mjs', 'export function late() { return 5; }')
    const file = write(
      'all.mjs',
      "import { join } from 'node:path';",
      "import assert from 'node:assert';",
      "import * as url from 'node:url';",
      "import './deep/effect.mjs';",
      "import { order, one as first, Kept, } from './deep/base.mjs';",
      'import {',
      '    order as again,',
      "} from './deep/base.mjs';",
      'export const text = join("a", "b");',
      'export const isDefault = typeof assert.equal;',
      'export const path = url.fileURLToPath(import.meta.url);',
      'export const inOrder = [...order, again === order, first, new Kept() instanceof Kept];',
      'export function plain() { return this; }',
      'export async function later() { return (await import("./deep/late.mjs")).late(); }',
      'export function* steps() { yield 1; }',
      'export async function* both() { yield (await import("node:path")).sep; }',
      'export class Made { value = 7; }',
      "export const untouched = 'x.import(1)';",
    )
    const [ours, theirs] = [await loadModules(file), await imported(file)]
    expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort())
    for (const each of [ours, theirs]) {
      const { plain, later, steps, both, Made, ...values } = each as Record<string, never> & {
        plain(): unknown
        later(): Promise<unknown>
        steps(): Iterable<number>
        both(): AsyncIterable<string>
        Made: new () => { value: number }
      }
      expect(values).toEqual({
        text: 'a/b',
        isDefault: 'function',
        path: file,
        inOrder: ['base', 'effect', true, 1, true],
        untouched: 'x.import(1)',
      })
      expect([await later(), [...steps()], new Made().value]).toEqual([5, [1], 7])
      for await (const sep of both()) expect(sep).toBe('/')
    }
  })

  it('is strict, each module runs once, and an error has the place that it has by Node’s own loader', async () => {
    const file = write(
      'fails.mjs',
      "import { sep as divider } from 'node:path';",
      'export const fails = () => { const here = divider; export_(here); }; function export_(at) { undeclared = at; }',
    )
    const failing = ({ fails }: Exports): Error => {
      try {
        ;(fails as () => void)()
      } catch (cause) {
        return cause as Error
      }
      throw new Error('it did not fail')
    }
    const placesOf = ({ stack }: Error) => stack?.match(/fails\.mjs:\d+:\d+/g)
    const ours = await loadModules(file)
    expect(await loadModules(file)).toBe(ours)
    expect(failing(ours)).toBeInstanceOf(ReferenceError)
    expect(placesOf(failing(ours))).toEqual(placesOf(failing(await imported(file))))
    expect(placesOf(failing(ours))).toHaveLength(2)
  })

  it('refuses an import of what is not exported, and modules that import each other', async () => {
    write('few.mjs', 'export const few = 1;')
    await expect(
      loaded('many.mjs', "import { few, more } from './few.mjs';", 'export const all = [few, more];'),
    ).rejects.toThrow(/^'\.\/few\.mjs' does not export 'more', which file:.*many\.mjs imports$/)
    write('a.mjs', "import { b } from './b.mjs';", 'export const a = b;')
    await expect(loaded('b.mjs', "import { a } from './a.mjs';", 'export const b = a;')).rejects.toThrow(
      /b\.mjs imports itself, through others$/,
    )
  })

  it('is left to Node’s own loader where a module has another form', async () => {
    write('few.mjs', 'export const few = 1;')
    expect((await loaded('c.mjs', 'export default 1;'))['default']).toBe(1)
    const live = await loaded('d.mjs', 'export let d = 1;', 'export function next() { d++; }')
    ;(live['next'] as () => void)()
    expect(live['d']).toBe(2)
    const oneLine = await loaded('e.mjs', "import { few } from './few.mjs'; export const more = few + 1;")
    expect(oneLine['more']).toBe(2)
    await expect(loaded('f.mjs', "import './few.mjs';", 'export const f = ;')).rejects.toThrow(/f\.mjs/)
  })

  it('has every import before all else, in what the compiler wrote of the source', () => {
    const dist = fileURLToPath(new URL('dist/', root))
    const names = ['src', 'sim'].flatMap((part) =>
      readdirSync(join(dist, part), { recursive: true, encoding: 'utf8' }).map((name) => `${part}/${name}`),
    )
    const modules = names.filter((name) => name.endsWith('.js'))
    expect(modules.length).toBeGreaterThan(1500)
    const late = modules.filter((name) => {
      // The compiler declares a variable of its own before them.
      const text = readFileSync(join(dist, name), 'utf8').replaceAll(/^\/\*[\s\S]*?\*\/$|^\/\/.*$|^var \w+;$/gm, '')
      const rest = text.replace(/^(?:\s*import\b[^;]*;)*/, '')
      return /^import\b/m.test(rest)
    })
    expect(late).toEqual([])
  })
})
