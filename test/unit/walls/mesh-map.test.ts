import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../tools/planted.ts'

const map = readFileSync(join(projectRoot, 'src/features/mesh/README.md'), 'utf8')

const pathsIn = (page: string): readonly string[] =>
  [...page.matchAll(/`((?:src|sim)\/[\w./-]+)`/g)].map(([, path = '']) => path)

/** What a file of the mesh is called after. */
const words =
  /mesh|leaf|leaves|(?<!re)connect[./-]|connect$|intention|sidecar|spiffe|prox(y|ies)|upstream|trust-domain|secrets-manager|authority/

/** Sources whose name says that they are of the mesh, and that are below no path of the map. */
function offTheMap(sources: readonly string[], page: string): readonly string[] {
  const named = pathsIn(page)
  const onIt = (source: string): boolean => named.some((path) => source === path || source.startsWith(`${path}/`))
  return sources.filter((source) => words.test(source) && !onIt(source))
}

function sourcesBelow(folder: string): readonly string[] {
  const entries = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
  return entries.filter((path) => path.endsWith('.ts')).map((path) => `${folder}/${path}`)
}

describe('the map of the mesh', () => {
  it('names paths that exist', () => {
    const gone = (page: string): readonly string[] =>
      pathsIn(page).filter((path) => !existsSync(join(projectRoot, path)))
    expect(gone('| `src/agent/mesh` | `src/agent/mash`, `sim/nowhere.ts` |')).toEqual([
      'src/agent/mash',
      'sim/nowhere.ts',
    ])
    expect(pathsIn(map).length).toBeGreaterThan(30)
    expect(gone(map)).toEqual([])
  })

  it('leaves out no file that is called after the mesh', () => {
    const planted = ['src/agent/mesh/leaves.ts', 'src/agent/local/proxy-list.ts', 'src/rpc/connection.ts']
    expect(offTheMap(planted, '`src/agent/mesh`')).toEqual(['src/agent/local/proxy-list.ts'])
    expect(offTheMap([...sourcesBelow('src'), ...sourcesBelow('sim')], map)).toEqual([])
  })
})
