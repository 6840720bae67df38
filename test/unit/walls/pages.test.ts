import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { missingPaths, projectPaths } from '../../tools/named-paths.ts'
import { anchorsOf, withoutCode } from '../../tools/page-anchors.ts'
import { projectRoot } from '../../tools/planted.ts'

const skipped = new Set(['node_modules', 'dist', '.git', '.cache', 'recorded', 'sequences'])

function pagesBelow(folder: string): readonly string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return pagesBelow(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')

/** Links of a page that lead nowhere; `has` says whether a path of the project exists. */
function brokenLinks(page: string, text: string, has: (path: string) => boolean): readonly string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, inline, below = '']) => inline ?? below,
  )
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#')
      const to = path === '' ? page : normalize(join(dirname(page), path))
      if (!has(to)) return true
      return anchor !== undefined && !anchorsOf(to === page ? text : read(to)).has(anchor)
    })
    .map((target) => `${page}: ${target}`)
}

const has = (path: string): boolean => existsSync(join(projectRoot, path))
const pages = pagesBelow('')
const paths = projectPaths()

describe('what the pages say', () => {
  it('links lead to files and headings that exist', () => {
    const planted =
      '# A page\n[a](docs/nowhere.md) [b](#no-heading) [c](README.md#what-is-it) [d](#a-page) [e](https://x.y) [f]\n\n[f]: #f'
    const noticed = brokenLinks('x.md', planted, (path) => path !== 'docs/nowhere.md')
    expect(noticed).toEqual(['x.md: docs/nowhere.md', 'x.md: #no-heading', 'x.md: README.md#what-is-it', 'x.md: #f'])
    expect(pages).toContain('README.md')
    expect(pages.flatMap((page) => brokenLinks(page, read(page), has))).toEqual([])
  })

  it.each([
    ['README.md', '`src/raft/raft.ts` `src/*/README.md` `scenarios/…`', []],
    ['README.md', '`src/raft/raff.ts`, `node bin/svc.js agent`', ['src/raft/raff.ts']],
    ['docs/architecture.md', '`sim/<room>/README.md` `test/{unit,e2e}` `test/{unit,e3e}`', []],
    ['docs/architecture.md', '`agent/nowhere`, `agent/servers`, `raft/peers.json`', ['agent/nowhere']],
    ['docs/operations.md', '`agent/nowhere`, `gone.ts`', []],
    ['src/raft/README.md', '`core/step.ts` `../gossip/pool.ts` `core/stop.ts`', ['core/stop.ts']],
    ['src/raft/README.md', '`../gossip/pond.ts`', ['../gossip/pond.ts']],
    ['src/raft/README.md', '| file | is |\n|---|---|\n| `raft.ts`, `pool.ts` | a |\n', ['src/raft/pool.ts']],
    ['src/raft/README.md', '```\nsrc/raft/gone.ts\n```\n`application/json` `GET /v1/kv/x`', []],
  ])('%s: in %s the paths that do not exist are %j', (page, text, missing) => {
    expect(missingPaths(page, text, paths)).toEqual(missing.map((path) => `${page}: ${path}`))
  })

  it('paths that are named exist', () => {
    expect(pages.flatMap((page) => missingPaths(page, read(page), paths))).toEqual([])
  })

  it('commands of npm that are named exist', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const named = pages.flatMap((page) => [...read(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name))
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })

  it('scenarios that are named exist', () => {
    const named = pages.flatMap((page) => [...read(page).matchAll(/\bscenarios\/[\w/-]+\.yaml/g)].map(([path]) => path))
    expect(named.length).toBeGreaterThan(0)
    expect([...new Set(named)].filter((path) => !has(path))).toEqual([])
  })

  it('the page on architecture names every room of src and sim', () => {
    const text = read('docs/architecture.md')
    const rooms = ['src', 'sim'].flatMap((top) =>
      readdirSync(join(projectRoot, top))
        .map((name) => `${top}/${name}`)
        .filter((path) => statSync(join(projectRoot, path)).isDirectory()),
    )
    expect(rooms.filter((room) => !text.includes(`\`${room}\``))).toEqual([])
  })
})
