import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const loader = new URL('../../../bin/bundle.js', import.meta.url).href
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-young-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A program that makes 20 MB of objects, keeps them all, and tells the MiB of the young space. */
const keeping = `const kept = []
exports.keep = () => {
  for (let i = 0; i < 200_000; i++) kept.push({ i, list: [i, i] })
  return require('node:v8').getHeapSpaceStatistics().find((of) => of.space_name === 'new_space').space_size >> 20
}`

/** MiB of V8's young space when `program` has begun to work, and after as much work when its start is over. */
function youngMib(program: string, flags: readonly string[] = []): { loaded: number; started: number } {
  const file = join(folder, `${program}.cjs`)
  writeFileSync(file, keeping)
  const script = `let release = () => {}
    globalThis.setTimeout = (run) => ((release = run), { unref: () => {} })
    const { loadBundle } = await import('${loader}')
    const { keep } = loadBundle('${file}')
    const loaded = keep()
    release()
    console.log(JSON.stringify({ loaded, started: keep() }))`
  const argv = [...flags, '--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, argv, { encoding: 'utf8' }))
}

describe("V8's young space", () => {
  it('does not grow while svc starts, though all objects survive, and grows afterwards', () => {
    const { loaded, started } = youngMib('svc')
    expect(loaded).toBeLessThanOrEqual(4)
    expect(started).toBeGreaterThan(loaded)
  })

  it('grows from the start in the simulator, and where its growth was given to Node', () => {
    expect(youngMib('svc-sim').loaded).toBeGreaterThan(4)
    expect(youngMib('svc', ['--semi-space-growth-factor=4']).loaded).toBeGreaterThan(4)
  })
})
