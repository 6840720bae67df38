import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const loader = new URL('../../../bin/bundle.js', import.meta.url).href
let folder: string

/** One start of an installed program: how many of its two files V8 took from what was kept, and how it ended. */
function start(environment: NodeJS.ProcessEnv = {}): { readonly taken: number; readonly status: number | null } {
  const script = `import { Script } from 'node:vm'
    import { syncBuiltinESMExports } from 'node:module'
    import vm from 'node:vm'
    let taken = 0
    vm.Script = class extends Script {
      constructor(text, options) {
        super(text, options)
        if (this.cachedDataRejected === false) taken++
      }
    }
    syncBuiltinESMExports()
    const { loadBundle } = await import('${loader}')
    if (loadBundle('${folder}/bundle/svc.cjs').answer() !== 42) throw new Error('it gave another answer')
    console.log(taken)`
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache'), ...environment }
  const ran = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8', env })
  expect(ran.stderr).toBe('')
  return { taken: Number(ran.stdout), status: ran.status }
}

const builds = (): readonly string[] => {
  const home = join(folder, 'cache/svc')
  return existsSync(home) ? readdirSync(home).toSorted() : []
}
const kept = (name: string): string => join(folder, 'cache/svc', builds()[0] ?? '', 'svc', name)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-compile-cache-'))
  mkdirSync(join(folder, 'bundle/parts'), { recursive: true })
  writeFileSync(join(folder, 'bundle/digest'), 'a'.repeat(64))
  writeFileSync(join(folder, 'bundle/svc.cjs'), "exports.answer = () => require('./parts/number.cjs').number")
  writeFileSync(join(folder, 'bundle/parts/number.cjs'), 'exports.number = 42')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('what V8 has compiled of an installed program', () => {
  it('is kept for the user at the end of the first start, and is taken at the next', () => {
    expect(start()).toEqual({ taken: 0, status: 0 })
    expect(builds()).toEqual([`${'a'.repeat(32)}-${process.version}-${process.arch}`])
    expect(start()).toEqual({ taken: 2, status: 0 })
  })

  it('is not that of another build, even where its texts are as long', () => {
    start()
    writeFileSync(join(folder, 'bundle/digest'), 'b'.repeat(64))
    expect(start()).toEqual({ taken: 0, status: 0 })
    expect(builds()).toHaveLength(2)
  })

  it('stays of three other builds at most', () => {
    for (const digit of '123456') {
      writeFileSync(join(folder, 'bundle/digest'), digit.repeat(64))
      start()
    }
    expect(builds()).toHaveLength(4)
    expect(builds().at(-1)).toMatch(/^6/)
  })

  it('is not read where another user may have written it, and the program runs nevertheless', () => {
    start()
    chmodSync(kept('svc.cjs'), 0o666)
    expect(start()).toEqual({ taken: 1, status: 0 })
    // At the end of that start it was written anew.
    expect(start()).toEqual({ taken: 2, status: 0 })
    rmSync(kept('svc.cjs'))
    symlinkSync(kept('parts/number.cjs'), kept('svc.cjs'))
    expect(start()).toEqual({ taken: 1, status: 0 })
  })

  it('is done without where it is damaged, or cannot be written, or is not wanted', () => {
    start()
    writeFileSync(kept('svc.cjs'), 'half of it', { mode: 0o600 })
    expect(start()).toEqual({ taken: 1, status: 0 })
    writeFileSync(join(folder, 'file'), '')
    expect(start({ XDG_CACHE_HOME: join(folder, 'file/within') })).toEqual({ taken: 0, status: 0 })
    expect(start({ NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual({ taken: 0, status: 0 })
  })
})
