import { cpSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createWorkshop } from '../../../sim/platform/program-copy.ts'
import { buildHash, modulesOf } from '../../../sim/platform/program-modules.ts'

const checkout = join(import.meta.dirname, '../../..')
const files: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module","dependencies":{}}',
  'bin/svc-sim.js': `import { loadModules } from './modules.js'
const path = new URL('../dist/sim/main.js', import.meta.url).pathname
console.log((await loadModules(path)).said.join())
`,
  'dist/sim/main.js': `import { one } from '../src/a/one.js';
import { two } from '../src/a/two.js';
import { three } from '../src/b/three.js';
export const said = [one, two, three];
`,
  'dist/sim/main.js.map': '{}',
  'dist/src/a/one.js': 'export const one = 1;\n',
  'dist/src/a/two.js': "import { one } from './one.js';\nexport const two = one + 1;\n",
  'dist/src/b/three.js': "import { two } from '../a/two.js';\nexport const three = two + 1;\n",
}

describe('a linked copy of the program', () => {
  let root = ''
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-linked-copy-'))
    for (const [name, text] of Object.entries(files)) write(name, text)
    cpSync(join(checkout, 'bin/modules.js'), join(root, 'bin/modules.js'))
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(root, { recursive: true, force: true })
  })

  async function run(replaced: Readonly<Record<string, string>>) {
    const copy = createWorkshop(root).copy(new Map(Object.entries(replaced)), 'linked')
    const lines: string[] = []
    try {
      return { ...(await copy.run([], (line) => lines.push(line))), lines }
    } finally {
      copy.remove()
    }
  }

  it('runs the replaced text wherever it is imported, and leaves the program as it is', async () => {
    expect(await run({ 'src/a/one.js': 'export const one = 11;\n' })).toMatchObject({ exit: 0, lines: ['11,12,13'] })
    expect(await run({ 'src/b/three.js': 'export const three = 7;\n' })).toMatchObject({ exit: 0, lines: ['1,2,7'] })
    expect(await run({})).toMatchObject({ exit: 0, lines: ['1,2,3'] })
  })

  it('never runs the program without its change: it has no source maps, and starts with no text of another form', async () => {
    const other = await run({ 'src/a/one.js': 'const one = 11; export { one };\n' })
    expect(other).toMatchObject({ exit: 1, lines: [] })
    expect(other.error).toContain('is not in the form that the compiler writes')
    vi.stubEnv('NODE_OPTIONS', '--enable-source-maps')
    expect(await run({ 'src/a/one.js': 'export const one = 11;\n' })).toMatchObject({ exit: 0, lines: ['11,12,13'] })
  })

  it('has the modules of the program, and a file of its own for each that is changed alone', () => {
    const copy = join(root, 'copy')
    modulesOf(root).linkTo?.(join(copy, 'dist'), ['src/a/one.js'])
    const changed = join(copy, 'dist/src/a/one.js')
    expect(() => lstatSync(changed)).toThrow('ENOENT')
    writeFileSync(changed, files['dist/src/a/one.js'] ?? '')
    const links = ['sim', 'src', 'src/a', 'src/a/one.js', 'src/a/two.js', 'src/b'].filter((name) =>
      lstatSync(join(copy, 'dist', name)).isSymbolicLink(),
    )
    expect(links).toEqual(['sim', 'src/a/two.js', 'src/b'])
    expect(modulesOf(copy).names()).toEqual(modulesOf(root).names())
    expect(modulesOf(copy).names()).toEqual(['sim/main.js', 'src/a/one.js', 'src/a/two.js', 'src/b/three.js'])
    expect(buildHash(copy)).toBe(buildHash(root))
  })
})
