import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../tools/planted.ts'

const notOurs = new Set(['node_modules', 'dist', '.git', '.cache', 'coverage', 'golden', 'package-lock.json'])

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (notOurs.has(entry.name)) return []
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

interface Line {
  readonly place: string
  readonly text: string
}

function linesOf(paths: readonly string[]): readonly Line[] {
  return paths.flatMap((path) =>
    readFileSync(join(projectRoot, path), 'utf8')
      .split('\n')
      .map((text, index) => ({ place: `${path}:${index + 1}`, text })),
  )
}

// This file quotes what it looks for.
const files = filesBelow('').filter((path) => path !== 'test/unit/walls/tidy.test.ts')
const code = linesOf(files.filter((path) => /\.(ts|js|mjs|cjs)$/.test(path)))
const tests = linesOf(files.filter((path) => path.startsWith('test/') && path.endsWith('.ts')))
const everything = linesOf(files.filter((path) => !/\.(png|gz|bin|pem|der)$/.test(path)))

/**
 * What `wrong` finds, as places; a rule is tried on planted lines first, so that a rule that finds nothing can be
 * trusted.
 */
function places(lines: readonly Line[], wrong: (text: string) => boolean): readonly string[] {
  return lines.filter(({ text }) => wrong(text)).map(({ place, text }) => `${place}: ${text.trim()}`)
}

interface Habit {
  readonly title: string
  readonly lines: readonly Line[]
  readonly wrong: (text: string) => boolean
  readonly planted: readonly string[]
  readonly sound: readonly string[]
}

const habits: readonly Habit[] = [
  {
    title: 'no compiler error is silenced without a reason',
    lines: code,
    wrong: (text) => /@ts-(ignore|nocheck)/.test(text) || /@ts-expect-error(?!\s+\S{3,}\s+\S+)/.test(text),
    planted: ['// @ts-ignore x y z', '// @ts-expect-error'],
    sound: ["// @ts-expect-error the library's types forget null"],
  },
  {
    title: 'no lint rule is silenced without a reason',
    lines: code,
    wrong: (text) => /biome-ignore/.test(text) && !/biome-ignore(-all|-start)? \S+: \S+ \S+ \S+/.test(text),
    planted: ['// biome-ignore lint/x/y: <explanation>', '// biome-ignore lint/x/y:'],
    sound: ['// biome-ignore lint/x/y: the table is one decision'],
  },
  {
    title: 'no test is left out, singled out or expected to fail',
    lines: tests,
    wrong: (text) => /\b(it|test|describe|suite)(\.\w+)*\.(only|skip|todo|fails)\b/.test(text),
    planted: ['only', 'skip', 'todo', 'fails'].map((mark) => `  it.${mark}('x', () => {})`),
    sound: ["it.skipIf(reason !== undefined)('x', () => {})"],
  },
  {
    title: 'no test waits by the clock',
    lines: tests,
    wrong: (text) => /\bsleep\(/.test(text),
    planted: ['await sleep(100)'],
    sound: ['await settled(cluster)'],
  },
  {
    title: 'nothing names a place of one machine',
    lines: everything,
    // Behind a brace it is a part of some API's path.
    wrong: (text) => /(^|[^\w.}])\/(work|home|root|Users)\/|\.\.\/shared\//.test(text),
    planted: ['see /home/someone/svc', 'see /root/svc', 'see ../shared/plan.md'],
    sound: ['see docs/architecture.md', "import { a } from '../work/a.ts'", 'PUT {mount}/root/sign-intermediate'],
  },
]

/** A page is read at one go: long enough to say what lives here, what does not and what holds; never a manual. */
const pageLines = { least: 8, most: 70 } as const

function pageProblem(folder: string, text: string | undefined): string | undefined {
  if (text === undefined) return `${folder} has no README.md`
  const lines = text.trimEnd().split('\n').length
  if (lines < pageLines.least || lines > pageLines.most) {
    return `${folder}/README.md has ${lines} line${lines === 1 ? '' : 's'}, not ${pageLines.least} to ${pageLines.most}`
  }
  const title = `# ${basename(folder)}`
  return text.startsWith(title) ? undefined : `${folder}/README.md does not begin with '${title}'`
}

describe('the whole tree keeps the habits of the house', () => {
  it.each(habits.map((habit) => [habit.title, habit] as const))('%s', (_, { lines, wrong, planted, sound }) => {
    expect(lines.length).toBeGreaterThan(0)
    for (const text of planted) expect(wrong(text), text).toBe(true)
    for (const text of sound) expect(wrong(text), text).toBe(false)
    expect(places(lines, wrong)).toEqual([])
  })

  it('no file has a name that says nothing', () => {
    const empty = /(^|\/)(index|utils?|helpers?|common|manager|misc|shared)(\.[^/]*)?(\/|$)/
    expect(files.filter((path) => /^(src|sim|test|bin|bench)\//.test(path) && empty.test(path))).toEqual([])
  })

  it('every folder of src and sim has a page that says what lives there', () => {
    const folders = new Set(files.filter((path) => /^(src|sim)\/.*\//.test(path)).map((path) => dirname(path)))
    const pageOf = (folder: string): string | undefined => {
      const path = join(projectRoot, folder, 'README.md')
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    }
    const wrong = [...folders].sort().flatMap((folder) => pageProblem(folder, pageOf(folder)) ?? [])
    expect(wrong).toEqual([])
  })

  it('a page that is missing, empty, endless or about another folder is noticed', () => {
    const lines = (count: number): string => `# kv: keys\n${'\nText.'.repeat(count)}\n`
    expect(pageProblem('src/features/kv', undefined)).toBe('src/features/kv has no README.md')
    expect(pageProblem('src/features/kv', '# kv: keys\n')).toMatch(/has 1 line/)
    expect(pageProblem('src/features/kv', lines(200))).toMatch(/has 202 lines/)
    expect(pageProblem('src/features/status', lines(10))).toMatch(/does not begin with '# status'/)
    expect(pageProblem('src/features/kv', lines(10))).toBeUndefined()
  })

  it('every dependency is pinned to one version', () => {
    const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
    const pins = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(pins.filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))).toEqual([])
  })

  it('the lockfile names the packages of every platform, or `npm ci` would refuse it', () => {
    const script = join(projectRoot, 'test/tools/complete-lockfile.mjs')
    expect(spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' }).stdout).toBe('')
  })

  it('every room of src is built by the root project and seen by the tests', () => {
    const rooms = readdirSync(join(projectRoot, 'src'))
    const refs = (path: string): readonly string[] =>
      JSON.parse(readFileSync(join(projectRoot, path), 'utf8')).references.map(({ path }: { path: string }) => path)
    expect(rooms.filter((room) => !refs('tsconfig.json').includes(`src/${room}`))).toEqual([])
    expect(rooms.filter((room) => !refs('test/tsconfig.json').includes(`../src/${room}`))).toEqual([])
  })
})
