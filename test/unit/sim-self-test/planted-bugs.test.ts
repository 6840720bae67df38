import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createWorkshop } from '../../../sim/platform/program-copy.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { hunts } from '../../../sim/self-test/hunts.ts'
import { patchedFiles } from '../../../sim/self-test/patch.ts'
import { plantedBugs } from '../../../sim/self-test/planted-bugs.ts'
import { huntOf } from '../../../sim/self-test/self-test.ts'

const root = join(import.meta.dirname, '../../..')
const { read, scenario } = createWorkshop(root)

describe('every planted bug', () => {
  it.each(plantedBugs.map((bug) => [bug.name, bug] as const))(
    '%s fits the built program, and is a program',
    (_, bug) => {
      const texts = patchedFiles(bug.name, [...huntOf(bug).tuning, ...bug.patches], read)
      if (!texts.ok) throw new Error(texts.error)
      for (const [file, text] of texts.value) {
        expect(text).not.toBe(read(file))
        expect(() => parseAst(text), file).not.toThrow()
      }
    },
  )

  it('uses only names that its module has, so that it is found for what it does and not for a ReferenceError', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-planted-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    for (const bug of plantedBugs) {
      const texts = patchedFiles(bug.name, [...huntOf(bug).tuning, ...bug.patches], read)
      for (const [file, text] of texts.ok ? texts.value : []) {
        const path = join(folder, bug.name, file)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      }
    }
    writeFileSync(join(folder, 'undeclared.js'), 'export const one = two\n')
    const rule = '--only=correctness/noUndeclaredVariables'
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
    const args = ['lint', rule, '--reporter=json', '--max-diagnostics=none', '.']
    const { stdout } = spawnSync(process.execPath, [biome, ...args], { cwd: folder, encoding: 'utf8' })
    const { diagnostics } = JSON.parse(stdout) as {
      readonly diagnostics: readonly { readonly location: { readonly path: string } }[]
    }
    expect(diagnostics.map(({ location }) => location.path)).toEqual([expect.stringMatching(/undeclared\.js$/)])
  })

  it('stands on the page about them, which names no other', () => {
    const page = readFileSync(join(root, 'docs/self-test.md'), 'utf8')
    const named = [...page.matchAll(/^\| \d+ \| `([a-z0-9-]+)` \|/gm)].map(([, name]) => name)
    expect(named.toSorted()).toEqual(plantedBugs.map(({ name }) => name).toSorted())
  })

  it('has a name of its own, and a checker that is to find it', () => {
    expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length)
    expect(plantedBugs.filter(({ foundBy }) => foundBy.length === 0)).toEqual([])
  })
})

describe('every hunt', () => {
  it.each(hunts.map((hunt) => [hunt.name, hunt] as const))('%s loads, and hunts something', (name, hunt) => {
    const file = scenario(`hunts/${name}.yaml`)
    const loaded = loadScenario(file, readFileSync(file, 'utf8'))
    expect(loaded.ok ? [] : loaded.error).toEqual([])
    expect(patchedFiles(name, hunt.tuning, read).ok).toBe(true)
    expect(plantedBugs.some((bug) => bug.hunt === name)).toBe(true)
  })

  it('is in the table', () => {
    const files = readdirSync(scenario('hunts')).map((file) => file.replace(/\.yaml$/, ''))
    expect(files.sort()).toEqual(hunts.map(({ name }) => name).sort())
  })
})

describe('a patch', () => {
  const source = new Map([['a.js', 'one two one']])
  const read = (file: string): string | undefined => source.get(file)

  it('replaces what is there once, and does not read $ as anything but itself', () => {
    const texts = patchedFiles('bug', [{ file: 'a.js', find: 'two', replace: '$& three' }], read)
    expect(texts).toEqual({ ok: true, value: new Map([['a.js', 'one $& three one']]) })
  })

  it('sees what the one before it did to the same file', () => {
    const patches = [
      { file: 'a.js', find: 'two', replace: 'three' },
      { file: 'a.js', find: 'three', replace: 'four' },
    ]
    expect(patchedFiles('bug', patches, read)).toEqual({ ok: true, value: new Map([['a.js', 'one four one']]) })
  })

  it.each([
    [
      'is not there',
      { file: 'a.js', find: 'zwei', replace: '' },
      'bug: a.js holds this 0 times instead of once:\nzwei',
    ],
    [
      'is there twice',
      { file: 'a.js', find: 'one', replace: '' },
      'bug: a.js holds this 2 times instead of once:\none',
    ],
    ['is in no file', { file: 'b.js', find: 'one', replace: '' }, 'bug: there is no file b.js'],
  ])('whose text %s is an error that names it', (_, patch, error) => {
    expect(patchedFiles('bug', [patch], read)).toEqual({ ok: false, error })
  })
})
